//! Changes at the server: `subscriptions/listen`, and what it rests on at legacy servers; typed notifications.

use std::{
    future::{IntoFuture, poll_fn},
    pin::Pin,
};

use crate::common::{
    builder, connected, exited, in_time, legacy, modern, ms, over_exchanges, secs, tasks_left,
};
use futures_core::Stream;
use mcp_client::{Change, ErrorKind, Subscription};
use mcp_testkit::script::{Peer, Request};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use mcp_types::{LoggingMessageNotification, Revision, SubscriptionFilter, ToolListChangedNotification};
use serde_json::json;
use tokio::time::Instant;

fn filter() -> SubscriptionFilter {
    SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resource_subscriptions(["file:///a".to_owned(), "file:///b".to_owned()])
}

fn named(request: &Request, rest: &str) -> String {
    format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}{rest}}}"#, request.id())
}

async fn acknowledged(peer: &mut Peer, agreed: &str) -> Request {
    let request = peer.expect("subscriptions/listen").await;
    peer.notify(
        "notifications/subscriptions/acknowledged",
        named(&request, &format!(r#","notifications":{agreed}"#)),
    );
    request
}

async fn listening(client: &mcp_client::Client, peer: &mut Peer) -> (Subscription, Request) {
    let open = acknowledged(peer, r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}"#);
    let (subscription, request) = tokio::join!(client.listen(filter()).into_future(), open);
    (subscription.unwrap(), request)
}

#[tokio::test(start_paused = true)]
async fn changes_are_told_apart_by_their_subscription() {
    let (client, mut peer) = modern().await;
    let (mut first, one) = listening(&client, &mut peer).await;
    // Field report C-07: an acknowledgement smaller than asked is surfaced.
    assert!(!first.is_complete());
    assert_eq!(first.acknowledged().prompts_list_changed, None);
    assert_eq!(
        one.params_value()["notifications"],
        json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["file:///a", "file:///b"]
        })
    );
    let (mut second, two) = listening(&client, &mut peer).await;
    peer.notify("notifications/tools/list_changed", named(&two, ""));
    peer.notify("notifications/resources/updated", named(&one, r#","uri":"file:///a""#));
    peer.notify("acme/changed", named(&one, r#","x":1"#));
    assert_eq!(second.next().await.unwrap(), Some(Change::ToolsListChanged));
    assert!(
        matches!(first.next().await.unwrap(), Some(Change::ResourceUpdated(params)) if params.uri == "file:///a")
    );
    assert!(
        matches!(first.next().await.unwrap(), Some(Change::Other { method, .. }) if method == "acme/changed")
    );

    // No deadline holds for an acknowledged subscription, and it takes no place among the calls.
    tokio::time::sleep(secs(100_000)).await;
    peer.notify("notifications/tools/list_changed", named(&one, ""));
    assert_eq!(first.next().await.unwrap(), Some(Change::ToolsListChanged));

    // Dropped: the server is told.
    drop(first);
    peer.expect_notification("notifications/cancelled")
        .await
        .with_params(&format!(r#"{{"requestId":{}}}"#, one.id()));
    // Ended by the server: with a result, or with its `notifications/cancelled`.
    two.reply(format!(r#"{{"resultType":"complete",{}"#, &named(&two, "")[1..]));
    assert_eq!(second.next().await.unwrap(), None);
    let (mut third, three) = listening(&client, &mut peer).await;
    peer.notify("notifications/cancelled", format!(r#"{{"requestId":{}}}"#, three.id()));
    assert_eq!(third.next().await.unwrap(), None);
    peer.expect_nothing(secs(1)).await;
}

/// Field report C-07: an abrupt end is told apart from an orderly one.
#[tokio::test(start_paused = true)]
async fn an_abrupt_end_is_an_error() {
    let (client, mut peer) = modern().await;
    let (mut subscription, request) = listening(&client, &mut peer).await;
    peer.notify("notifications/tools/list_changed", named(&request, ""));
    peer.fail(TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "exited"));
    // What came before is not lost.
    assert_eq!(subscription.next().await.unwrap(), Some(Change::ToolsListChanged));
    let error = subscription.next().await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::Exited);

    let (client, mut peer) = modern().await;
    let (mut subscription, request) = listening(&client, &mut peer).await;
    request.reply_error(-32603, "restarting");
    assert_eq!(subscription.next().await.unwrap_err().rpc().unwrap().code.0, -32603);

    // Closing the client is an end in order.
    let (client, mut peer) = modern().await;
    let (mut subscription, _request) = listening(&client, &mut peer).await;
    let (end, ()) = tokio::join!(subscription.next(), client.close_within(secs(0)));
    assert_eq!(end.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_not_acknowledged_fails_in_time() {
    let (client, mut peer) = modern().await;
    let begun = Instant::now();
    let server = async {
        let request = peer.expect("subscriptions/listen").await;
        // Not its acknowledgement: another subscription's.
        peer.notify(
            "notifications/subscriptions/acknowledged",
            r#"{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":99}}"#,
        );
        peer.expect_notification("notifications/cancelled").await;
        request.reply(r#"{"resultType":"complete"}"#);
        peer.expect("subscriptions/listen").await.reply_error(-32601, "no");
        peer.expect("subscriptions/listen").await.reply(r#"{"resultType":"complete"}"#);
    };
    let opening = async {
        let error = client.listen(filter()).timeout(secs(7)).await.unwrap_err();
        assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 7));
        assert_eq!(client.listen(filter()).await.unwrap_err().rpc().unwrap().code.0, -32601);
        assert!(client.listen(filter()).await.unwrap_err().to_string().contains("without acknowledging"));
    };
    tokio::join!(server, opening);
}

/// On a legacy server the same call rests on `resources/subscribe` and list-changed notifications.
#[tokio::test(start_paused = true)]
async fn legacy_servers_are_listened_to_as_well() {
    let (client, mut peer) = legacy().await;
    let server = async {
        peer.expect("resources/subscribe").await.with_params(r#"{"uri":"file:///a"}"#).reply("{}");
        peer.expect("resources/subscribe")
            .await
            .with_params(r#"{"uri":"file:///b"}"#)
            .reply_error(-32002, "no such");
    };
    let (subscription, ()) = tokio::join!(client.listen(filter()).into_future(), server);
    let mut subscription = subscription.unwrap();
    assert_eq!(
        serde_json::to_value(subscription.acknowledged()).unwrap(),
        json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///a"]})
    );
    assert!(!subscription.is_complete());
    peer.notify("notifications/prompts/list_changed", "{}");
    peer.flood(5, "notifications/tools/list_changed", "{}");
    peer.notify("notifications/resources/updated", r#"{"uri":"file:///other"}"#);
    peer.notify("notifications/resources/updated", r#"{"uri":"file:///a/below"}"#);
    // Quirk 12: five in one write are one.
    assert_eq!(subscription.next().await.unwrap(), Some(Change::ToolsListChanged));
    assert!(
        matches!(subscription.next().await.unwrap(), Some(Change::ResourceUpdated(params)) if params.uri == "file:///a/below")
    );

    // A second subscription of the same resource does not ask again, and keeps it when the first is gone.
    let only = SubscriptionFilter::new().with_resource_subscriptions(["file:///a".to_owned()]);
    let mut second = client.listen(only).await.unwrap();
    assert!(second.is_complete());
    drop(subscription);
    peer.notify("notifications/resources/updated", r#"{"uri":"file:///a"}"#);
    assert!(second.next().await.unwrap().is_some());
    peer.expect_nothing(secs(1)).await;
    drop(second);
    peer.expect("resources/unsubscribe").await.with_params(r#"{"uri":"file:///a"}"#).reply("{}");

    let mut third = client.listen(SubscriptionFilter::new().with_tools_list_changed(true)).await.unwrap();
    peer.fail(TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "exited"));
    assert_eq!(third.next().await.unwrap_err().transport().unwrap().kind(), TransportErrorKind::Exited);
}

/// Over exchanges a subscription goes on when nobody polls, and its drop ends the exchange.
#[tokio::test(start_paused = true)]
async fn over_exchanges_a_subscription_is_an_exchange() {
    let before = tasks_left().await;
    let (client, mut server) = over_exchanges(builder(), Revision::V2026_07_28).await;
    let open = async {
        let mut exchange = server.expect("subscriptions/listen").await;
        let named = |rest: &str| {
            format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}{rest}}}"#, exchange.id())
        };
        let (agreed, changed) = (named(r#","notifications":{"toolsListChanged":true}"#), named(""));
        exchange.notify("notifications/subscriptions/acknowledged", agreed);
        exchange.notify("notifications/tools/list_changed", changed);
        exchange
    };
    let (subscription, mut exchange) = tokio::join!(client.listen(filter()).into_future(), open);
    let mut subscription = subscription.unwrap();
    exchange.taken().await;
    assert_eq!(subscription.next().await.unwrap(), Some(Change::ToolsListChanged));
    exchange.notify("notifications/resources/list_changed", "{}");
    exchange.taken().await;
    assert_eq!(subscription.next().await.unwrap(), Some(Change::ResourcesListChanged));
    drop(subscription);
    exchange.abandoned().await;
    client.close().await;
    drop((client, server, exchange));
    assert_eq!(tasks_left().await, before);
}

/// Typed streams of notifications, in order, bounded, beside the handlers.
#[tokio::test(start_paused = true)]
async fn notifications_come_as_typed_streams() {
    let (client, mut peer) = legacy().await;
    let mut logs = client.notifications::<LoggingMessageNotification>();
    let mut changes = client.notifications::<ToolListChangedNotification>();
    peer.notify("notifications/message", r#"{"level":"info","data":"first"}"#);
    assert_eq!(logs.next().await.unwrap().data.as_str(), "\"first\"");
    peer.notify("notifications/message", r#"{"level":7}"#);
    peer.flood(5000, "notifications/message", r#"{"level":"info","data":{n}}"#);
    peer.flood(3, "notifications/tools/list_changed", "{}");
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
    let next = logs.next().await.unwrap();
    assert_eq!((next.lost_before, next.data.as_str()), (5001 - 1024, "3976"));
    assert!(changes.next().await.is_some());
    drop(client);
    let mut rest = 0;
    while logs.next().await.is_some() {
        rest += 1;
    }
    assert_eq!(rest, 1023);
    assert!(changes.next().await.is_none());
}

/// The acknowledgement has a place of its own: changes that come with it cannot push it out.
#[tokio::test(start_paused = true)]
async fn the_acknowledgement_survives_a_burst() {
    let (client, mut peer) = modern().await;
    let server = async {
        let request = acknowledged(&mut peer, r#"{"resourceSubscriptions":["file:///a"]}"#).await;
        peer.flood(5000, "notifications/resources/updated", &named(&request, r#","uri":"file:///{n}""#));
    };
    let (subscription, ()) = tokio::join!(in_time(client.listen(filter()).timeout(secs(5))), server);
    let mut subscription = subscription.unwrap();
    assert_eq!(subscription.acknowledged().resource_subscriptions.as_ref().unwrap().len(), 1);
    tokio::time::sleep(secs(1)).await;
    assert!(
        matches!(subscription.next().await.unwrap(), Some(Change::ResourceUpdated(params)) if params.uri == "file:///3976")
    );
    assert_eq!(subscription.lost(), 5000 - 1024);
}

/// A subscription ends only when somebody ends it: a close does, and does not wait for it.
#[tokio::test(start_paused = true)]
async fn close_does_not_wait_for_a_subscription() {
    let (client, mut peer) = connected(builder().close_timeout(secs(100)), Revision::V2026_07_28).await;
    let (mut subscription, request) = listening(&client, &mut peer).await;
    let begun = Instant::now();
    let server = async {
        peer.expect_notification("notifications/cancelled")
            .await
            .with_params(&format!(r#"{{"requestId":{}}}"#, request.id()));
        peer.expect_end().await;
        assert!(begun.elapsed() < secs(1), "{:?}", begun.elapsed());
        drop(peer);
    };
    tokio::join!(client.close(), server);
    assert_eq!(subscription.next().await.unwrap(), None);
}

/// Over exchanges: the server's `notifications/cancelled` ends the subscription, and the exchange shortly after.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_the_server_cancelled_frees_its_exchange() {
    for dropped in [false, true] {
        let (client, mut server) = over_exchanges(builder(), Revision::V2026_07_28).await;
        let opening = tokio::spawn(client.listen(SubscriptionFilter::new()).into_future());
        let mut exchange = server.expect("subscriptions/listen").await;
        exchange.notify("notifications/subscriptions/acknowledged", r#"{"notifications":{}}"#);
        let mut subscription = opening.await.unwrap().unwrap();
        exchange.notify("notifications/cancelled", format!(r#"{{"requestId":{}}}"#, exchange.id()));
        assert_eq!(subscription.next().await.unwrap(), None);
        let kept = (!dropped).then_some(subscription);
        tokio::time::sleep(secs(100)).await;
        assert!(!exchange.is_open(), "dropped: {dropped}");
        drop(kept);
    }
}

/// What comes in the exchange of one request does not end the subscription of another.
#[tokio::test(start_paused = true)]
async fn another_exchange_does_not_end_a_subscription() {
    let (client, mut server) = over_exchanges(builder(), Revision::V2026_07_28).await;
    let opening = tokio::spawn(client.listen(SubscriptionFilter::new()).into_future());
    let mut own = server.expect("subscriptions/listen").await;
    own.notify("notifications/subscriptions/acknowledged", r#"{"notifications":{}}"#);
    let mut subscription = opening.await.unwrap().unwrap();
    let _call = tokio::spawn(client.call_tool("t").into_future());
    let mut other = server.expect("tools/call").await;
    other.notify("notifications/cancelled", format!(r#"{{"requestId":{}}}"#, own.id()));
    other.taken().await;
    own.notify("notifications/tools/list_changed", "{}");
    assert_eq!(subscription.next().await.unwrap(), Some(Change::ToolsListChanged));
}

fn of_a() -> SubscriptionFilter {
    SubscriptionFilter::new().with_resource_subscriptions(["file:///a".to_owned()])
}

/// Two subscriptions of one resource at once: the second does not rest on what the first was refused.
#[tokio::test(start_paused = true)]
async fn a_legacy_subscription_does_not_join_one_that_is_refused() {
    let (client, mut peer) = legacy().await;
    let first = tokio::spawn(client.listen(of_a()).into_future());
    let asked = peer.expect("resources/subscribe").await;
    let second = tokio::spawn(client.listen(of_a()).into_future());
    tokio::time::sleep(ms(10)).await;
    asked.reply_error(-32002, "no such resource");
    assert!(!first.await.unwrap().unwrap().is_complete());
    peer.expect("resources/subscribe").await.reply("{}");
    assert!(in_time(second).await.unwrap().unwrap().is_complete());
}

/// An update of a resource whose URI only begins alike is another's.
#[tokio::test(start_paused = true)]
async fn a_legacy_subscription_hears_nothing_of_siblings() {
    let (client, mut peer) = legacy().await;
    let subscribed = async { peer.expect("resources/subscribe").await.reply("{}") };
    let (subscription, ()) = tokio::join!(client.listen(of_a()).into_future(), subscribed);
    let mut subscription = subscription.unwrap();
    for uri in ["file:///abc", "file:///", "file:///b/a", "file:///a/b"] {
        peer.notify("notifications/resources/updated", format!(r#"{{"uri":"{uri}"}}"#));
    }
    assert!(
        matches!(subscription.next().await.unwrap(), Some(Change::ResourceUpdated(params)) if params.uri == "file:///a/b")
    );
}

/// As a stream, a subscription ends after its error, in both eras.
#[tokio::test(start_paused = true)]
async fn a_stream_of_changes_ends_after_its_error() {
    let (client, peer) = legacy().await;
    let lists = SubscriptionFilter::new().with_tools_list_changed(true);
    let of_legacy = client.listen(lists).await.unwrap();
    peer.fail(exited());
    let (client, mut peer) = modern().await;
    let (of_modern, _request) = listening(&client, &mut peer).await;
    peer.fail(exited());
    for mut subscription in [of_legacy, of_modern] {
        let mut items = Vec::new();
        while let Some(item) = poll_fn(|cx| Pin::new(&mut subscription).poll_next(cx)).await {
            items.push(item.map_err(|error| error.kind()));
            assert!(items.len() < 10, "it does not end: {items:?}");
        }
        assert_eq!(items, [Err(ErrorKind::Transport)]);
    }
}
