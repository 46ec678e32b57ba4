//! Legacy streams that break off, and are taken up again.

use mcp_transport::{Delivery, ExchangeEnd, OutboundMessage};
use mcp_types::Revision;
use tokio::time::Instant;

use crate::common::{failed, in_session, legacy, ms};

const REPLY: &str = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;

/// Field report H-04: a priming event, the end, and the reply on a GET behind it, no earlier than the server asked.
#[tokio::test]
async fn a_stream_is_taken_up_again_where_it_ended() {
    let (near, mut server) = in_session("s", Revision::V2025_11_25).await;
    for lost in [false, true] {
        let mut out = OutboundMessage::from(legacy(2, "tools/call"));
        out.headers.push(("x-tenant".into(), "t".into()));
        let mut call = near.start(out);
        let mut post = server.next().await;
        post.start_events(&[]).await.unwrap();
        post.chunk("id: e1\nretry: 300\ndata: \n\n").await.unwrap();
        tokio::time::sleep(ms(20)).await;
        if lost {
            post.reset();
        } else {
            post.end().await;
        }
        let ended = Instant::now();
        let mut get = server.next().await;
        assert!(ended.elapsed() >= ms(290), "{:?}", ended.elapsed());
        assert_eq!(get.request.method, "GET");
        for (name, value) in [
            ("last-event-id", "e1"),
            ("mcp-session-id", "s"),
            ("mcp-protocol-version", "2025-11-25"),
            ("accept", "text/event-stream"),
            ("x-tenant", "t"),
        ] {
            assert_eq!(get.request.header(name), Some(value));
        }
        get.start_events(&[]).await.unwrap();
        get.chunk(format!("id: e2\ndata: {REPLY}\n\n")).await.unwrap();
        assert_eq!(call.message().await, REPLY);
        get.end().await;
        assert!(matches!(call.end().await, ExchangeEnd::Complete));
    }
}

/// Without an id there is nothing to go back to.
#[tokio::test]
async fn a_stream_without_ids_is_not_taken_up_again() {
    let (near, mut server) = in_session("s", Revision::V2025_06_18).await;
    let call = near.start(legacy(2, "tools/call"));
    let mut post = server.next().await;
    post.start_events(&[]).await.unwrap();
    post.event(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#).await.unwrap();
    post.end().await;
    assert!(matches!(call.end().await, ExchangeEnd::Complete));
    assert!(server.try_next().is_none());
}

/// A server that does not resume says so, and the request may have run.
#[tokio::test]
async fn a_refused_resumption_is_the_end() {
    let (near, mut server) = in_session("s", Revision::V2025_11_25).await;
    for status in [400, 404, 405, 200] {
        let call = near.start(legacy(2, "tools/call"));
        let mut post = server.next().await;
        post.start_events(&[]).await.unwrap();
        post.chunk("id: e1\nretry: 1\ndata:\n\n").await.unwrap();
        post.end().await;
        server.next().await.respond(status, &[("content-type", "application/json")], "{}").await;
        let error = failed(call.end().await);
        assert_eq!((error.http().unwrap().status, error.delivery()), (status, Delivery::MaybeSent));
    }
}

/// Polling by disconnect: as long as something new comes, the stream is taken up again.
#[tokio::test]
async fn a_server_may_have_its_stream_polled() {
    let (near, mut server) = in_session("s", Revision::V2025_11_25).await;
    let mut call = near.start(legacy(2, "tools/call"));
    let mut post = server.next().await;
    post.start_events(&[]).await.unwrap();
    post.chunk("id: 0\nretry: 1\ndata:\n\n").await.unwrap();
    post.end().await;
    for poll in 1..20 {
        let mut get = server.next().await;
        assert_eq!(get.request.header("last-event-id"), Some((poll - 1).to_string().as_str()));
        get.start_events(&[]).await.unwrap();
        get.chunk(format!("id: {poll}\ndata:\n\n")).await.unwrap();
        get.end().await;
    }
    let mut get = server.next().await;
    get.start_events(&[]).await.unwrap();
    get.event(REPLY).await.unwrap();
    assert_eq!(call.message().await, REPLY);
    get.end().await;
    call.end().await;
}
