//! A session that the server lost, through the client. Field report H-01, quirk 14.

use std::{
    future::IntoFuture,
    sync::{Arc, Mutex},
};

use mcp_client::types::{
    CallToolResult, LoggingLevel, NotificationParams, RootsListChangedNotification, SubscriptionFilter,
};
use mcp_client::{Change, Client, ClientBuilder, Diagnostic, Error, ErrorKind, State};
use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{TransportErrorKind, contract::patiently};
use tokio::{task::JoinHandle, time::Instant};

use crate::{
    WIRE,
    common::{ms, secs},
};

const JSON: (&str, &str) = ("content-type", "application/json");
const DONE: &str = r#"{"content":[]}"#;

fn initialized(revision: &str) -> String {
    format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}},"logging":{{}},"resources":{{"subscribe":true}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
    )
}

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").connect_timeout(secs(8))
}

/// Answers the handshake that comes next, with the session `id`, and refuses its stream.
async fn begin(server: &mut HttpServer, id: &str) {
    let request = server.expect("initialize").await;
    for absent in ["mcp-session-id", "mcp-protocol-version"] {
        assert!(request.request.header(absent).is_none(), "{:?}", request.request);
    }
    answer_initialize(request, id).await;
    let told = server.expect("notifications/initialized").await;
    assert_eq!(told.request.header("mcp-session-id"), Some(id));
    told.accept().await;
    server.expect("GET").await.respond(405, &[], "").await;
}

async fn answer_initialize(request: HttpExchange, id: &str) {
    let rpc = request.request.rpc_id().unwrap();
    let body = format!(r#"{{"jsonrpc":"2.0","id":{rpc},"result":{}}}"#, initialized("2025-06-18"));
    request.respond(200, &[JSON, ("mcp-session-id", id)], body).await;
}

/// A client in the session `a`.
async fn connected(builder: ClientBuilder, server: &mut HttpServer) -> Client {
    let http = WIRE.http(server);
    let serve = async {
        server.expect("server/discover").await.respond(404, &[], "").await;
        begin(server, "a").await;
    };
    let (client, ()) = tokio::join!(builder.connect(http).into_future(), serve);
    client.unwrap()
}

type Calling = JoinHandle<Result<mcp_client::Reply<CallToolResult>, Error>>;

fn call(client: &Client, tool: &str) -> Calling {
    tokio::spawn(client.call_tool(tool).header("x-tenant", "t").into_future())
}

async fn ended(call: Calling) -> Result<mcp_client::Reply<CallToolResult>, Error> {
    patiently(call).await.expect("no hang").unwrap()
}

#[tokio::test]
async fn a_refused_call_is_sent_once_more_in_a_new_session() {
    let named = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    let coded = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Session terminated"}}"#;
    for (status, body) in [(404, ""), (404, coded), (400, named)] {
        let mut server = WIRE.serve().await;
        let client = connected(builder(), &mut server).await;
        let calling = call(&client, "t");
        let first = server.expect("tools/call").await;
        assert_eq!(first.request.header("mcp-session-id"), Some("a"));
        let sent = first.request.body.clone();
        first.respond(status, &[JSON], body).await;
        begin(&mut server, "b").await;
        let again = server.expect("tools/call").await;
        assert_eq!(again.request.body, sent);
        for (name, value) in
            [("mcp-session-id", "b"), ("mcp-protocol-version", "2025-06-18"), ("x-tenant", "t")]
        {
            assert_eq!(again.request.header(name), Some(value));
        }
        again.result(DONE).await;
        ended(calling).await.unwrap();
        let ((), ()) = tokio::join!(client.close(), async {
            let delete = server.expect("DELETE").await;
            assert_eq!(delete.request.header("mcp-session-id"), Some("b"));
            delete.respond(200, &[], "").await;
        });
        assert!(server.try_next().is_none());
    }
}

#[tokio::test]
async fn calls_on_streams_of_the_old_session_fail_at_once() {
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    let parked = call(&client, "parked");
    let mut stream = server.expect("tools/call").await;
    stream.start_events(&[]).await.unwrap();
    stream.chunk(": taken\n\n").await.unwrap();
    let refused = call(&client, "refused");
    // Until the head of the stream was read.
    tokio::time::sleep(ms(50)).await;
    server.expect("tools/call").await.respond(404, &[], "").await;
    let error = ended(parked).await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::SessionLost);
    assert!(error.may_have_executed() && !error.is_retryable());
    stream.gone().await;
    begin(&mut server, "b").await;
    server.expect("tools/call").await.result(DONE).await;
    ended(refused).await.unwrap();
    assert!(server.try_next().is_none(), "the parked call is not repeated, nor cancelled");
}

