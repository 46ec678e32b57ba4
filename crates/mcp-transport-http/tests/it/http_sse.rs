//! The transport of 2024-11-05, found when the server takes no POST.

use mcp_client::{Client, ErrorKind};
use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::contract::patiently;
use mcp_types::Revision;
use tokio::task::JoinHandle;

use crate::{
    WIRE,
    common::{ms, secs},
};

/// Answers the message in `post` on `stream`.
async fn reply(post: HttpExchange, stream: &mut HttpExchange, result: &str) {
    let id = post.request.rpc_id().unwrap();
    post.respond(202, &[], "Accepted").await;
    stream.event(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await.unwrap();
}

/// A server that takes no POST at its URL, up to the stream that names where it takes them.
async fn begin(server: &mut HttpServer, endpoint: &str) -> HttpExchange {
    server.expect("server/discover").await.respond(405, &[], "").await;
    server
        .expect("initialize")
        .await
        .respond(404, &[("content-type", "text/html")], "Cannot POST /mcp")
        .await;
    let mut stream = server.expect("GET").await;
    assert_eq!(stream.request.header("accept"), Some("text/event-stream"));
    assert_eq!(stream.request.header("x-api-key"), Some("k"));
    stream.start_events(&[]).await.unwrap();
    stream.chunk(format!("event: endpoint\r\ndata: {endpoint}\r\n\r\n")).await.unwrap();
    stream
}

fn connect(server: &HttpServer) -> JoinHandle<Result<Client, mcp_client::Error>> {
    let http = WIRE.http(server).header("x-api-key", "k").unwrap();
    tokio::spawn(Client::builder("test", "1.0.0").connect_timeout(secs(8)).connect(http).into_future())
}

/// Quirk 23: the era is negotiated, not read off the transport: servers behind HTTP+SSE are of any revision.
#[tokio::test]
async fn servers_of_either_era_are_reached_behind_http_sse() {
    for modern in [false, true] {
        let mut server = WIRE.serve().await;
        let connecting = connect(&server);
        let mut stream = begin(&mut server, "/messages?session_id=1").await;
        let probe = server.expect("server/discover").await;
        assert_eq!(probe.request.target, "/messages?session_id=1");
        assert_eq!(probe.request.header("x-api-key"), Some("k"));
        if modern {
            let discovered = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
            reply(probe, &mut stream, discovered).await;
        } else {
            let id = probe.request.rpc_id().unwrap();
            probe.accept().await;
            let error = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}"#);
            stream.event(&error).await.unwrap();
            let initialized = r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
            reply(server.expect("initialize").await, &mut stream, initialized).await;
            server.expect("notifications/initialized").await.accept().await;
        }
        let client = connecting.await.unwrap().unwrap();
        let revision = if modern { Revision::V2026_07_28 } else { Revision::V2024_11_05 };
        assert_eq!(client.revision(), revision);
        let call = tokio::spawn(client.call_tool("t").into_future());
        let result = r#"{"resultType":"complete","content":[]}"#;
        reply(server.expect("tools/call").await, &mut stream, result).await;
        call.await.unwrap().unwrap();
        client.close().await;
        stream.gone().await;
        assert!(server.try_next().is_none());
    }
}

/// The end of the stream is the end of the link.
#[tokio::test]
async fn a_lost_stream_fails_what_is_open() {
    let mut server = WIRE.serve().await;
    let connecting = connect(&server);
    let mut stream = begin(&mut server, "messages").await;
    let probe = server.expect("server/discover").await;
    let discovered = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
    reply(probe, &mut stream, discovered).await;
    let client = connecting.await.unwrap().unwrap();
    let call = tokio::spawn(client.call_tool("t").into_future());
    server.expect("tools/call").await.accept().await;
    stream.reset();
    let error = call.await.unwrap().unwrap_err();
    assert!(error.may_have_executed() && error.transport().is_some(), "{error:?}");
}

/// What the user sends to a server goes to no other.
#[tokio::test]
async fn a_foreign_endpoint_is_not_used() {
    let mut server = WIRE.serve().await;
    let other = WIRE.serve().await;
    let connecting = connect(&server);
    let mut stream = begin(&mut server, &other.url()).await;
    let error = connecting.await.unwrap().unwrap_err();
    assert_eq!(error.http().unwrap().status, 404, "{error:?}");
    stream.gone().await;
    assert_eq!(other.accepted(), 0);
}

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;

