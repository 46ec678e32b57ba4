use std::collections::VecDeque;

use bytes::Bytes;
use mcp_transport::{Inbound, Outbound, RawMessage, Receiver, Sender, SkippedKind};

use crate::support::{Folder, Peer, patiently, ping, sh};

async fn skipped(peer: &mut Peer) -> (SkippedKind, String, u64) {
    match peer.next().await.unwrap() {
        Some(Inbound::Skipped(skipped)) => (skipped.kind, skipped.excerpt, skipped.length),
        other => panic!("{other:?}"),
    }
}

/// Field report S-04, quirk 1. What comes back first is what was sent first: nothing was written unasked.
#[tokio::test]
async fn text_between_messages_is_skipped_and_reported() {
    let script = r#"
        echo 'Server 1.0 ready'
        echo
        echo 42
        echo '{"half":'
        printf '\377\376 no text\n'
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{}}'
        exec cat"#;
    let mut peer = Peer::connect(&sh(script)).await;
    assert_eq!(skipped(&mut peer).await, (SkippedKind::Text, "Server 1.0 ready".into(), 16));
    let (kind, text, _) = skipped(&mut peer).await;
    assert!(matches!(kind, SkippedKind::NotAMessage(_)), "{kind:?}");
    assert_eq!(text, "42");
    assert_eq!(skipped(&mut peer).await.0, SkippedKind::Text);
    assert_eq!(skipped(&mut peer).await, (SkippedKind::Text, "\u{fffd}\u{fffd} no text".into(), 10));
    assert_eq!(peer.message().await.id(), Some(&1.into()));
    peer.send(ping(2)).await.unwrap();
    assert_eq!(peer.message().await, ping(2));
}

/// Quirk 22.
#[tokio::test]
async fn a_healthy_server_may_be_unusual() {
    let script = r#"
        head -c 27000 /dev/zero | tr '\0' x >&2
        printf '{"error":{"code":0,"message":"a\342\200\250b"},"extra":1,"jsonrpc":"2.0","id":1}\r\n'
        printf '{"result":"'
        head -c 113000 /dev/zero | tr '\0' y
        printf '","id":2,"jsonrpc":"2.0"}\n'
        exec cat"#;
    let mut peer = Peer::connect(&sh(script)).await;
    let error = peer.message().await;
    assert_eq!(error.id(), Some(&1.into()));
    assert_eq!(error.body().unwrap(), "{\"code\":0,\"message\":\"a\u{2028}b\"}".as_bytes());
    let result = peer.message().await;
    assert_eq!(result.body().unwrap().len(), 113_002);
    peer.close().await.unwrap();
}

#[tokio::test]
async fn a_reply_may_come_in_single_bytes() {
    let script = r#"
        { printf '{"jsonrpc":"2.0","id":1,"result":{"text":"'
          head -c 1000 /dev/zero | tr '\0' z
          printf '"}}\n{"jsonrpc":"2.0","id":2,"result":{}}\n'; } | dd ibs=1 obs=1 2> /dev/null"#;
    let mut peer = Peer::connect(&sh(script)).await;
    assert_eq!(peer.message().await.id(), Some(&1.into()));
    assert_eq!(peer.message().await.id(), Some(&2.into()));
}

#[tokio::test]
async fn a_line_of_200_mib_is_skipped() {
    const LENGTH: u64 = 200 * 1024 * 1024;
    let script = format!("head -c {LENGTH} /dev/zero | tr '\\0' x; echo; exec cat");
    let mut peer = Peer::connect(&sh(&script).max_message_bytes(1024 * 1024)).await;
    let (kind, excerpt, length) = skipped(&mut peer).await;
    assert_eq!((kind, length), (SkippedKind::TooLong, LENGTH));
    assert!(excerpt.starts_with("xxxx"));
    peer.send(ping(1)).await.unwrap();
    assert_eq!(peer.message().await, ping(1));
}

#[tokio::test]
async fn large_messages_go_both_ways_at_once() {
    let mut peer = Peer::connect(&sh("exec cat")).await;
    let params = Bytes::from(format!("\"{}\"", "x".repeat(3 * 1024 * 1024)));
    let messages: Vec<_> = (0..4).map(|id| RawMessage::request(id, "big", Some(params.clone()))).collect();
    let mut batch: VecDeque<Outbound> = messages.iter().cloned().map(Into::into).collect();
    let mut received = Vec::new();
    let both = async {
        tokio::join!(peer.sender.send(&mut batch), async {
            while received.len() < messages.len() {
                assert!(peer.receiver.recv(&mut received).await.unwrap());
            }
        })
    };
    patiently("echo", both).await.0.unwrap();
    for (sent, received) in messages.iter().zip(received) {
        let Inbound::Message { message, .. } = received else { panic!() };
        assert_eq!(message, *sent);
    }
}

#[tokio::test]
async fn a_body_that_was_pretty_printed_is_one_message() {
    let mut peer = Peer::connect(&sh("exec cat")).await;
    let params = Bytes::from_static(b"{\n  \"a\": 1,\r\n  \"b\": [\n  ]\n}");
    peer.send(RawMessage::notification("n", Some(params))).await.unwrap();
    let body = peer.message().await.body().unwrap().clone();
    assert_eq!(body, "{   \"a\": 1,    \"b\": [   ] }");
}

/// 100,000 notifications in a burst.
#[tokio::test]
async fn a_burst_comes_in_order_and_in_batches() {
    const COUNT: usize = 100_000;
    let line = r#"{"jsonrpc":"2.0","method":"n","params":{"value":"1"}}"#;
    let script = format!("yes '{line}' | head -n {COUNT}; exec cat");
    let mut peer = Peer::connect(&sh(&script)).await;
    let (mut count, mut largest) = (0, 0);
    while count < COUNT {
        let mut into = Vec::new();
        assert!(patiently("recv", peer.receiver.recv(&mut into)).await.unwrap());
        count += into.len();
        largest = largest.max(into.len());
        assert!(into.iter().all(|entry| matches!(entry, Inbound::Message { .. })));
    }
    assert_eq!(count, COUNT);
    assert!(largest > 1, "messages of one read come together");
}

/// More than a pipe holds by default waits in this one, and nobody reads it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_can_write_ahead_of_us() {
    if let Some(reason) = larger_pipes_refused() {
        eprintln!("skipped: {reason}");
        return;
    }
    let folder = Folder::new();
    let script = "head -c 200000 /dev/zero && echo yes > written; exec cat";
    let peer = Peer::connect(&sh(script).current_dir(&folder.0)).await;
    patiently("writing ahead", async {
        while folder.read("written").is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
    drop(peer);
}

/// Why the system does not give us the pipe that a server should get; a quota of the user's may be used up.
#[cfg(target_os = "linux")]
fn larger_pipes_refused() -> Option<String> {
    use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size, pipe};

    const WANTED: usize = 256 * 1024;
    let (output, _input) = pipe().unwrap();
    let outcome = fcntl_setpipe_size(&output, WANTED);
    let size = fcntl_getpipe_size(&output).unwrap();
    (size < WANTED).then(|| format!("a pipe of {WANTED} bytes is refused, and has {size} ({outcome:?})"))
}
