//! What the server sends unasked: requests, notifications, floods, nonsense.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use crate::common::{builder, connected, legacy, modern, secs};
use mcp_client::{Client, ClientBuilder, Diagnostic, Dropped, ErrorKind};
use mcp_testkit::script::Peer;
use mcp_types::jsonrpc::JsonRpcMessage;
use mcp_types::{
    Json, JsonRpcError, Notification, Request, ResourceUpdatedNotification, Revision,
    ToolListChangedNotification,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;

struct Ask;

#[derive(Debug, Serialize, Deserialize)]
struct AskParams {
    question: String,
}

impl Request for Ask {
    const METHOD: &'static str = "acme/ask";
    type Params = AskParams;
    type Result = Json;
}

struct Told;

impl Notification for Told {
    const METHOD: &'static str = "acme/told";
    type Params = AskParams;
}

async fn with(builder: ClientBuilder) -> (Client, Peer) {
    connected(builder, Revision::V2025_11_25).await
}

/// Collects diagnostics.
fn diagnosed(builder: ClientBuilder) -> (ClientBuilder, Arc<Mutex<Vec<Diagnostic>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let push = Arc::clone(&seen);
    (builder.on_diagnostic(move |diagnostic| push.lock().unwrap().push(diagnostic)), seen)
}

/// Field report P-01.
#[tokio::test(start_paused = true)]
async fn foreign_requests_and_notifications_end_nothing() {
    let (client, mut peer) = legacy().await;
    peer.notify("window/logMessage", "{}");
    peer.request(5, "foo/bar", "{}");
    let error = peer.expect_response(5).await.error();
    assert_eq!(error.code.0, -32601);
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
}

/// Field report T-08: the id goes back as it came, type and digits.
#[tokio::test(start_paused = true)]
async fn a_handler_answers_with_the_id_as_it_came() {
    let served = builder().on_request::<Ask, _>(|params, context| async move {
        assert_eq!(context.method, "acme/ask");
        match params.question.as_str() {
            "fail" => Err(JsonRpcError::new(mcp_types::ErrorCode(-7), "no")),
            "panic" => panic!("a handler that panics"),
            other => Ok(Json::encode(&json!({"answer": other})).unwrap()),
        }
    });
    let (_client, mut peer) = with(served).await;
    for id in [r#""abc""#, "-1", "9007199254740993", "0"] {
        peer.send_frame(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"acme/ask","params":{{"question":"q"}}}}"#
        ));
        let response = peer.expect_message().await;
        assert_eq!(
            String::from_utf8(response.to_vec()).unwrap(),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"answer":"q"}}}}"#)
        );
    }
    peer.request(1, "acme/ask", r#"{"question":"fail"}"#);
    assert_eq!(peer.expect_response(1).await.error().code.0, -7);
    peer.request(2, "acme/ask", r#"{"question":7}"#);
    assert_eq!(peer.expect_response(2).await.error().code.0, -32602);
    // A handler that panics answers too, and takes nothing down.
    peer.request(3, "acme/ask", r#"{"question":"panic"}"#);
    assert_eq!(peer.expect_response(3).await.error().code.0, -32603);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_the_server_cancels_is_dropped_unanswered() {
    let dropped = Arc::new(Notify::new());
    let told = Arc::clone(&dropped);
    let served = builder().on_request::<Ask, _>(move |_, _| {
        let guard = OnDrop(Arc::clone(&told));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let (_client, mut peer) = with(served).await;
    peer.request("q", "acme/ask", r#"{"question":"?"}"#);
    tokio::time::sleep(secs(1)).await;
    peer.notify("notifications/cancelled", r#"{"requestId":"q"}"#);
    dropped.notified().await;
    peer.expect_nothing(secs(1)).await;
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Field report P-06: a notification handler that calls back on the same client, while a call is in flight.
#[tokio::test(start_paused = true)]
async fn a_handler_that_calls_back_does_not_deadlock() {
    let listed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&listed);
    let listening = builder().on_notification::<ToolListChangedNotification, _>(move |_, context| {
        let count = Arc::clone(&count);
        async move {
            let tools = context.client().expect("a live client").list_tools().all().await.unwrap();
            count.fetch_add(tools.len() + 1, Ordering::SeqCst);
        }
    });
    let (client, mut peer) = with(listening).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    let open = peer.expect("tools/call").await;
    peer.notify("notifications/tools/list_changed", "{}");
    peer.expect("tools/list").await.reply(r#"{"tools":[]}"#);
    open.reply(r#"{"content":[]}"#);
    call.await.unwrap().unwrap();
    tokio::time::sleep(secs(1)).await;
    assert_eq!(listed.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn notifications_come_in_order_each_to_its_handler_the_rest_to_the_catch_all() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (typed, any) = (Arc::clone(&seen), Arc::clone(&seen));
    let listening = builder()
        .on_notification::<Told, _>(move |params, _| {
            typed.lock().unwrap().push(params.question);
            std::future::ready(())
        })
        .on_any_notification(move |note, _| {
            any.lock().unwrap().push(format!("{} {:?}", note.method, note.params));
            std::future::ready(())
        });
    let (listening, diagnostics) = diagnosed(listening);
    let (_client, peer) = with(listening).await;
    peer.notify("acme/told", r#"{"question":"1"}"#);
    peer.notify("window/logMessage", r#"{"a":1.50}"#);
    peer.notify("acme/told", r#"{"question":2}"#);
    peer.notify("acme/told", r#"{"question":"3"}"#);
    tokio::time::sleep(secs(1)).await;
    assert_eq!(*seen.lock().unwrap(), ["1", r#"window/logMessage Some({"a":1.50})"#, "3"]);
    assert!(
        matches!(&diagnostics.lock().unwrap()[..], [Diagnostic::UnreadableNotification { method, .. }] if method == "acme/told")
    );
}

/// Numbers of the issue: 100,000 notifications in a burst. The reader is not held, memory is bounded, the loss is told,
/// list-changed is coalesced (quirk 12).
#[tokio::test(start_paused = true)]
async fn a_burst_of_notifications_is_bounded_and_the_loss_is_told() {
    let gate = Arc::new(Notify::new());
    let handled = Arc::new(AtomicUsize::new(0));
    let refreshed = Arc::new(AtomicUsize::new(0));
    let (open, count, changes) = (Arc::clone(&gate), Arc::clone(&handled), Arc::clone(&refreshed));
    let listening = builder()
        .on_notification::<ResourceUpdatedNotification, _>(move |_, _| {
            let (open, count) = (Arc::clone(&open), Arc::clone(&count));
            async move {
                if count.fetch_add(1, Ordering::SeqCst) == 0 {
                    open.notified().await;
                }
            }
        })
        .on_notification::<ToolListChangedNotification, _>(move |_, _| {
            changes.fetch_add(1, Ordering::SeqCst);
            std::future::ready(())
        });
    let (listening, diagnostics) = diagnosed(listening);
    let (client, mut peer) = with(listening).await;
    peer.notify("notifications/resources/updated", r#"{"uri":"file:///first"}"#);
    peer.flood(5, "notifications/tools/list_changed", "{}");
    tokio::time::sleep(secs(1)).await;
    peer.flood(100_000, "notifications/resources/updated", r#"{"uri":"file:///{n}"}"#);
    // Answered although the handler stands still.
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
    gate.notify_one();
    tokio::time::sleep(secs(1)).await;
    let lost: u64 = diagnostics
        .lock()
        .unwrap()
        .iter()
        .map(|diagnostic| match diagnostic {
            Diagnostic::Lost { notifications, .. } => *notifications,
            other => panic!("{other:?}"),
        })
        .sum();
    let handled = handled.load(Ordering::SeqCst);
    assert!(handled <= 1 + 1024, "{handled}");
    assert_eq!(handled as u64 + lost, 100_001);
    assert_eq!(refreshed.load(Ordering::SeqCst), 1);
}

/// Field report S-04, above the framing; quirk 1.
#[tokio::test(start_paused = true)]
async fn nonsense_is_skipped_reported_and_not_answered() {
    let (listening, diagnostics) = diagnosed(builder());
    let (client, mut peer) = with(listening).await;
    for frame in
        ["Listening on stdio", "42", "{\"half\":", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}"]
    {
        peer.send_frame(frame);
    }
    peer.send_frame(&b"\xff\xfe{}"[..]);
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
    peer.expect_nothing(secs(1)).await;
    assert_eq!(diagnostics.lock().unwrap().len(), 5);
    assert!(
        diagnostics.lock().unwrap().iter().all(|diagnostic| matches!(diagnostic, Diagnostic::Skipped(_)))
    );
    // A flood of it is counted, not kept.
    for _ in 0..10_000 {
        peer.send_frame("noise");
    }
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
}

/// Invalid UTF-8 in a result is the failure of that call alone.
#[tokio::test(start_paused = true)]
async fn invalid_utf8_fails_one_call() {
    let (client, mut peer) = legacy().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        let mut frame =
            format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":""#, call.id())
                .into_bytes();
        frame.extend_from_slice(b"\xff\"}]}}");
        call.reply_frame(frame);
        peer.expect("ping").await.reply("{}");
    };
    let calls = async {
        let error = client.call_tool("t").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidResult);
        client.ping().await.unwrap();
    };
    tokio::join!(server, calls);
}

/// Quirk 10: an endless ping, from a server that does not read the answers.
#[tokio::test(start_paused = true)]
async fn an_endless_ping_does_not_fill_the_memory() {
    let (listening, diagnostics) = diagnosed(builder());
    let (client, mut peer) = with(listening).await;
    peer.stall();
    for id in 0..20_000 {
        peer.request(id, "ping", "{}");
    }
    tokio::time::sleep(secs(1)).await;
    let dropped =
        |diagnostic: &Diagnostic| matches!(diagnostic, Diagnostic::Dropped(Dropped::RequestFlood(_)));
    assert!(diagnostics.lock().unwrap().iter().any(dropped));
    client.close().await;
}

/// Modern clients must not write responses: a request of the server is reported, not answered.
#[tokio::test(start_paused = true)]
async fn a_modern_server_has_no_requests() {
    let (listening, diagnostics) = diagnosed(builder());
    let (_client, mut peer) = connected(listening, Revision::V2026_07_28).await;
    peer.request(1, "roots/list", "{}");
    peer.request(2, "ping", "{}");
    peer.expect_nothing(secs(1)).await;
    assert_eq!(diagnostics.lock().unwrap().len(), 2);
    let (client, mut peer) = modern().await;
    peer.request(1, "roots/list", "{}");
    let (pong, ()) = tokio::join!(client.ping(), async {
        peer.expect("server/discover").await.reply(r#"{"supportedVersions":[],"capabilities":{}}"#);
    });
    pong.unwrap();
}

/// A 2025-03-26 server may send batches; others may not.
#[tokio::test(start_paused = true)]
async fn batches_are_taken_from_2025_03_26_servers() {
    for (revision, welcome) in [(Revision::V2025_03_26, true), (Revision::V2025_11_25, false)] {
        let (client, mut peer) = connected(builder(), revision).await;
        let server = async {
            let (a, b) = (peer.expect("tools/call").await, peer.expect("tools/call").await);
            a.reply_frame(format!(
                r#"[{{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}},{{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}}]"#,
                b.id(),
                a.id()
            ));
        };
        let call = || client.call_tool("t").timeout(secs(5)).into_future();
        let ((), a, b) = tokio::join!(server, call(), call());
        assert_eq!((a.is_ok(), b.is_ok()), (welcome, welcome), "{revision}");
    }
}

/// A handler that panics takes nothing with it: those that follow come too.
#[tokio::test(start_paused = true)]
async fn notifications_go_on_after_a_handler_that_panics() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let panicking = builder().on_any_notification(move |_, _| {
        let first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move { assert!(!first, "a handler that panics") }
    });
    let (client, mut peer) = with(panicking).await;
    for _ in 0..10 {
        peer.notify("acme/told", "{}");
    }
    tokio::time::sleep(secs(1)).await;
    assert_eq!(seen.load(Ordering::SeqCst), 10);
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
}

/// Nobody waits for a notification to be sent, so a full queue is told.
#[tokio::test(start_paused = true)]
async fn notifications_to_a_server_that_does_not_read_are_bounded() {
    let (client, mut peer) = with(builder().max_queued_bytes(100_000)).await;
    peer.stall();
    let told = AskParams { question: "x".repeat(1000) };
    let mut queued = 0;
    let refused = loop {
        match client.notify::<Told>(&told) {
            Ok(()) => queued += 1000,
            Err(error) => break error,
        }
        assert!(queued < 300_000, "{queued} bytes are queued");
        tokio::task::yield_now().await;
    };
    assert_eq!((refused.kind(), refused.is_retryable()), (ErrorKind::QueueFull, true));
    assert!(queued > 50_000, "{queued}");
}

/// Many requests in one read are all answered: the writer has its turn before too many pile up.
#[tokio::test(start_paused = true)]
async fn requests_that_come_together_are_all_answered() {
    let (_client, mut peer) = legacy().await;
    for id in 0..2000 {
        peer.request(id, if id % 2 == 0 { "ping" } else { "acme/unknown" }, "{}");
    }
    let (mut pongs, mut refusals) = (0, 0);
    for _ in 0..2000 {
        let JsonRpcMessage::Response(response) = peer.expect_message().await else { panic!("no response") };
        match response.outcome {
            Ok(_) => pongs += 1,
            Err(error) => refusals += usize::from(error.windows(6).any(|code| code == b"-32601")),
        }
    }
    assert_eq!((pongs, refusals), (1000, 1000));
}

/// What waits for a slow handler is bounded in bytes too.
#[tokio::test(start_paused = true)]
async fn large_notifications_do_not_pile_up() {
    let stuck = builder().on_any_notification(|_, _| std::future::pending());
    let (client, mut peer) = with(stuck).await;
    let mut stream = client.notifications::<mcp_types::LoggingMessageNotification>();
    let text = "x".repeat(1 << 20);
    for _ in 0..40 {
        peer.notify("notifications/message", format!(r#"{{"level":"info","data":"{text}"}}"#));
    }
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
    let first = stream.next().await.unwrap();
    assert!(first.lost_before >= 24, "{}", first.lost_before);
}
