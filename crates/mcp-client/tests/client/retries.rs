//! What is tried again, and what never is. Field report C-02.

use std::{
    future::IntoFuture,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use mcp_client::{Client, ErrorKind, Retry};
use mcp_transport::{
    Delivery, HttpFailure, RawMessage, TransportError, TransportErrorKind, contract::FakeExchange,
    contract::FakeServer,
};
use mcp_types::{Notification, Revision, ToolListChangedNotification};
use tokio::time::Instant;

use crate::common::{builder, in_time, legacy, modern, ms, over_exchanges, secs};

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
const MODERN: Revision = Revision::V2026_07_28;

fn failure(status: u16, delivery: Delivery) -> TransportError {
    let mut http = HttpFailure::default();
    http.status = status;
    TransportError::new(TransportErrorKind::Http, delivery, "refused").with_http(http)
}

fn lost() -> TransportError {
    TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent, "reset")
}

/// A server that fails each request in the way of `fail`, and counts them.
fn failing(server: FakeServer, fail: impl Fn(&mut FakeExchange) + Send + Sync + 'static) -> Arc<AtomicU32> {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let fail = Arc::new(fail);
    server.serve(move |mut exchange| {
        counted.fetch_add(1, Ordering::Relaxed);
        let fail = Arc::clone(&fail);
        async move { fail(&mut exchange) }
    });
    count
}