#[tokio::test]
async fn a_second_refusal_surfaces_and_later_calls_work() {
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    let calling = call(&client, "t");
    server.expect("tools/call").await.respond(404, &[], "").await;
    begin(&mut server, "b").await;
    server.expect("tools/call").await.respond(404, &[], "gone again").await;
    let error = ended(calling).await.unwrap_err();
    assert_eq!(error.http().unwrap().body_excerpt, "gone again");
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::SessionLost);
    assert!(!error.may_have_executed());
    let calling = call(&client, "t");
    server.expect("tools/call").await.result(DONE).await;
    ended(calling).await.unwrap();
}

#[tokio::test]
async fn concurrent_refusals_share_one_handshake() {
    const CALLS: usize = 50;
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    let calls: Vec<_> = (0..CALLS).map(|_| call(&client, "t")).collect();
    let mut refused = Vec::new();
    for _ in 0..CALLS {
        refused.push(server.expect("tools/call").await);
    }
    // The last one comes late: when the new session is there already.
    let late = refused.pop().unwrap();
    for exchange in refused {
        exchange.respond(404, &[], "").await;
    }
    begin(&mut server, "b").await;
    late.respond(404, &[], "").await;
    for _ in 0..CALLS {
        let again = server.expect("tools/call").await;
        assert_eq!(again.request.header("mcp-session-id"), Some("b"));
        again.result(DONE).await;
    }
    for call in calls {
        ended(call).await.unwrap();
    }
    assert!(server.try_next().is_none(), "one handshake for all of them");
}

/// What the server may have executed is not sent again: after a failure inside, a broken stream, or a resumption that
/// meets the lost session.
#[tokio::test]
async fn nothing_that_may_have_run_is_repeated() {
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    for way in 0..4 {
        let calling = call(&client, "t");
        let mut exchange = server.expect("tools/call").await;
        match way {
            0 => exchange.respond(500, &[], "session store down").await,
            1 => exchange.reset(),
            2 => {
                exchange.start_events(&[]).await.unwrap();
                exchange.chunk(": taken\n\n").await.unwrap();
                tokio::time::sleep(ms(20)).await;
                exchange.reset();
            }
            _ => {
                exchange.start_events(&[]).await.unwrap();
                exchange.chunk("id: 1\nretry: 1\ndata:\n\n").await.unwrap();
                exchange.end().await;
                server.expect("GET").await.respond(404, &[], "").await;
            }
        }
        let error = ended(calling).await.unwrap_err();
        assert!(error.may_have_executed(), "{way}: {error:?}");
        assert!(server.try_next().is_none(), "{way}");
    }
}

#[tokio::test]
async fn the_error_of_the_handshake_is_the_error_of_those_who_wait() {
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    let calling = call(&client, "t");
    server.expect("tools/call").await.respond(404, &[], "").await;
    server.expect("initialize").await.respond(401, &[("www-authenticate", "Bearer")], "").await;
    let error = ended(calling).await.unwrap_err();
    assert_eq!(error.http().unwrap().www_authenticate, ["Bearer"]);
    assert!(!error.may_have_executed() && error.to_string().contains("lost the session"), "{error}");
    assert_eq!(client.state(), State::Reconnecting);

    // A server that came back as another one: its revision is not what the client speaks.
    let calling = call(&client, "t");
    let other = server.expect("initialize").await;
    other.result(&initialized("2025-11-25")).await;
    let error = ended(calling).await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::SessionLost);
    assert!(error.to_string().contains("2025-11-25"), "{error}");

    let calling = call(&client, "t");
    begin(&mut server, "c").await;
    server.expect("tools/call").await.result(DONE).await;
    ended(calling).await.unwrap();
    assert_eq!(client.state(), State::Ready);
}

/// Deadlines hold, and a close does, while the server does not answer the new `initialize`.
#[tokio::test]
async fn a_server_that_does_not_come_back_holds_nobody_up() {
    let mut server = WIRE.serve().await;
    let client = connected(builder().close_timeout(ms(300)), &mut server).await;
    let limited = tokio::spawn(client.call_tool("t").timeout(ms(300)).into_future());
    server.expect("tools/call").await.respond(404, &[], "").await;
    let mut handshake = server.expect("initialize").await;
    let error = ended(limited).await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Timeout, false));
    let waiting = call(&client, "t");
    tokio::time::sleep(ms(20)).await;
    let begun = Instant::now();
    let ((), ()) = tokio::join!(client.close(), async {
        server.expect("DELETE").await.respond(404, &[], "").await;
    });
    assert!(begun.elapsed() < secs(30), "{:?}", begun.elapsed());
    let error = ended(waiting).await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, false));
    handshake.gone().await;
    assert!(server.try_next().is_none());
}

