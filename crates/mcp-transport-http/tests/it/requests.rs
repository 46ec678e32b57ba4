//! What is sent.

use mcp_transport::{Delivery, Outbound, OutboundMessage, RawMessage, Receiver, TransportErrorKind};
use mcp_types::Revision;

use crate::{
    WIRE,
    common::{META, Near, answered, in_session, initialize, legacy, modern, note, pair},
};

/// Field report H-09, modern: the revision of the body stands in the field, on every POST; so do method and subject.
#[tokio::test]
async fn a_modern_request_is_mirrored_in_its_head() {
    let (near, mut server) = pair().await;
    let params = format!(r#"{{"name":"w\u00e4rme","arguments":{{}},{META}}}"#);
    let mut out = OutboundMessage::from(RawMessage::request(7, "tools/call", Some(params.into())));
    out.headers.push(("Mcp-Param-Region".into(), "eu west".into()));
    out.headers.push(("Mcp-Param-Empty".into(), String::new()));
    let call = near.start(out);
    let exchange = server.next().await;
    let request = &exchange.request;
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/mcp"));
    for (name, value) in [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?d8Okcm1l?="),
        ("mcp-param-region", "eu west"),
        ("mcp-param-empty", ""),
        ("host", &server.address().to_string()),
    ] {
        assert_eq!(request.header(name), Some(value), "{request:?}");
    }
    assert!(request.header("mcp-session-id").is_none() && request.header("accept-encoding").is_none());
    answered(call, exchange).await;
}

/// Field report H-09, legacy: no revision on `initialize`, the negotiated one on all that follows.
#[tokio::test]
async fn a_legacy_session_names_revision_and_session_after_the_handshake() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25] {
        let (mut near, mut server) = pair().await;
        let call = near.start(legacy(1, "initialize"));
        let exchange = server.next().await;
        assert!(exchange.request.header("mcp-protocol-version").is_none());
        assert!(exchange.request.header("mcp-session-id").is_none());
        drop((exchange, call));

        initialize(&mut near, &mut server, Some("s-1"), revision).await;
        let names_both = |request: &mcp_testkit::http::HttpRequest| {
            assert_eq!(request.header("mcp-protocol-version"), Some(revision.as_str()), "{request:?}");
            assert_eq!(request.header("mcp-session-id"), Some("s-1"));
            assert!(request.header("mcp-method").is_none());
        };
        let mut into = Vec::new();
        tokio::select! {
            more = near.receiver.recv(&mut into) => panic!("{more:?}"),
            () = async {
                let get = server.expect("GET").await;
                names_both(&get.request);
                assert_eq!(get.request.header("accept"), Some("text/event-stream"));
                get.respond(405, &[], "").await;
            } => {}
        }
        let call = near.start(legacy(2, "tools/list"));
        let exchange = server.next().await;
        names_both(&exchange.request);
        answered(call, exchange).await;
        tokio::join!(near.send([note("notifications/cancelled").into()]), async {
            let exchange = server.next().await;
            names_both(&exchange.request);
            exchange.accept().await;
        });
        let (closed, ()) = tokio::join!(near.close(), async {
            let delete = server.next().await;
            assert_eq!(delete.request.method, "DELETE");
            names_both(&delete.request);
            delete.respond(200, &[], "").await;
        });
        closed.unwrap();
    }
}

/// Field report H-09: a user's fields go with every request, and replace none that is required.
#[tokio::test]
async fn the_users_fields_go_along() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    for required in ["Accept", "Mcp-Session-Id", "Mcp-Param-Region"] {
        assert!(http.clone().header(required, "text/plain").is_err());
    }
    let http = http.header("X-Api-Key", "k").unwrap().header("user-agent", "mine").unwrap();
    assert!(!format!("{http:?}").contains("\"k\""));
    let near = Near::open(http).await;
    let mut out = OutboundMessage::from(modern(1, "tools/list"));
    out.headers.push(("X-Api-Key".into(), "for this call".into()));
    let call = near.start(out);
    let exchange = server.next().await;
    assert_eq!(exchange.request.header("x-api-key"), Some("for this call"));
    assert_eq!(exchange.request.header("user-agent"), Some("mine"));
    answered(call, exchange).await;

    for (name, value) in
        [("accept", "text/plain"), ("mcp-session-id", "x"), ("x-a", "a\r\nb: c"), ("a b", "")]
    {
        let mut out = OutboundMessage::from(modern(2, "tools/list"));
        out.headers.push((name.into(), value.into()));
        let error = near.start(out).error().await;
        assert_eq!(
            (error.kind(), error.delivery()),
            (TransportErrorKind::Configuration, Delivery::NeverSent)
        );
    }
    assert!(server.try_next().is_none());
}

/// No request overtakes `initialized`, which goes out on another connection.
#[tokio::test]
async fn requests_wait_for_the_end_of_the_handshake() {
    let (mut near, mut server) = pair().await;
    let call = near.start(legacy(1, "initialize"));
    server.next().await.result("{}").await;
    call.reply().await;
    let early = near.start(legacy(2, "tools/list"));
    let told =
        near.send([Outbound::Settled(Revision::V2025_06_18), note("notifications/initialized").into()]);
    tokio::join!(told, async {
        let first = server.next().await;
        assert_eq!(first.request.rpc_method().unwrap(), "notifications/initialized");
        tokio::task::yield_now().await;
        assert!(server.try_next().is_none());
        first.accept().await;
    });
    let exchange = server.expect("tools/list").await;
    assert_eq!(exchange.request.header("mcp-protocol-version"), Some("2025-06-18"));
    answered(early, exchange).await;
}

/// The same link in the modern era: no session is taken from anything.
#[tokio::test]
async fn a_modern_server_cannot_start_a_session() {
    let (near, mut server) = pair().await;
    for id in 1..3 {
        let call = near.start(modern(id, "server/discover"));
        let exchange = server.next().await;
        assert!(exchange.request.header("mcp-session-id").is_none());
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let fields = [("content-type", "application/json"), ("mcp-session-id", "not-ours")];
        exchange.respond(200, &fields, body).await;
        call.reply().await;
    }
    near.close().await.unwrap();
    assert!(server.try_next().is_none());
}

/// Quirk 17: the revision that the server chose is sent, whichever was asked for.
#[tokio::test]
async fn the_settled_revision_counts() {
    let (near, mut server) = in_session("s", Revision::V2025_03_26).await;
    let call = near.start(legacy(2, "ping"));
    let exchange = server.next().await;
    assert_eq!(exchange.request.header("mcp-protocol-version"), Some("2025-03-26"));
    answered(call, exchange).await;
}
