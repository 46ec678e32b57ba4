use std::{
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use mcp_transport::{Delivery, Outbound, RawMessage, TransportError, TransportErrorKind};
use mcp_transport_stdio::Stderr;

use crate::support::{NEVER, Peer, is_running, ping, sh};

fn exited(error: &TransportError) -> (Option<i32>, Option<i32>, &str) {
    assert_eq!(error.kind(), TransportErrorKind::Exited, "{error}");
    let process = error.process().unwrap();
    (process.code, process.signal, process.stderr_tail.as_str())
}

/// Field report S-07.
#[tokio::test]
async fn a_server_that_dies_at_start_says_why() {
    let mut peer = Peer::connect(&sh("echo boom >&2; exit 3")).await;
    let error = peer.next().await.unwrap_err();
    assert_eq!(exited(&error), (Some(3), None, "boom\n"));
    assert!(error.process().unwrap().command.starts_with("sh -c "));
    let text = error.to_string();
    assert!(text.contains("status 3") && text.contains("boom"), "{text}");
    assert!(peer.next().await.unwrap().is_none(), "the error is told once");
}

/// Field report S-07.
#[tokio::test]
async fn a_server_that_dies_in_mid_call_says_why() {
    let script = "read a; read b; note got 2; echo 'out of memory' >&2; exit 3";
    let mut peer = Peer::connect(&sh(script)).await;
    peer.send(ping(1)).await.unwrap();
    peer.send(ping(2)).await.unwrap();
    assert_eq!(peer.note("got").await, "2");
    let error = peer.next().await.unwrap_err();
    assert_eq!(exited(&error), (Some(3), None, "out of memory\n"));
    assert_eq!(error.delivery(), Delivery::MaybeSent);
}

/// Field report S-07.
#[tokio::test]
async fn a_server_that_is_killed_says_by_which_signal() {
    let mut peer = Peer::connect(&sh("kill -9 $$")).await;
    assert_eq!(exited(&peer.next().await.unwrap_err()), (None, Some(9), ""));
}

/// An unasked exit is the end of the link, whatever its status.
#[tokio::test]
async fn an_unasked_exit_with_status_zero_is_told() {
    let mut peer = Peer::connect(&sh("note last words; exit 0")).await;
    assert_eq!(peer.note("last").await, "words");
    assert_eq!(exited(&peer.next().await.unwrap_err()), (Some(0), None, ""));
}

/// Field report S-07: the broken pipe may be noticed first.
#[tokio::test]
async fn sending_to_a_dead_server_says_why_on_both_halves() {
    let mut peer = Peer::connect(&sh("echo boom >&2; exit 5")).await;
    let params = Bytes::from(format!("\"{}\"", "x".repeat(256 * 1024)));
    let error = loop {
        let big = RawMessage::request(1, "big", Some(params.clone()));
        if let Err(error) = peer.send(big).await {
            break error;
        }
    };
    assert_eq!(exited(&error), (Some(5), None, "boom\n"));
    assert_eq!(error.delivery(), Delivery::MaybeSent);
    drop(peer.sender);
    let error = mcp_transport::Receiver::recv(&mut peer.receiver, &mut Vec::new()).await.unwrap_err();
    assert_eq!(exited(&error), (Some(5), None, "boom\n"));
}

/// Something that the server started keeps its output open.
#[tokio::test]
async fn an_exit_is_noticed_while_the_pipe_stays_open() {
    let script = "
        trap '' TERM
        sleep 1000 &
        i=0
        while [ $i -lt 500 ]; do note line $i; i=$((i+1)); done
        exit 4";
    let mut peer = Peer::connect(&sh(script).term_wait(NEVER)).await;
    for number in 0..500 {
        assert_eq!(peer.note("line").await, number.to_string());
    }
    assert_eq!(exited(&peer.next().await.unwrap_err()).0, Some(4));
}

/// Something that left the group, and out of our reach, goes on writing.
#[tokio::test]
async fn an_exit_is_noticed_while_others_write() {
    if Command::new("setsid").arg("true").status().is_err() {
        return; // Not a part of every system.
    }
    let script = "
        setsid sh -c 'echo $$ >&2; while echo chatter; do :; done' &
        sleep 0.1
        exit 4";
    let mut peer = Peer::connect(&sh(script)).await;
    let error = loop {
        match peer.next().await {
            Ok(entry) => drop(entry.unwrap()),
            Err(error) => break error,
        }
    };
    let (code, _, stderr) = exited(&error);
    assert_eq!(code, Some(4));
    let escaped: u32 = stderr.trim().parse().unwrap();
    drop(peer);
    crate::support::gone(escaped).await;
}

#[tokio::test]
async fn an_output_that_ends_before_the_process_is_told() {
    let mut peer = Peer::connect(&sh("note pid $$; exec >&-; exec sleep 1000")).await;
    let pid = peer.pid("pid").await;
    let error = peer.next().await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Closed);
    assert!(is_running(pid));
    peer.closer.close().await.unwrap();
    assert!(!is_running(pid));
}

#[tokio::test]
async fn the_rest_of_the_output_counts_if_it_is_complete() {
    let script = r#"printf '{"jsonrpc":"2.0","id":1,"result":{}}'; exit 0"#;
    let mut peer = Peer::connect(&sh(script)).await;
    assert_eq!(peer.message().await.id(), Some(&1.into()));
    exited(&peer.next().await.unwrap_err());
}

/// Field report S-03.
#[tokio::test]
async fn a_flood_on_standard_error_does_not_block_a_server() {
    let script = "head -c 262144 /dev/zero | tr '\\0' x >&2; exec cat";
    let pieces = Arc::new(Mutex::new(Vec::new()));
    let collect = {
        let pieces = pieces.clone();
        Stderr::lines(move |piece| pieces.lock().unwrap().push(piece.len()))
    };
    for policy in [Stderr::Capture, collect] {
        let mut peer = Peer::connect(&sh(script).stderr(policy)).await;
        peer.send(ping(1)).await.unwrap();
        assert_eq!(peer.message().await, ping(1));
        peer.close().await.unwrap();
    }
    let pieces = pieces.lock().unwrap();
    assert!(pieces.iter().all(|length| *length <= Stderr::LINE_LIMIT));
    assert_eq!(pieces.iter().sum::<usize>(), 262_144);
}

/// Field report S-03.
#[tokio::test]
async fn the_last_lines_of_standard_error_are_kept() {
    let script = "i=0; while [ $i -lt 2000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; exit 1";
    let mut peer = Peer::connect(&sh(script)).await;
    let error = peer.next().await.unwrap_err();
    let (_, _, tail) = exited(&error);
    assert!(tail.len() <= 4096 && tail.len() > 3000, "{}", tail.len());
    assert!(tail.starts_with("line ") && tail.ends_with("line 1999\n"), "{tail}");
}

/// Standard error that something else holds open does not hold up the end.
#[tokio::test]
async fn the_end_does_not_wait_for_standard_error() {
    let script = "trap '' TERM; sleep 1000 & echo boom >&2; exec >&-; exit 3";
    let mut peer = Peer::connect(&sh(script).term_wait(NEVER)).await;
    assert_eq!(exited(&peer.next().await.unwrap_err()), (Some(3), None, "boom\n"));
    peer.send(Outbound::Close).await.unwrap();
    tokio::time::timeout(Duration::from_millis(10), peer.closer.close()).await.unwrap_err();
}
