//! Answers that say no, or nothing.

use std::time::Duration;

use mcp_transport::{Delivery, ExchangeEnd, Inbound, TransportErrorKind};
use mcp_types::Revision;

use crate::common::{Seen, failed, in_session, legacy, modern, pair, still_works, text};

const HTML: &[(&str, &str)] = &[("content-type", "text/html")];

/// Field report H-07 and quirk 7: a JSON-RPC error in a refusal is the answer to that request, whatever its id; the
/// status stays beside it.
#[tokio::test]
async fn a_json_rpc_error_in_a_refusal_is_delivered() {
    let (near, mut server) = pair().await;
    for (status, id, fields) in [
        (400, "3", &[("content-type", "application/json")][..]),
        (400, "null", &[]),
        (400, "\"server-error\"", &[("content-type", "application/json"), ("mcp-session-id", "not-ours")]),
        (404, "3", &[("content-type", "text/plain")]),
        (500, "3", &[("content-type", "application/json")]),
    ] {
        let call = near.start(modern(3, "tools/call"));
        let exchange = server.next().await;
        assert!(exchange.request.header("mcp-session-id").is_none());
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no"}}}}"#);
        exchange.respond(status, fields, body).await;
        let (seen, end) = call.all().await;
        let [Seen::Accepted, Seen::Entry(Inbound::Message { message, .. })] = &seen[..] else {
            panic!("{seen:?}")
        };
        assert_eq!(text(message), r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}"#);
        let error = failed(end);
        assert_eq!((error.kind(), error.http().unwrap().status), (TransportErrorKind::Http, status));
    }
}

/// Field report H-07: other refusals are errors with status, content type and a bounded excerpt; the link goes on.
#[tokio::test]
async fn other_refusals_are_errors_with_what_the_server_said() {
    let (near, mut server) = pair().await;
    let page = "<h1>no</h1>".repeat(1000);
    for (status, delivery) in [
        (400, Delivery::Refused),
        (403, Delivery::Refused),
        (404, Delivery::Refused),
        (405, Delivery::Refused),
        (413, Delivery::Refused),
        (500, Delivery::MaybeSent),
        (502, Delivery::MaybeSent),
        (503, Delivery::MaybeSent),
    ] {
        let call = near.start(modern(1, "tools/call"));
        server.next().await.respond(status, HTML, &page).await;
        let error = call.error().await;
        let failure = error.http().unwrap();
        assert_eq!((failure.status, error.delivery()), (status, delivery));
        assert_eq!(failure.content_type.as_deref(), Some("text/html"));
        assert!(page.starts_with(&failure.body_excerpt) && failure.body_excerpt.len() == 1024);
    }
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 1, "refusals are read to their end");
}

#[tokio::test]
async fn challenges_and_waits_survive_as_values() {
    let (near, mut server) = pair().await;
    let rpc = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}"#;
    let challenges =
        [("www-authenticate", "Bearer scope=\"a\""), ("WWW-Authenticate", "DPoP algs=\"ES256\"")];
    for status in [401, 403] {
        let call = near.start(modern(1, "tools/call"));
        server.next().await.respond(status, &challenges, rpc).await;
        let error = call.error().await;
        assert_eq!(error.http().unwrap().www_authenticate, ["Bearer scope=\"a\"", "DPoP algs=\"ES256\""]);
        assert_eq!(error.delivery(), Delivery::Refused);
    }
    let call = near.start(modern(1, "tools/call"));
    server.next().await.respond(429, &[("retry-after", "7")], rpc).await;
    let error = call.error().await;
    assert_eq!(error.http().unwrap().retry_after, Some(Duration::from_secs(7)));
}

