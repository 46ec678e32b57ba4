//! A lost session is started anew: what of it the clock has a part in. The rest stands beside the HTTP transport.

use std::future::IntoFuture;

use mcp_client::{ErrorKind, State};
use mcp_transport::{Delivery, HttpFailure, Outbound, RawMessage, TransportError, TransportErrorKind};
use mcp_types::Revision;
use tokio::time::Instant;

use crate::common::{builder, ms, over_exchanges, secs, tasks_left};

const LEGACY: Revision = Revision::V2025_11_25;
const DONE: &str = r#"{"content":[]}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;

fn lost() -> TransportError {
    let mut failure = HttpFailure::default();
    failure.status = 404;
    TransportError::new(TransportErrorKind::SessionLost, Delivery::Refused, "lost").with_http(failure)
}

/// Quirk 4: a server that is slow to come back is waited for, within the connect limit; its stream may stay open after the
/// answer, but not for ever.
#[tokio::test(start_paused = true)]
async fn a_slow_handshake_is_waited_for_and_leaves_nothing() {
    let (client, mut server) = over_exchanges(builder(), LEGACY).await;
    let before = tasks_left().await;
    let call = tokio::spawn(client.call_tool("t").timeout(secs(50)).into_future());
    server.expect("tools/call").await.fail(lost());
    let mut handshake = server.expect("initialize").await;
    tokio::time::sleep(secs(30)).await;
    assert_eq!(client.state(), State::Reconnecting);
    handshake.send(RawMessage::result(handshake.id().clone(), INITIALIZED.into()));
    let Some(Outbound::Message(told)) = server.next_beside().await else { panic!() };
    assert_eq!(told.message.method(), Some("notifications/initialized"));
    server.expect("tools/call").await.reply(DONE);
    call.await.unwrap().unwrap();
    assert_eq!(client.state(), State::Ready);
    let begun = Instant::now();
    handshake.abandoned().await;
    assert!(begun.elapsed() <= secs(10), "{:?}", begun.elapsed());
    assert_eq!(tasks_left().await, before);
}

/// A server that does not come back: calls end by their own deadlines, or when the handshake has taken as long as
/// connecting may; then the next call tries again.
#[tokio::test(start_paused = true)]
async fn the_handshake_is_bounded_by_the_connect_limit() {
    let (client, mut server) = over_exchanges(builder().connect_timeout(secs(20)), LEGACY).await;
    let begun = Instant::now();
    let call = |limit| tokio::spawn(client.call_tool("t").timeout(limit).into_future());
    let (short, long) = (call(secs(5)), call(secs(60)));
    server.expect("tools/call").await.fail(lost());
    server.expect("tools/call").await.fail(lost());
    let handshake = server.expect("initialize").await;
    let error = short.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Timeout, secs(5)));
    assert!(!error.may_have_executed());
    let error = long.await.unwrap().unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::SessionLost);
    assert_eq!(begun.elapsed(), secs(20));
    assert!(!error.may_have_executed() && error.is_retryable());
    handshake.abandoned().await;
    let again = call(secs(5));
    server.expect("initialize").await.reply(INITIALIZED);
    server.expect("tools/call").await.reply(DONE);
    again.await.unwrap().unwrap();
}

/// A call that is dropped while it waits is never sent; nobody is told of it.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_while_it_waits_is_not_sent() {
    let (client, mut server) = over_exchanges(builder(), LEGACY).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    server.expect("tools/call").await.fail(lost());
    let mut handshake = server.expect("initialize").await;
    call.abort();
    tokio::time::sleep(ms(10)).await;
    handshake.reply(INITIALIZED);
    let Some(Outbound::Message(told)) = server.next_beside().await else { panic!() };
    assert_eq!(told.message.method(), Some("notifications/initialized"));
    tokio::time::sleep(secs(1)).await;
    assert!(server.try_next_exchange().is_none() && server.beside.try_next().is_none());
}