/// A POST that is refused ends its call at once, with the refusal as its error; no other call is affected. One that is not
/// answered may still have been taken: its reply counts.
#[tokio::test]
async fn a_refused_post_ends_its_call_at_once() {
    let mut server = WIRE.serve().await;
    let connecting = connect(&server);
    let mut stream = begin(&mut server, "messages").await;
    let probe = server.expect("server/discover").await;
    reply(probe, &mut stream, DISCOVERED).await;
    let client = connecting.await.unwrap().unwrap();
    let result = r#"{"resultType":"complete","content":[]}"#;
    let call = || tokio::spawn(client.call_tool("t").into_future());

    let (open, silent) = (call(), call());
    let first = server.expect("tools/call").await;
    let unanswered = server.expect("tools/call").await;
    let id = unanswered.request.rpc_id().unwrap();
    for (status, ran) in [(400, false), (404, false), (500, true)] {
        let refused = call();
        server.expect("tools/call").await.respond(status, &[("content-type", "text/plain")], "no").await;
        let error = patiently(refused).await.expect("at once").unwrap().unwrap_err();
        let failure = error.http().unwrap();
        assert_eq!((failure.status, failure.body_excerpt.as_str()), (status, "no"));
        assert_eq!(error.may_have_executed(), ran);
    }
    let refused = call();
    let rpc = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32602,"message":"no"}}"#;
    server.expect("tools/call").await.respond(400, &[("content-type", "application/json")], rpc).await;
    let error = patiently(refused).await.expect("at once").unwrap().unwrap_err();
    assert_eq!(error.rpc().unwrap().code.0, -32602);

    reply(first, &mut stream, result).await;
    patiently(open).await.unwrap().unwrap().unwrap();
    drop(unanswered);
    stream.event(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await.unwrap();
    patiently(silent).await.unwrap().unwrap().unwrap();
}

/// A server that refuses the probe, and one that ends the stream on it, are legacy ones.
#[tokio::test]
async fn a_legacy_server_behind_http_sse_may_refuse_the_probe_or_break_off() {
    for breaks_off in [false, true] {
        let mut server = WIRE.serve().await;
        let connecting = connect(&server);
        let mut stream = begin(&mut server, "messages").await;
        let probe = server.expect("server/discover").await;
        if breaks_off {
            probe.accept().await;
            stream.reset();
            // Once more from the beginning, on a fresh link, without a probe.
            server.expect("initialize").await.respond(405, &[], "").await;
            stream = server.expect("GET").await;
            stream.start_events(&[]).await.unwrap();
            stream.chunk("event: endpoint\ndata: /messages\n\n").await.unwrap();
        } else {
            probe.respond(400, &[], "Received request before initialization was complete").await;
        }
        let initialized =
            r#"{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
        let request = server.expect("initialize").await;
        assert_eq!(request.request.target, "/messages");
        reply(request, &mut stream, initialized).await;
        server.expect("notifications/initialized").await.accept().await;
        let client = patiently(connecting).await.expect("no loop").unwrap().unwrap();
        assert_eq!(client.revision(), Revision::V2024_11_05);
    }
}

/// The URL for messages is a reference, and may come after events that nobody knows.
#[tokio::test]
async fn the_endpoint_is_a_reference() {
    for (reference, target) in [
        ("../x/./messages?to=http://other.example/", "/x/messages?to=http://other.example/"),
        ("messages#part", "/messages"),
        ("?session=1", "/mcp?session=1"),
    ] {
        let mut server = WIRE.serve().await;
        let _connecting = connect(&server);
        server.expect("server/discover").await.respond(405, &[], "").await;
        server.expect("initialize").await.respond(405, &[], "").await;
        let mut stream = server.expect("GET").await;
        stream.start_events(&[]).await.unwrap();
        stream.chunk(": hello\n\nevent: ping\ndata: now\n\n").await.unwrap();
        stream.chunk(format!("event: endpoint\ndata: {reference}\n\n")).await.unwrap();
        assert_eq!(server.expect("server/discover").await.request.target, target);
    }
}

/// A server that never names it is waited for as long as connecting may take.
#[tokio::test]
async fn an_endpoint_that_never_comes_is_bounded_by_the_limit_on_connecting() {
    for begun in [false, true] {
        let mut server = WIRE.serve().await;
        let connecting =
            Client::builder("test", "1.0.0").connect_timeout(ms(700)).connect(WIRE.http(&server));
        let connecting = tokio::spawn(connecting.into_future());
        server.expect("server/discover").await.respond(405, &[], "").await;
        server.expect("initialize").await.respond(405, &[], "").await;
        let mut stream = server.expect("GET").await;
        if begun {
            stream.start_events(&[]).await.unwrap();
            stream.chunk("event: ping\ndata: now\n\n").await.unwrap();
        }
        let error = patiently(connecting).await.expect("no hang").unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
        patiently(stream.gone()).await.expect("nothing is left");
    }
}