/// State and diagnostics tell; log level and subscriptions are set again; a subscription says that it may have missed
/// something.
#[tokio::test]
async fn the_new_session_is_told_and_set_up_as_the_old_one_was() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&told);
    let builder = builder().on_diagnostic(move |diagnostic| {
        keep.lock().unwrap().push(match diagnostic {
            Diagnostic::SessionLost => "lost",
            Diagnostic::SessionRenewed => "renewed",
            _ => "other",
        });
    });
    let mut states = builder.watch_state();
    let mut server = WIRE.serve().await;
    let client = connected(builder, &mut server).await;
    let (set, ()) = tokio::join!(client.set_log_level(LoggingLevel::Warning), async {
        server.expect("logging/setLevel").await.result("{}").await;
    });
    set.unwrap();
    let mut filter = SubscriptionFilter::new();
    filter.resource_subscriptions = Some(vec!["file:///a".into()]);
    let (subscription, ()) = tokio::join!(client.listen(filter).into_future(), async {
        server.expect("resources/subscribe").await.result("{}").await;
    });
    let mut subscription = subscription.unwrap();

    let calling = call(&client, "t");
    server.expect("tools/call").await.respond(404, &[], "").await;
    let handshake = server.expect("initialize").await;
    assert!(states.wait_for(State::Reconnecting).await);
    answer_initialize(handshake, "b").await;
    server.expect("notifications/initialized").await.accept().await;
    for (method, param) in [
        ("logging/setLevel", r#""level":"warning""#),
        ("resources/subscribe", r#""uri":"file:///a""#),
        ("tools/call", r#""name":"t""#),
    ] {
        let exchange = server.expect(method).await;
        assert_eq!(exchange.request.header("mcp-session-id"), Some("b"));
        assert!(String::from_utf8_lossy(&exchange.request.body).contains(param));
        exchange.result(if method == "tools/call" { DONE } else { "{}" }).await;
    }
    ended(calling).await.unwrap();
    assert!(states.wait_for(State::Ready).await);
    assert_eq!(patiently(subscription.next()).await.unwrap().unwrap(), Some(Change::SessionRenewed));
    assert_eq!(*told.lock().unwrap(), ["lost", "renewed"]);
}

/// A notification is refused as a call is.
#[tokio::test]
async fn a_refused_notification_is_sent_once_more() {
    let mut server = WIRE.serve().await;
    let client = connected(builder().roots(["file:///a"]), &mut server).await;
    client.notify::<RootsListChangedNotification>(&NotificationParams::new()).unwrap();
    server.expect("notifications/roots/list_changed").await.respond(404, &[], "").await;
    begin(&mut server, "b").await;
    let again = server.expect("notifications/roots/list_changed").await;
    assert_eq!(again.request.header("mcp-session-id"), Some("b"));
    again.respond(404, &[], "").await;
    // Refused again, it is given up: a server that refuses it whatever the session does not get a session each time.
    tokio::time::sleep(ms(50)).await;
    assert!(server.try_next().is_none());
}

/// The server's own stream, when it is asked for again, shows the loss too: subscriptions do not go silent.
#[tokio::test]
async fn the_servers_stream_shows_that_the_session_is_lost() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    let serve = async {
        server.expect("server/discover").await.respond(404, &[], "").await;
        answer_initialize(server.expect("initialize").await, "a").await;
        server.expect("notifications/initialized").await.accept().await;
        let mut stream = server.expect("GET").await;
        stream.start_events(&[]).await.unwrap();
        stream.chunk("retry: 50\n\n").await.unwrap();
        stream.end().await;
        server.expect("GET").await.respond(404, &[], "").await;
        begin(&mut server, "b").await;
    };
    let (client, ()) = tokio::join!(builder().connect(http).into_future(), serve);
    let client = client.unwrap();
    let calling = call(&client, "t");
    let exchange = server.expect("tools/call").await;
    assert_eq!(exchange.request.header("mcp-session-id"), Some("b"));
    exchange.result(DONE).await;
    ended(calling).await.unwrap();
}

/// A 404 that is about the method is no lost session.
#[tokio::test]
async fn an_unknown_method_is_no_lost_session() {
    let mut server = WIRE.serve().await;
    let client = connected(builder(), &mut server).await;
    let calling = call(&client, "t");
    let exchange = server.expect("tools/call").await;
    let id = exchange.request.rpc_id().unwrap();
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no"}}}}"#);
    exchange.respond(404, &[JSON], body).await;
    assert_eq!(ended(calling).await.unwrap_err().rpc().unwrap().code.0, -32601);
    assert!(server.try_next().is_none());
}
