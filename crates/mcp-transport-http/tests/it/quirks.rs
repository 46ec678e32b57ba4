//! What real servers do over HTTP, through the client: the rows of the field reports and quirks whose subject is the
//! behaviour of calls. What is the transport's alone stands in the other files.

use std::{
    future::IntoFuture,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use mcp_client::{
    Change, Client, ClientBuilder, Error, ErrorKind,
    types::{CallToolResult, Revision, SubscriptionFilter, ToolListChangedNotification},
};
use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::contract::patiently;
use tokio::task::JoinHandle;

use crate::{
    WIRE,
    common::{ms, secs},
};

const JSON: (&str, &str) = ("content-type", "application/json");
const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").connect_timeout(secs(8))
}

/// Connects while the server does what `serve` says.
async fn connect(
    builder: ClientBuilder,
    server: &mut HttpServer,
    serve: impl AsyncFnOnce(&mut HttpServer),
) -> Result<Client, Error> {
    let http = WIRE.http(server);
    let connecting = tokio::spawn(builder.connect(http).into_future());
    serve(server).await;
    patiently(connecting).await.expect("no hang").unwrap()
}

async fn modern() -> (Client, HttpServer) {
    let mut server = WIRE.serve().await;
    let client = connect(builder(), &mut server, async |server| {
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    (client.await.unwrap(), server)
}

/// A legacy handshake in the session `s`, up to the GET.
async fn handshake(server: &mut HttpServer, revision: &str) -> HttpExchange {
    let request = server.expect("initialize").await;
    let id = request.request.rpc_id().unwrap();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
    );
    request.respond(200, &[JSON, ("mcp-session-id", "s")], body).await;
    server.expect("notifications/initialized").await.accept().await;
    server.expect("GET").await
}

async fn legacy(builder: ClientBuilder) -> (Client, HttpServer, HttpExchange) {
    let mut server = WIRE.serve().await;
    let mut stream = None;
    let client = connect(builder, &mut server, async |server| {
        server.expect("server/discover").await.respond(404, &[], "").await;
        stream = Some(handshake(server, "2025-06-18").await);
    });
    let client = client.await.unwrap();
    (client, server, stream.unwrap())
}

fn call(client: &Client) -> JoinHandle<Result<mcp_client::Reply<CallToolResult>, Error>> {
    tokio::spawn(client.call_tool("t").into_future())
}

async fn ended<T>(call: JoinHandle<T>) -> T {
    patiently(call).await.expect("no hang").unwrap()
}

/// P-10 (a): of the versions that a modern refusal names, one that both know is asked for; where none of them is modern,
/// it is the newest legacy one. Quirks 5 and 6: the list decides, in whatever order it comes.
#[tokio::test]
async fn p10_the_versions_that_a_refusal_names_are_used() {
    let unsupported = |supported: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32022,"message":"no","data":{{"supported":{supported},"requested":"2026-07-28"}}}}}}"#
        )
    };
    let mut server = WIRE.serve().await;
    let client = connect(builder(), &mut server, async |server| {
        let probe = server.expect("server/discover").await;
        probe.respond(400, &[JSON], unsupported(r#"["2025-06-18","2099-01-01","2026-07-28"]"#)).await;
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    assert_eq!(client.await.unwrap().revision(), Revision::V2026_07_28);

    for discovered in [false, true] {
        let mut server = WIRE.serve().await;
        let client = connect(builder(), &mut server, async |server| {
            let probe = server.expect("server/discover").await;
            let versions = r#"["2025-03-26","2025-06-18","2024-11-05"]"#;
            if discovered {
                probe.result(&DISCOVERED.replace(r#"["2026-07-28"]"#, versions)).await;
            } else {
                probe.respond(400, &[JSON], unsupported(versions)).await;
            }
            let initialize = server.expect("initialize").await;
            let body = String::from_utf8_lossy(&initialize.request.body).into_owned();
            assert!(body.contains(r#""protocolVersion":"2025-06-18""#), "{body}");
            let id = initialize.request.rpc_id().unwrap();
            let result = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
            initialize.json(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
            server.expect("notifications/initialized").await.accept().await;
        });
        assert_eq!(client.await.unwrap().revision(), Revision::V2025_06_18);
    }
}

/// P-10 (b) and (c): a modern server that refuses for another reason is no legacy one.
#[tokio::test]
async fn p10_modern_refusals_surface() {
    for code in [-32020, -32021] {
        let mut server = WIRE.serve().await;
        let client = connect(builder(), &mut server, async |server| {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no","data":{{"requiredCapabilities":{{}}}}}}}}"#
            );
            server.expect("server/discover").await.respond(400, &[JSON], body).await;
        });
        let error = client.await.unwrap_err();
        assert_eq!((error.kind(), error.rpc().unwrap().code.0), (ErrorKind::Negotiation, code));
        assert!(server.try_next().is_none());
    }
}

/// H-02 and H-06: whatever answers `initialized`, and whatever answers the GET, the handshake is done and calls work.
#[tokio::test]
async fn h02_h06_odd_answers_do_not_stop_the_handshake() {
    for (accepted, body, get) in [(200, "", 405), (204, "", 404), (200, "thank you", 406), (202, "", 501)] {
        let mut server = WIRE.serve().await;
        let client = connect(builder(), &mut server, async |server| {
            server.expect("server/discover").await.respond(404, &[], "").await;
            let request = server.expect("initialize").await;
            request.result(r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#).await;
            server.expect("notifications/initialized").await.respond(accepted, &[], body).await;
        });
        let client = client.await.unwrap();
        server.expect("GET").await.respond(get, &[], "no stream").await;
        for _ in 0..2 {
            let calling = call(&client);
            server.expect("tools/call").await.result(DONE).await;
            ended(calling).await.unwrap();
        }
        tokio::time::sleep(ms(20)).await;
        assert!(server.try_next().is_none(), "{accepted}: no second GET");
    }
}

/// H-07: a JSON-RPC error in a refusal is the error of its call, with the status beside it; other refusals are typed, with
/// status, type and excerpt. Quirk 18: 0 is a code; quirk 19: an unknown tool in every shape.
#[tokio::test]
async fn h07_what_a_refusal_says_reaches_the_caller() {
    let (client, mut server) = modern().await;
    for shared in [false, true] {
        for (status, id, code) in [
            (400, "own", -32602),
            (400, "null", -32602),
            (404, "own", -32601),
            (500, "own", -32603),
            (200, "own", 0),
        ] {
            let calling = if shared {
                // Runs in a task of its own.
                tokio::spawn(client.call_tool("t").with_progress().into_future())
            } else {
                call(&client)
            };
            let exchange = server.expect("tools/call").await;
            let id = if id == "own" { exchange.request.rpc_id().unwrap() } else { id.into() };
            let body =
                format!(r#"{{"error":{{"message":"no","code":{code}}},"x":1,"id":{id},"jsonrpc":"2.0"}}"#);
            exchange.respond(status, &[JSON], body).await;
            let error = ended(calling).await.unwrap_err();
            assert_eq!(error.rpc().unwrap().code.0, code);
            assert_eq!(error.http().map(|http| http.status), Some(status).filter(|status| *status != 200));
        }
    }
    for (status, kind, page) in
        [(500, "text/html", "<h1>no</h1>"), (200, "text/html", "<h1>login</h1>"), (403, "text/plain", "no")]
    {
        let calling = call(&client);
        server.expect("tools/call").await.respond(status, &[("content-type", kind)], page).await;
        let error = ended(calling).await.unwrap_err();
        let http = error.http().unwrap();
        assert_eq!(error.kind(), ErrorKind::Transport);
        assert_eq!(
            (http.status, http.content_type.as_deref(), http.body_excerpt.as_str()),
            (status, Some(kind), page)
        );
    }
    let calling = call(&client);
    server.expect("tools/call").await.result(DONE).await;
    ended(calling).await.unwrap();
}

/// Quirk 10: requests of the server with ids like ours, on the GET stream and on the stream of a call; each is answered
/// once, under its own id, and answers no call.
#[tokio::test]
async fn quirk_10_requests_of_the_server_have_their_own_ids() {
    let (client, mut server, mut stream) = legacy(builder().roots(["file:///a"])).await;
    stream.start_events(&[]).await.unwrap();
    let calling = call(&client);
    let mut exchange = server.expect("tools/call").await;
    let ours = exchange.request.rpc_id().unwrap();
    exchange.start_events(&[]).await.unwrap();
    let asks = [
        ("0", "ping", r#""result":{}"#),
        (ours.as_str(), "roots/list", r#""result":{"roots":[{"uri":"file:///a"}]}"#),
        ("-1", "foo/bar", r#""code":-32601"#),
        ("\"abc\"", "ping", r#""result":{}"#),
    ];
    for on_call in [false, true] {
        for (id, method, answer) in asks {
            let request = format!(r#"{{"method":"{method}","id":{id},"jsonrpc":"2.0"}}"#);
            let on = if on_call { &mut exchange } else { &mut stream };
            on.event(&request).await.unwrap();
            let reply = server.next().await;
            let body = String::from_utf8_lossy(&reply.request.body).into_owned();
            assert!(body.contains(&format!(r#""id":{id},"#)) && body.contains(answer), "{body}");
            assert_eq!(reply.request.header("mcp-session-id"), Some("s"));
            reply.accept().await;
        }
    }
    assert!(!calling.is_finished());
    exchange.result_event(DONE).await.unwrap();
    ended(calling).await.unwrap();
}

/// Quirk 12: five changes in one write are one for whoever reads later, and none is lost for a handler that waits.
#[tokio::test]
async fn quirk_12_changes_in_one_write_are_coalesced() {
    let heard = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&heard);
    let builder = builder().on_notification::<ToolListChangedNotification, _>(move |_, _| {
        counting.fetch_add(1, Ordering::Relaxed);
        async {}
    });
    let (client, mut server, mut stream) = legacy(builder).await;
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = Some(true);
    let mut subscription = client.listen(filter).await.unwrap();
    stream.start_events(&[]).await.unwrap();
    let change = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\r\n\r\n";
    stream.chunk(change.repeat(5)).await.unwrap();
    assert_eq!(patiently(subscription.next()).await.unwrap().unwrap(), Some(Change::ToolsListChanged));
    let calling = call(&client);
    server.expect("tools/call").await.result(DONE).await;
    ended(calling).await.unwrap();
    assert!((1..=5).contains(&heard.load(Ordering::Relaxed)));
    assert!(tokio::time::timeout(ms(50), subscription.next()).await.is_err());
}

/// Quirks 16 and 22: an id that was rounded answers nothing; members in any order, and of any name; large texts, and line
/// separators of Unicode, in one event, cut anywhere.
#[tokio::test]
async fn quirks_16_22_odd_but_valid_answers_count() {
    let (client, mut server) = modern().await;
    let text = format!("{}\u{2028}\u{2029}\u{85}\u{1F600}", "x".repeat(113 * 1024));
    for streamed in [false, true] {
        let calling = call(&client);
        let mut exchange = server.expect("tools/call").await;
        let id: i64 = exchange.request.rpc_id().unwrap().parse().unwrap();
        let result = format!(
            r#"{{"content":[{{"text":"{text}","type":"text","later":1}}],"resultType":"complete","odd":[]}}"#
        );
        let body = format!(r#"{{"odd":null,"result":{result},"id":{id},"jsonrpc":"2.0"}}"#);
        if streamed {
            exchange.start_events(&[]).await.unwrap();
            exchange.event(r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{}}"#).await.unwrap();
            for piece in format!("data: {body}\n\n").as_bytes().chunks(1021) {
                exchange.chunk(piece).await.unwrap();
            }
            exchange.end().await;
        } else {
            exchange.json(body).await;
        }
        assert_eq!(ended(calling).await.unwrap().text(), text);
    }
}

/// A token of a call's own, on one client: it wins over the client's, and its connection carries no other's requests.
#[tokio::test]
async fn a_token_per_call_stays_with_its_call() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server).header("authorization", "Bearer everyone").unwrap();
    let connecting = tokio::spawn(builder().connect(http).into_future());
    let probe = server.expect("server/discover").await;
    assert_eq!(probe.request.header("authorization"), Some("Bearer everyone"));
    probe.result(DISCOVERED).await;
    let client = ended(connecting).await.unwrap();
    let before = server.accepted();
    let mut calls = Vec::new();
    for token in ["a", "b", "a"] {
        let calling = client.call_tool(token).header("Authorization", format!("Bearer {token}"));
        calls.push(tokio::spawn(calling.into_future()));
    }
    for _ in 0..3 {
        let exchange = server.expect("tools/call").await;
        let token = exchange.request.header("mcp-name").unwrap().to_owned();
        assert_eq!(exchange.request.header("authorization"), Some(format!("Bearer {token}").as_str()));
        exchange.result(DONE).await;
    }
    for call in calls {
        ended(call).await.unwrap();
    }
    assert!(server.accepted() >= before + 2, "a connection of its own for each token");

    // What the transport sets itself is not for a call to set.
    let error = client.call_tool("t").header("Mcp-Session-Id", "x").await.unwrap_err();
    assert!(!error.may_have_executed() && server.try_next().is_none(), "{error:?}");
}

/// A legacy call that is given up is told of in its session, and its connection is closed.
#[tokio::test]
async fn p04_a_legacy_call_is_cancelled_in_its_session() {
    let (client, mut server, stream) = legacy(builder()).await;
    stream.respond(405, &[], "").await;
    let calling = call(&client);
    let mut exchange = server.expect("tools/call").await;
    let id = exchange.request.rpc_id().unwrap();
    exchange.start_events(&[]).await.unwrap();
    calling.abort();
    let cancelled = server.expect("notifications/cancelled").await;
    assert_eq!(cancelled.request.header("mcp-session-id"), Some("s"));
    let body: serde_json::Value = serde_json::from_slice(&cancelled.request.body).unwrap();
    assert_eq!(body["params"]["requestId"].to_string(), id);
    cancelled.accept().await;
    exchange.gone().await;
}

/// H-04: a priming event without data, the end of the stream, and the reply on a GET behind it, which resolves the call.
/// H-03, H-05: keep-alives and foreign names are nothing; a stream that ends without a reply and without ids fails its call
/// at once.
#[tokio::test]
async fn h03_h04_h05_a_stream_goes_on_where_it_can_and_fails_where_it_cannot() {
    let (client, mut server, stream) = legacy(builder()).await;
    stream.respond(405, &[], "").await;
    let calling = call(&client);
    let mut exchange = server.expect("tools/call").await;
    let id = exchange.request.rpc_id().unwrap();
    exchange.start_events(&[]).await.unwrap();
    exchange.chunk(": ping\n\nevent: ping\ndata: x\n\nid: e1\nretry: 300\ndata: \n\n").await.unwrap();
    exchange.end().await;
    let begun = tokio::time::Instant::now();
    let mut resumed = server.expect("GET").await;
    assert!(begun.elapsed() >= ms(290), "{:?}", begun.elapsed());
    assert_eq!(resumed.request.header("last-event-id"), Some("e1"));
    resumed.start_events(&[]).await.unwrap();
    let reply = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{DONE}}}"#);
    resumed.chunk(format!("event: message\r\nid: e2\r\ndata: {reply}\r\n\r\n")).await.unwrap();
    ended(calling).await.unwrap();
    resumed.end().await;

    let calling = call(&client);
    let mut exchange = server.expect("tools/call").await;
    exchange.start_events(&[]).await.unwrap();
    exchange
        .event(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#)
        .await
        .unwrap();
    exchange.end().await;
    let error = ended(calling).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(error.may_have_executed() && server.try_next().is_none());
}