/// Field report H-07 (200 `text/html`), and other good answers that hold no message.
#[tokio::test]
async fn a_good_status_without_a_message_is_an_error() {
    let (near, mut server) = pair().await;
    for (status, fields, body) in [
        (200, HTML, "<html>"),
        (200, &[("content-type", "application/json")], "{\"half\":"),
        (200, &[("content-type", "application/json")], "{}"),
        (200, &[], ""),
        (202, &[], ""),
        (204, &[("content-type", "application/json")], ""),
        (200, &[("content-type", "application/json"), ("content-encoding", "gzip")], "\u{1f}..."),
        (200, &[("content-type", "text/event-stream"), ("content-encoding", "br")], "x"),
    ] {
        let call = near.start(modern(1, "tools/call"));
        server.next().await.respond(status, fields, body).await;
        let error = call.error().await;
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Protocol, Delivery::MaybeSent));
        let failure = error.http().unwrap();
        assert_eq!(failure.status, status);
        assert!(body.starts_with(&failure.body_excerpt), "{failure:?}");
    }
    still_works(&near, &mut server).await;
}

/// Field report H-10: a redirect is not followed; the error names its target.
#[tokio::test]
async fn redirects_are_not_followed() {
    let (near, mut server) = pair().await;
    for (status, delivery) in [(301, Delivery::Refused), (307, Delivery::Refused), (303, Delivery::MaybeSent)]
    {
        let call = near.start(modern(1, "tools/call"));
        let target = format!("http://{}/elsewhere?token=secret", server.address());
        server.next().await.respond(status, &[("location", &target)], "").await;
        let error = call.error().await;
        assert_eq!((error.http().unwrap().status, error.delivery()), (status, delivery));
        assert!(error.to_string().contains("/elsewhere") && !error.to_string().contains("secret"));
        assert!(server.try_next().is_none());
    }
}

/// Quirk 13: an unknown method of the legacy era as a 400 in plain text fails that request; the session lives.
#[tokio::test]
async fn a_plain_400_fails_one_request() {
    let (near, mut server) = in_session("s", Revision::V2025_06_18).await;
    let call = near.start(legacy(2, "no/such"));
    server.next().await.respond(400, &[("content-type", "text/plain")], "Unsupported method").await;
    let error = call.error().await;
    assert_eq!(error.http().unwrap().body_excerpt, "Unsupported method");
    assert_eq!(error.delivery(), Delivery::Refused);
    let call = near.start(legacy(3, "tools/list"));
    let exchange = server.next().await;
    assert_eq!(exchange.request.header("mcp-session-id"), Some("s"));
    exchange.result("{}").await;
    assert!(matches!(call.end().await, ExchangeEnd::Complete));
}

/// Field report H-01 and quirk 14: a lost session is told from other refusals, and proves that nothing ran.
#[tokio::test]
async fn a_lost_session_is_an_error_by_itself() {
    let (near, mut server) = in_session("s", Revision::V2025_06_18).await;
    let named = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    let coded = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32005,"message":"Session terminated"}}"#;
    for (status, body) in [(404, ""), (404, coded), (400, named)] {
        let call = near.start(legacy(2, "tools/call"));
        server.next().await.respond(status, &[("content-type", "application/json")], body).await;
        let error = call.error().await;
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::SessionLost, Delivery::Refused));
        assert_eq!(error.http().unwrap().status, status);
        assert!(error.to_string().starts_with("the server does not know the session any more"), "{error}");
        assert!(!format!("{error:?}").contains("\"s\""), "ids are secrets");
    }
}

/// Quirk 14: a server that starts another session on its own is not followed.
#[tokio::test]
async fn a_session_comes_with_the_answer_to_initialize_alone() {
    let (near, mut server) = in_session("mine", Revision::V2025_06_18).await;
    for id in 2..4 {
        let call = near.start(legacy(id, "tools/list"));
        let exchange = server.next().await;
        assert_eq!(exchange.request.header("mcp-session-id"), Some("mine"));
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let fields = [("content-type", "application/json"), ("mcp-session-id", "other")];
        exchange.respond(200, &fields, body).await;
        call.reply().await;
    }
}