#[tokio::test(start_paused = true)]
async fn what_may_have_been_executed_is_not_repeated() {
    type Fail = fn(&mut FakeExchange);
    let cases: [(&str, Fail); 4] = [
        ("the connection was lost", |exchange| exchange.fail(lost())),
        ("503", |exchange| exchange.fail(failure(503, Delivery::MaybeSent))),
        ("it failed inside", |exchange| exchange.reply_error(-32603, "oops")),
        ("no reply", FakeExchange::complete),
    ];
    for (name, fail) in cases {
        let (client, server) = over_exchanges(builder().retry(Retry::times(3)), MODERN).await;
        let count = failing(server, fail);
        let error = client.call_tool("pay").await.unwrap_err();
        assert!(error.may_have_executed() && !error.is_retryable(), "{name}: {error:?}");
        assert_eq!(count.load(Ordering::Relaxed), 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_repeated_only_where_it_may_pass() {
    for (status, tries) in [(401, 1), (404, 1), (400, 1), (429, 3)] {
        let (client, server) = over_exchanges(builder().retry(Retry::times(2)), MODERN).await;
        let count = failing(server, move |exchange| exchange.fail(failure(status, Delivery::Refused)));
        let error = client.call_tool("pay").await.unwrap_err();
        assert!(!error.may_have_executed(), "{status}");
        assert_eq!(count.load(Ordering::Relaxed), tries, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tools_own_failure_is_not_repeated() {
    let (client, server) = over_exchanges(builder().retry(Retry::times(3)), MODERN).await;
    let count = failing(server, |exchange| {
        exchange.reply(r#"{"resultType":"complete","content":[],"isError":true}"#);
    });
    assert!(client.call_tool("pay").idempotent().await.unwrap().is_error());
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

/// Fails the first `failures` calls of a tool that was listed with `annotations`.
async fn flaky(
    builder: mcp_client::ClientBuilder,
    annotations: &str,
    failures: u32,
) -> (Client, Arc<AtomicU32>) {
    let (client, mut server) = over_exchanges(builder, MODERN).await;
    let list = tokio::spawn(client.list_tools().all());
    server.expect("tools/list").await.reply(format!(
        r#"{{"resultType":"complete","tools":[{{"name":"t","inputSchema":{{"type":"object"}},"annotations":{annotations}}}]}}"#
    ));
    list.await.unwrap().unwrap();
    let left = AtomicU32::new(failures);
    let count = failing(server, move |exchange| {
        let fails = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if fails.is_ok() { exchange.fail(lost()) } else { exchange.reply(DONE) }
    });
    (client, count)
}

#[tokio::test(start_paused = true)]
async fn what_is_vouched_for_is_repeated() {
    let retry = Retry::times(2);
    let (client, count) = flaky(builder().retry(retry), "{}", 2).await;
    client.call_tool("t").idempotent().await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 3);

    let (client, count) = flaky(builder(), "{}", 3).await;
    let error = client.call_tool("t").idempotent().retry(retry).await.unwrap_err();
    assert_eq!((error.kind(), count.load(Ordering::Relaxed)), (ErrorKind::Transport, 3));
}

#[tokio::test(start_paused = true)]
async fn hints_are_believed_where_the_server_is_trusted() {
    let careful = Retry::times(1);
    for (annotations, retry, tries) in [
        (r#"{"readOnlyHint":true}"#, careful, 1),
        (r#"{"readOnlyHint":true}"#, careful.trust_hints(), 2),
        (r#"{"idempotentHint":true}"#, careful.trust_hints(), 2),
        (r#"{"idempotentHint":false}"#, careful.trust_hints(), 1),
        ("{}", careful.trust_hints(), 1),
    ] {
        let (client, count) = flaky(builder().retry(retry), annotations, 1).await;
        assert_eq!(client.call_tool("t").await.is_ok(), tries == 2, "{annotations} {retry:?}");
        assert_eq!(count.load(Ordering::Relaxed), tries, "{annotations} {retry:?}");
    }
}

/// What was listed before the tools changed is no ground to call one twice.
#[tokio::test(start_paused = true)]
async fn hints_are_believed_until_the_tools_change() {
    let page = r#"{"resultType":"complete","tools":[{"name":"t","inputSchema":{},"annotations":{"readOnlyHint":true}}]}"#;
    let retry = Retry::times(1).trust_hints();
    let (client, mut server) = over_exchanges(builder().retry(retry), MODERN).await;
    let mut changes = client.notifications::<ToolListChangedNotification>();
    for (relist, tries) in [(true, 2), (false, 1), (true, 2)] {
        if relist {
            let list = tokio::spawn(client.list_tools().all());
            server.expect("tools/list").await.reply(page);
            list.await.unwrap().unwrap();
        } else {
            server.send_beside(RawMessage::notification(ToolListChangedNotification::METHOD, None));
            changes.next().await.unwrap();
        }
        let call = tokio::spawn(client.call_tool("t").into_future());
        for _ in 0..tries {
            server.expect("tools/call").await.fail(lost());
        }
        assert_eq!(call.await.unwrap().unwrap_err().kind(), ErrorKind::Transport);
        assert!(server.try_next_exchange().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn waits_double_and_the_servers_wish_is_honoured() {
    let retry = Retry::times(3).backoff(secs(1), secs(2));
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let call = tokio::spawn(client.call_tool("t").retry(retry).into_future());
    let mut last = Instant::now();
    for (least, most, asks) in
        [(0, 1, None), (500, 1001, None), (1000, 2001, Some(secs(30))), (30_000, 30_001, None)]
    {
        let mut exchange = server.next_exchange().await;
        let waited = last.elapsed();
        assert!(waited >= ms(least) && waited <= ms(most), "{waited:?}");
        last = Instant::now();
        let mut http = HttpFailure::default();
        http.status = 429;
        http.retry_after = asks;
        let busy = TransportError::new(TransportErrorKind::Http, Delivery::Refused, "busy");
        exchange.fail(busy.with_http(http));
    }
    assert_eq!(call.await.unwrap().unwrap_err().http().unwrap().status, 429);
}

#[tokio::test(start_paused = true)]
async fn all_tries_stay_within_the_total_limit() {
    let retry = Retry::times(1000).backoff(secs(1), secs(1));
    let (client, server) = over_exchanges(builder().retry(retry), MODERN).await;
    let count = failing(server, |exchange| exchange.fail(failure(429, Delivery::Refused)));
    let begun = Instant::now();
    let error = client.call_tool("t").total(secs(10)).await.unwrap_err();
    assert_eq!(error.http().unwrap().status, 429);
    assert!(begun.elapsed() <= secs(10));
    assert!((10..=21).contains(&count.load(Ordering::Relaxed)), "{count:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_with_a_cancel_a_drop_or_a_close() {
    let retry = Retry::times(9).backoff(secs(100), secs(100));
    for end in ["cancel", "drop", "close"] {
        let (client, server) = over_exchanges(builder().retry(retry), MODERN).await;
        let count = failing(server, |exchange| exchange.fail(failure(429, Delivery::Refused)));
        let call = client.call_tool("t").with_progress();
        let cancel = call.cancel_handle();
        let call = tokio::spawn(call.into_future());
        while count.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(ms(1)).await;
        }
        tokio::time::sleep(ms(1)).await;
        let begun = Instant::now();
        match end {
            "cancel" => {
                cancel.cancel("enough");
                assert_eq!(in_time(call).await.unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
            }
            "drop" => call.abort(),
            _ => {
                in_time(client.close()).await;
                in_time(call).await.unwrap().unwrap_err();
            }
        }
        assert!(begun.elapsed() < secs(10), "{end}");
        assert_eq!(count.load(Ordering::Relaxed), 1, "{end}");
    }
}

/// A read that failed inside is tried again on a pipe too, with an id of its own.
#[tokio::test(start_paused = true)]
async fn a_read_that_failed_inside_is_tried_again() {
    let (client, mut peer) = legacy().await;
    let call = tokio::spawn(client.read_resource("file:///a").retry(Retry::times(1)).into_future());
    let first = peer.expect("resources/read").await;
    first.reply_error(-32603, "busy");
    let second = peer.expect("resources/read").await;
    assert_ne!(first.id(), second.id());
    second.reply(r#"{"contents":[]}"#);
    call.await.unwrap().unwrap();
}

/// A client keeps to one connection, so nothing is tried again on one that has ended.
#[tokio::test(start_paused = true)]
async fn nothing_is_tried_again_on_a_connection_that_ended() {
    let (client, mut peer) = modern().await;
    let begun = Instant::now();
    let call = tokio::spawn(client.call_tool("t").idempotent().retry(Retry::times(5)).into_future());
    peer.expect("tools/call").await;
    peer.cut();
    let error = in_time(call).await.unwrap().unwrap_err();
    assert!(error.may_have_executed(), "{error:?}");
    assert!(begun.elapsed() < secs(5), "{:?}", begun.elapsed());
}
