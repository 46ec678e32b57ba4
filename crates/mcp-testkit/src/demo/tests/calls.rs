use std::time::Duration;

use tokio::time::Instant;

use super::*;

#[tokio::test]
async fn echo_says_it_back_structured_if_asked() {
    let mut peer = Peer::modern();
    let plain = peer.tool("echo", json!({ "message": "é\n" })).await;
    assert_eq!((text(&plain), &plain.structured_content), ("é\n", &None));
    let structured = peer.tool("echo", json!({ "message": "x", "structured": true })).await;
    assert_eq!(structured.structured_content.unwrap().as_str(), r#"{"message":"x"}"#);
}

#[tokio::test]
async fn add_is_exact_for_integers() {
    let mut peer = Peer::modern();
    for (a, b, sum) in [
        (json!(2), json!(3), "5"),
        (json!(i64::MAX - 1), json!(1), "9223372036854775807"),
        (json!(0.5), json!(1), "1.5"),
    ] {
        let result = peer.tool("add", json!({ "a": a, "b": b })).await;
        assert_eq!(result.structured_content.unwrap().as_str(), format!(r#"{{"sum":{sum}}}"#));
    }
}

#[tokio::test]
async fn wrong_arguments_are_a_result_that_says_what_is_wrong() {
    let mut peer = Peer::modern();
    for (tool, arguments, says) in [
        ("add", json!({ "a": 1 }), "missing field `b`"),
        ("add", json!({ "a": 1, "b": "2" }), "number"),
        ("add", json!({ "a": 1e308, "b": 1e308 }), "too large"),
        ("echo", json!({ "message": "x", "mesage": "y" }), "unknown field `mesage`"),
        ("slow", json!({ "steps": 1001 }), "At most"),
        ("slow", json!([1, 0]), "not an object"),
    ] {
        let result = peer.tool(tool, arguments).await;
        assert!(result.is_error() && text(&result).contains(says), "{}", text(&result));
    }
}

#[tokio::test]
async fn failures_come_as_results_and_as_errors() {
    let mut peer = Peer::modern();
    let failed = peer.tool("fail", json!({ "message": "no" })).await;
    assert!(failed.is_error() && text(&failed) == "no");
    let call = json!({ "name": "fail_protocol", "arguments": { "code": 17, "message": "no" } });
    let error = peer.error("tools/call", call).await;
    assert_eq!((error.code, error.message.as_str()), (ErrorCode(17), "no"));
    let error = peer.error("tools/call", json!({ "name": "ad" })).await;
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(error.message.contains("ad"));
    assert_eq!(peer.error("tools/call", json!({})).await.code, ErrorCode::INVALID_PARAMS);
}

#[tokio::test(start_paused = true)]
async fn progress_comes_in_order_before_the_result_and_only_when_asked_for() {
    for (revision, mut peer) in Peer::all().await {
        let slow = json!({ "name": "slow", "arguments": { "steps": 3, "milliseconds": 50 } });
        let id = peer.request("tools/call", slow.clone()).await;
        assert!(peer.reply(id).await.is_ok());

        peer.meta["progressToken"] = json!("token");
        let id = peer.request("tools/call", slow).await;
        for step in 1..=3 {
            let (method, params) = notification(peer.next().await);
            assert_eq!(method, "notifications/progress");
            assert_eq!(params["progressToken"], "token");
            assert_eq!((&params["progress"], &params["total"]), (&json!(step), &json!(3)));
            assert_eq!(params.get("message").is_some(), revision >= Revision::V2025_03_26);
        }
        assert!(peer.reply(id).await.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_stops_at_once_and_is_never_answered() {
    for (_, mut peer) in Peer::all().await {
        peer.meta["progressToken"] = json!(7);
        let slow = json!({ "name": "slow", "arguments": { "steps": 100, "milliseconds": 100 } });
        let id = peer.request("tools/call", slow).await;
        notification(peer.next().await);
        peer.cancel(id).await;
        peer.result("tools/list", json!({})).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(peer.end().await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side() {
    let mut peer = Peer::modern();
    let start = Instant::now();
    let slow = json!({ "name": "slow", "arguments": { "steps": 1, "milliseconds": 1000 } });
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(peer.request("tools/call", slow.clone()).await);
    }
    assert_eq!(text(&peer.tool("echo", json!({ "message": "quick" })).await), "quick");
    assert_eq!(start.elapsed(), Duration::ZERO);
    for id in open {
        assert!(peer.reply(id).await.is_ok());
    }
    assert_eq!(start.elapsed(), Duration::from_secs(1));
}

/// The core works on 128 requests at most.
#[tokio::test(start_paused = true)]
async fn more_calls_than_can_be_open_are_refused() {
    let mut peer = Peer::modern();
    let slow = json!({ "name": "slow", "arguments": { "steps": 1, "milliseconds": 1000 } });
    for _ in 0..128 {
        peer.request("tools/call", slow.clone()).await;
    }
    assert_eq!(peer.error("tools/call", slow).await.code, ErrorCode::INTERNAL_ERROR);
}

#[tokio::test]
async fn a_flood_of_quick_requests_is_answered_to_the_last() {
    const COUNT: u16 = 10_000;
    let Peer { mut sender, mut receiver, .. } = Peer::modern();
    let params = json!({ "name": "echo", "arguments": { "message": "x" }, "_meta": modern_meta(&json!({})) });
    let params = Bytes::from(params.to_string());
    let requests = tokio::spawn(async move {
        let requests = (0..COUNT)
            .map(|id| RawMessage::request(i64::from(id), "tools/call", Some(params.clone())).into());
        let mut requests: VecDeque<Outbound> = requests.collect();
        sender.send(&mut requests).await.unwrap();
        sender
    });
    let mut replies = Vec::new();
    while replies.len() < usize::from(COUNT) {
        assert!(receiver.recv(&mut replies).await.unwrap());
    }
    for (id, reply) in (0..).zip(&replies) {
        let Inbound::Message { message: RawMessage::Response(reply), .. } = reply else {
            panic!("{reply:?}")
        };
        assert_eq!((reply.id.as_ref().unwrap().as_i64(), reply.outcome.is_ok()), (Some(id), true));
    }
    drop(requests.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_client_ends_the_server_at_once() {
    let mut peer = Peer::modern();
    let start = Instant::now();
    let slow = json!({ "name": "slow", "arguments": { "steps": 1000, "milliseconds": 60_000 } });
    peer.request("tools/call", slow).await;
    let quick = peer.request("tools/list", json!({})).await;
    let rest = peer.end().await;
    assert!(matches!(rest.as_slice(), [reply] if reply.id().unwrap().as_i64() == Some(quick)), "{rest:?}");
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_does_not_keep_the_server() {
    let (near, far) = memory::pair_with_capacity(1);
    let server = tokio::spawn(demo_end(far));
    let mut near = near.into_parts();
    let ping = |id: i64| Outbound::from(RawMessage::request(id, "ping", None));
    near.sender.send(&mut (0..3).map(ping).chain([Outbound::Close]).collect()).await.unwrap();
    assert!(server.await.unwrap() <= Duration::from_secs(2));
}

async fn demo_end(link: Link) -> Duration {
    let start = Instant::now();
    serve(link).await.unwrap();
    start.elapsed()
}

#[tokio::test]
async fn log_messages_come_at_the_level_that_was_asked_for() {
    let slow = json!({ "name": "slow", "arguments": { "steps": 0 } });
    let mut legacy = Peer::legacy(Revision::V2025_11_25).await;
    legacy.result("tools/call", slow.clone()).await;
    assert_eq!(
        legacy.error("logging/setLevel", json!({ "level": "loud" })).await.code,
        ErrorCode::INVALID_PARAMS
    );
    let mut modern = Peer::modern();
    modern.result("tools/call", slow.clone()).await;
    for (level, count) in [("debug", 2), ("info", 1), ("warning", 0)] {
        legacy.result("logging/setLevel", json!({ "level": level })).await;
        modern.meta["io.modelcontextprotocol/logLevel"] = json!(level);
        for peer in [&mut legacy, &mut modern] {
            let id = peer.request("tools/call", slow.clone()).await;
            for _ in 0..count {
                let (method, params) = notification(peer.next().await);
                assert_eq!(method, "notifications/message");
                serde_json::from_value::<mcp_types::LoggingMessageNotificationParams>(params).unwrap();
            }
            assert!(peer.reply(id).await.is_ok());
        }
    }
}

#[tokio::test]
async fn a_subscription_is_acknowledged_and_stays_open_until_it_is_cancelled() {
    let mut peer = Peer::modern();
    let id =
        peer.request("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })).await;
    let (method, params) = notification(peer.next().await);
    assert_eq!(method, "notifications/subscriptions/acknowledged");
    assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id));
    assert_eq!(params["notifications"], json!({}));
    peer.cancel(id).await;
    assert!(peer.end().await.is_empty());
}

const COUNTER: &str = "demo:///counter";

#[tokio::test]
async fn a_modern_client_hears_of_changes_that_it_listens_for() {
    let mut peer = Peer::modern();
    let filter =
        json!({ "resourceSubscriptions": [COUNTER, "demo:///readme.md"], "promptsListChanged": true });
    let id = peer.request("subscriptions/listen", json!({ "notifications": filter })).await;
    let (_, params) = notification(peer.next().await);
    assert_eq!(params["notifications"], json!({ "resourceSubscriptions": [COUNTER] }));
    for count in 1..3 {
        let bump = peer.request("tools/call", json!({ "name": "bump" })).await;
        let reply = peer.reply(bump).await.unwrap();
        assert_eq!(reply["content"][0]["text"], count.to_string());
        let (method, params) = notification(peer.next().await);
        assert_eq!((method.as_str(), &params["uri"]), ("notifications/resources/updated", &json!(COUNTER)));
        assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(id));
    }
    let contents = peer.result("resources/read", json!({ "uri": COUNTER })).await;
    assert_eq!(contents["contents"][0]["text"], "2");
}

#[tokio::test]
async fn a_legacy_session_hears_of_changes_while_it_is_subscribed() {
    let mut peer = Peer::legacy(Revision::V2025_06_18).await;
    let subscription = json!({ "uri": COUNTER });
    peer.tool("bump", json!({})).await;
    peer.result("resources/subscribe", subscription.clone()).await;
    peer.tool("bump", json!({})).await;
    let (method, params) = notification(peer.next().await);
    assert_eq!((method.as_str(), params), ("notifications/resources/updated", subscription.clone()));
    peer.result("resources/unsubscribe", subscription).await;
    peer.tool("bump", json!({})).await;
    let error = peer.error("resources/subscribe", json!({ "uri": "demo:///nowhere" })).await;
    assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND);
    assert!(peer.end().await.is_empty());
}
