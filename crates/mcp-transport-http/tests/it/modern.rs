//! Answers to requests of the modern era.

use mcp_transport::{Delivery, ExchangeEnd, Inbound, Origin, TransportErrorKind};

use crate::common::{Seen, failed, modern, pair, still_works};

const REPLY: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

#[tokio::test]
async fn json_and_streams_are_answers() {
    let (near, mut server) = pair().await;
    let call = near.start(modern(1, "tools/list"));
    server.next().await.respond(200, &[("content-type", "Application/JSON; charset=utf-8")], REPLY).await;
    assert_eq!(call.reply().await, REPLY);

    let mut call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    exchange.start_events(&[]).await.unwrap();
    assert!(matches!(call.next().await, Some(Seen::Accepted)));
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#;
    exchange.event(progress).await.unwrap();
    let Some(Seen::Entry(Inbound::Message { origin, message })) = call.next().await else { panic!() };
    assert_eq!((origin, message.method()), (Origin::Exchange(1.into()), Some("notifications/progress")));
    exchange.event(REPLY).await.unwrap();
    assert_eq!(call.message().await, REPLY);
    exchange.end().await;
    assert!(matches!(call.end().await, ExchangeEnd::Complete));

    // No content type: some small servers name none.
    let call = near.start(modern(1, "tools/list"));
    server.next().await.respond(200, &[], REPLY).await;
    assert_eq!(call.reply().await, REPLY);
    assert_eq!(server.accepted(), 1, "the connection is used again");
}

/// Quirk 11 and field report H-05: priming events, comments, names, CRLF and odd pieces.
#[tokio::test]
async fn a_stream_may_look_like_any_of_these() {
    for text in [
        format!("data: {REPLY}\n\n"),
        format!("id: 1\ndata:\n\nretry: 5\ndata:\n\nevent: message\nid: 2\ndata: {REPLY}\n\n"),
        format!("\u{feff}: ping\r\n\r\nevent: ping\r\ndata: x\r\n\r\ndata:{REPLY}\r\n\r\n"),
        format!(":\rdata: {REPLY}\r\r"),
        "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata: \"result\":{}}\n\n".to_owned(),
    ] {
        for size in [1, 7, 1000] {
            let (near, mut server) = pair().await;
            let mut call = near.start(modern(1, "tools/list"));
            let mut exchange = server.next().await;
            exchange.start_events(&[("x-accel-buffering", "no")]).await.unwrap();
            for piece in text.as_bytes().chunks(size) {
                exchange.chunk(piece).await.unwrap();
            }
            assert_eq!(call.message().await, REPLY, "{text:?}");
            exchange.end().await;
            assert!(matches!(call.end().await, ExchangeEnd::Complete));
        }
    }
}

/// Field report P-04: dropping an exchange closes its connection, before the head of the response came and after.
#[tokio::test]
async fn dropping_an_exchange_closes_its_connection() {
    let (near, mut server) = pair().await;
    for accepted in [false, true] {
        let mut call = near.start(modern(1, "tools/call"));
        let mut exchange = server.next().await;
        if accepted {
            exchange.start_events(&[]).await.unwrap();
            assert!(matches!(call.next().await, Some(Seen::Accepted)));
        }
        assert!(!exchange.is_gone());
        call.abandon();
        exchange.gone().await;
    }
    still_works(&near, &mut server).await;
}

/// Field report H-03: a stream that ends, or is lost, without the reply ends the exchange at once; never a GET.
#[tokio::test]
async fn a_stream_without_its_reply_ends_the_exchange() {
    let (near, mut server) = pair().await;
    for foreign in [None, Some(r#"{"jsonrpc":"2.0","id":"xxx","error":{"code":1,"message":""}}"#)] {
        let mut call = near.start(modern(1, "tools/call"));
        let mut exchange = server.next().await;
        exchange.start_events(&[]).await.unwrap();
        exchange.chunk("id: e1\nretry: 1\ndata:\n\n").await.unwrap();
        if let Some(foreign) = foreign {
            exchange.event(foreign).await.unwrap();
            // Delivered as it came: it resolves nothing, which is for the core to say.
            assert_eq!(call.message().await, foreign);
        }
        exchange.end().await;
        assert!(matches!(call.end().await, ExchangeEnd::Complete));
    }
    let call = near.start(modern(1, "tools/call"));
    let mut exchange = server.next().await;
    exchange.start_events(&[]).await.unwrap();
    exchange.event(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#).await.unwrap();
    exchange.reset();
    let error = failed(call.end().await);
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::MaybeSent));
    still_works(&near, &mut server).await;
    assert!(server.try_next().is_none(), "no GET, no repetition");
}

/// A server that leaves a stream open after its reply holds nobody up.
#[tokio::test]
async fn a_stream_that_goes_on_after_its_reply_is_left() {
    let (near, mut server) = pair().await;
    let mut call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    exchange.start_events(&[]).await.unwrap();
    exchange.event(REPLY).await.unwrap();
    assert_eq!(call.message().await, REPLY);
    assert!(matches!(call.end().await, ExchangeEnd::Complete));
    exchange.gone().await;
}

/// A request that was lost before anything came of it may have run, and is not repeated.
#[tokio::test]
async fn a_lost_connection_is_not_a_refusal() {
    let (near, mut server) = pair().await;
    // On a fresh connection, and on one that was used before.
    for used in [false, true] {
        if used {
            still_works(&near, &mut server).await;
        }
        let call = near.start(modern(1, "tools/call"));
        drop(server.next().await);
        let error = call.error().await;
        assert_eq!(error.delivery(), Delivery::MaybeSent, "{error:?}");
        assert!(server.try_next().is_none());
    }
}

/// A batch is split; whether it is welcome is for the core to say.
#[tokio::test]
async fn a_batch_is_split() {
    let (near, mut server) = pair().await;
    let call = near.start(modern(1, "tools/list"));
    let batch = format!(r#"[{{"jsonrpc":"2.0","method":"notifications/message"}},{REPLY}]"#);
    server.next().await.json(batch).await;
    let (seen, end) = call.all().await;
    assert!(
        matches!(&seen[1], Seen::Entry(Inbound::Batch { messages, .. }) if messages.len() == 2),
        "{seen:?}"
    );
    assert!(matches!(end, ExchangeEnd::Complete));
}
