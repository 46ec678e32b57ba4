//! What the scripted peer promises to the tests that stand on it.

use std::time::Duration;

use mcp_testkit::script::{self, Peer};
use mcp_transport::{
    Connect, Delivery, Inbound, Link, LinkParts, Outbound, RawMessage, Receiver, Sender, TransportError,
    TransportErrorKind, memory,
};
use mcp_types::Revision;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

/// A client as small as it gets: it sends, and takes the next entry.
struct Client(LinkParts, Vec<Inbound>);

impl Client {
    fn new(link: Link) -> Self {
        Self(link.into_parts(), Vec::new())
    }

    async fn send(&mut self, message: RawMessage) {
        let mut batch = [message.into()].into();
        self.0.sender.send(&mut batch).await.unwrap();
    }

    async fn request(&mut self, id: i64, method: &'static str, params: &'static str) {
        self.send(RawMessage::request(id, method, Some(params.into()))).await;
    }

    async fn all(&mut self, count: usize) -> Vec<Inbound> {
        while self.1.len() < count {
            assert!(self.0.receiver.recv(&mut self.1).await.unwrap());
        }
        self.1.drain(..count).collect()
    }

    async fn message(&mut self) -> String {
        match self.all(1).await.remove(0) {
            Inbound::Message { message, .. } => String::from_utf8(message.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

async fn panic_of(test: impl Future<Output = ()> + Send + 'static) -> String {
    let panic = tokio::spawn(test).await.unwrap_err().into_panic();
    *panic.downcast::<String>().unwrap()
}

async fn legacy_client(link: Link) {
    let mut client = Client::new(link);
    client.request(1, "server/discover", "{}").await;
    assert!(client.message().await.contains("-32601"));
    client.request(2, "initialize", "{}").await;
    let init = client.message().await;
    assert!(init.contains(r#""protocolVersion":"2025-03-26""#), "{init}");
    client.send(RawMessage::notification("notifications/initialized", None)).await;
    client.request(3, "tools/call", r#"{"name":"x","arguments":{"a":1,"b":2}}"#).await;
    assert!(client.message().await.contains(r#""content":[]"#));
    let ping = client.message().await;
    assert!(ping.contains(r#""id":"s-1","method":"ping""#), "{ping}");
    client.send(RawMessage::result("s-1", "{}".into())).await;
    client.0.sender.send(&mut [Outbound::Close].into()).await.unwrap();
}

async fn legacy_peer(mut peer: Peer) {
    peer.accept_legacy(Revision::V2025_03_26, r#"{"tools":{}}"#).await;
    let call = peer.expect("tools/call").await;
    let call = call.with_params(r#"{"name":"x","arguments":{"b":2}}"#);
    call.reply(r#"{"content":[]}"#);
    peer.request("s-1", "ping", "{}");
    assert_eq!(peer.expect_response("s-1").await.result(), serde_json::json!({}));
    peer.expect_end().await;
}

#[tokio::test(start_paused = true)]
async fn one_script_over_a_fake_pipe_and_over_a_link() {
    let (link, peer) = script::peer();
    tokio::join!(legacy_client(link), legacy_peer(peer));
    let (link, far) = memory::pair_with_capacity(1);
    tokio::join!(legacy_client(link), legacy_peer(Peer::over(far)));
}

#[tokio::test(start_paused = true)]
async fn a_modern_server() {
    let (link, mut peer) = script::peer();
    let mut client = Client::new(link);
    client.request(1, "server/discover", "{}").await;
    let discover = peer.accept_modern(r#"{"tools":{}}"#).await;
    assert_eq!(discover.id(), &1.into());
    let reply = client.message().await;
    assert!(reply.contains(r#""supportedVersions":["2026-07-28"]"#), "{reply}");
}

#[tokio::test(start_paused = true)]
async fn a_broken_expectation_says_what_was_expected_what_came_and_what_was_before() {
    let (link, mut peer) = script::peer();
    let mut client = Client::new(link);
    client.request(1, "a", "{}").await;
    peer.expect("a").await.reply_error(-32000, "bad");
    client.request(2, "b", r#"{"x":1}"#).await;
    let panic = panic_of(async move {
        peer.expect("c").await;
    })
    .await;
    assert!(panic.contains("expected the request `c`"), "{panic}");
    assert!(panic.contains(r#""method":"b","params":{"x":1}"#), "{panic}");
    assert!(panic.contains(r#"server: {"jsonrpc":"2.0","id":1,"error":{"code":-32000"#), "{panic}");

    let (link, mut peer) = script::peer();
    let panic = panic_of(async move {
        peer.expect_notification("n").await;
    })
    .await;
    assert!(panic.contains("expected the notification `n`, came nothing"), "{panic}");
    drop(link);

    let (link, mut peer) = script::peer();
    Client::new(link).request(1, "a", r#"{"x":1}"#).await;
    let panic = panic_of(async move {
        peer.expect("a").await.with_params(r#"{"x":2}"#);
    })
    .await;
    assert!(panic.contains(r#"at least {"x":2}, got {"x":1}"#), "{panic}");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_nothing_loses_nothing() {
    let (near, far) = tokio::io::duplex(64);
    let (reader, mut writer) = tokio::io::split(near);
    let (far_reader, far_writer) = tokio::io::split(far);
    let mut peer = Peer::over_bytes(far_reader, far_writer);
    writer.write_all(br#"{"jsonrpc":"2.0","me"#).await.unwrap();
    peer.expect_nothing(Duration::from_secs(60)).await;
    writer.write_all(b"thod\":\"n\"}\n").await.unwrap();
    peer.expect_notification("n").await;
    drop((reader, writer));
    peer.expect_end().await;
}

#[tokio::test(start_paused = true)]
async fn bytes_go_out_as_they_are_in_order() {
    let (near, far) = tokio::io::duplex(16);
    let (far_reader, far_writer) = tokio::io::split(far);
    let (reader, _writer) = tokio::io::split(near);
    let peer = Peer::over_bytes(far_reader, far_writer);
    peer.send_bytes("Server starting...\n");
    peer.send_in_pieces(&b"{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\n"[..], 1);
    peer.send_frame(&b"\xff\xfe"[..]);
    peer.flood(2, "n", r#"{"at":{n}}"#);
    peer.close();
    let mut reader = BufReader::new(reader);
    let mut all = Vec::new();
    reader.read_to_end(&mut all).await.unwrap();
    let expected: &[u8] = b"Server starting...\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\n\xff\xfe\n\
        {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"at\":0}}\n\
        {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"at\":1}}\n";
    assert_eq!(String::from_utf8_lossy(&all), String::from_utf8_lossy(expected));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_noticed() {
    let (near, far) = tokio::io::duplex(16);
    let (far_reader, far_writer) = tokio::io::split(far);
    let mut peer = Peer::over_bytes(far_reader, far_writer);
    peer.flood(1, "n", "{}");
    let panic = panic_of(async move { peer.written().await }).await;
    assert!(panic.contains("the client to read"), "{panic}");
    drop(near);
}

#[tokio::test(start_paused = true)]
async fn a_cut_ends_both_directions_at_once() {
    let (near, far) = tokio::io::duplex(4096);
    let (far_reader, far_writer) = tokio::io::split(far);
    let (mut reader, mut writer) = tokio::io::split(near);
    let mut peer = Peer::over_bytes(far_reader, far_writer);
    peer.send_bytes(r#"{"jsonrpc":"2.0","#);
    peer.written().await;
    peer.cut();
    let mut all = String::new();
    reader.read_to_string(&mut all).await.unwrap();
    assert_eq!(all, r#"{"jsonrpc":"2.0","#);
    assert!(writer.write_all(b"x").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_line_without_its_end_and_a_line_that_is_no_message_are_told() {
    let broken = async |bytes: &[u8]| {
        let (mut near, far) = tokio::io::duplex(64);
        let (far_reader, far_writer) = tokio::io::split(far);
        near.write_all(bytes).await.unwrap();
        drop(near);
        let mut peer = Peer::over_bytes(far_reader, far_writer);
        panic_of(async move { peer.expect_end().await }).await
    };
    assert!(broken(b"{\"half\":").await.contains("a line without its end: {\"half\":"));
    assert!(broken(b"hello\n").await.contains("what is no message"));
    let (mut near, far) = tokio::io::duplex(64);
    let (far_reader, far_writer) = tokio::io::split(far);
    let mut peer = Peer::over_bytes(far_reader, far_writer);
    peer.notify("n", "{}");
    let mut line = String::new();
    BufReader::new(&mut near).read_line(&mut line).await.unwrap();
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n");
    drop(near);
    peer.expect_end().await;
}

/// Field reports T-08 and P-07: what a test of them sends.
#[tokio::test(start_paused = true)]
async fn odd_replies_and_progress() {
    let (link, mut peer) = script::peer();
    let mut client = Client::new(link);
    client.request(7, "a", r#"{"_meta":{"progressToken":7}}"#).await;
    let request = peer.expect("a").await;
    request.progress(0.5, Some(1.0));
    request.reply_as("\"7\"", "{}");
    request.reply_error_data(-32022, "no", r#"{"supported":["2026-07-28"]}"#);
    peer.send_frame("no message");
    peer.send_frame(r#"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"m"}]"#);
    let all = client.all(5).await;
    let text = |at: usize| match &all[at] {
        Inbound::Message { message, .. } => String::from_utf8(message.to_vec()).unwrap(),
        other => panic!("{other:?}"),
    };
    assert!(text(0).contains(r#""params":{"progressToken":7,"progress":0.5,"total":1}"#), "{}", text(0));
    assert_eq!(text(1), r#"{"jsonrpc":"2.0","id":"7","result":{}}"#);
    assert!(text(2).contains(r#""data":{"supported":["2026-07-28"]}"#), "{}", text(2));
    assert!(matches!(all[3], Inbound::Skipped(_)));
    assert!(matches!(&all[4], Inbound::Batch { messages, .. } if messages.len() == 2));
}

#[tokio::test(start_paused = true)]
async fn a_stalled_peer_a_failed_one_and_a_dropped_one() {
    let (link, mut peer) = script::peer();
    let mut client = Client::new(link);
    peer.stall();
    let stuck = client.request(1, "a", "{}");
    assert!(tokio::time::timeout(Duration::from_secs(3600), stuck).await.is_err());
    peer.fail(TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "exited"));
    let error = client.0.receiver.recv(&mut Vec::new()).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Exited);

    let (link, mut peer) = script::peer();
    let mut client = Client::new(link);
    client.request(1, "a", "{}").await;
    let request = peer.expect("a").await;
    drop(peer);
    assert!(!client.0.receiver.recv(&mut Vec::new()).await.unwrap());
    drop(request);
}

#[tokio::test(start_paused = true)]
async fn every_connection_has_its_peer() {
    let (connect, mut peers) = script::connector();
    assert!(connect.repeatable());
    for id in [1, 2] {
        let mut client = Client::new(connect.connect().await.unwrap());
        client.request(id, "a", "{}").await;
        assert_eq!(peers.next().await.expect("a").await.id(), &id.into());
    }
    assert!(peers.try_next().is_none());
    drop(peers);
    let error = connect.connect().await.unwrap_err();
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Connect, Delivery::NeverSent));
    assert!(!connect.not_repeatable().repeatable());
}

#[tokio::test(start_paused = true)]
async fn a_served_client_gets_every_answer() {
    let (link, peer) = script::peer();
    let serving = tokio::spawn(peer.serve(async |request| request.reply(request.params())));
    let mut client = Client::new(link);
    for id in 1..4 {
        client.request(id, "echo", r#"{"a":1}"#).await;
        assert_eq!(client.message().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":1}}}}"#));
    }
    drop(client);
    serving.await.unwrap();
}
