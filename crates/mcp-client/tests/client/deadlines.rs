//! Calls that end before their answer: deadlines, cancellation, limits.

use std::{future::IntoFuture, time::Duration};

use crate::common::{builder, connected, legacy, ms, secs};
use mcp_client::ErrorKind;
use mcp_types::{ClientCapabilities, Implementation, InitializeRequest, InitializeRequestParams, Revision};
use serde_json::json;
use tokio::time::Instant;

/// Field reports P-03 and P-04; quirk 16: a deadline on everything.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_ends_at_its_deadline_and_the_server_is_told_once() {
    for revision in [Revision::V2024_11_05, Revision::V2025_11_25, Revision::V2026_07_28] {
        let (client, mut peer) = connected(builder(), revision).await;
        let begun = Instant::now();
        let server = async {
            let call = peer.expect("tools/call").await;
            let id = call.id().to_string();
            peer.expect_notification("notifications/cancelled")
                .await
                .with_params(&format!(r#"{{"requestId":{id}}}"#));
            let reply = r#"{"resultType":"complete","content":[]}"#;
            call.reply(reply);
            call.reply(reply);
            call.reply_as("9999", reply);
            // Field report T-08: the id comes back as a string.
            let next = peer.expect("tools/call").await;
            let id = next.id().to_string();
            next.reply_as(&format!("\"{id}\""), reply);
            peer.expect_nothing(secs(600)).await;
        };
        let calls = async {
            let error = client.call_tool("t").timeout(ms(200)).await.unwrap_err();
            assert_eq!((error.kind(), begun.elapsed().as_millis() / 100), (ErrorKind::Timeout, 2));
            assert!(error.may_have_executed() && !error.is_retryable());
            client.call_tool("t").await.unwrap();
        };
        tokio::join!(server, calls);
    }
}

/// Default deadlines: 60 s for calls, 10 s for metadata, 10 min in total.
#[tokio::test(start_paused = true)]
async fn nothing_hangs_by_default() {
    let (client, _peer) = legacy().await;
    let begun = Instant::now();
    assert_eq!(client.call_tool("t").await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 60);
    assert_eq!(client.list_tools().all().await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 70);
    assert_eq!(client.ping().await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 80);
}

/// Field report P-04.
#[tokio::test(start_paused = true)]
async fn dropping_the_future_cancels_once() {
    let (client, mut peer) = legacy().await;
    for drop_before_it_left in [false, true] {
        let mut call = Box::pin(client.call_tool("t").into_future());
        let started = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending()));
        assert!(started.await);
        if drop_before_it_left {
            drop(call);
            // Taken back: the server hears nothing at all.
            peer.expect_nothing(secs(1)).await;
            continue;
        }
        let id = peer.expect("tools/call").await.id().to_string();
        drop(call);
        peer.expect_notification("notifications/cancelled")
            .await
            .with_params(&format!(r#"{{"requestId":{id}}}"#));
        peer.expect_nothing(secs(1)).await;
    }
}

/// Field report P-07.
#[tokio::test(start_paused = true)]
async fn progress_extends_the_idle_limit_without_a_callback_but_not_the_total() {
    let (client, mut peer) = legacy().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        for step in 1..=5 {
            tokio::time::sleep(ms(200)).await;
            call.progress(f64::from(step), None);
        }
        tokio::time::sleep(ms(200)).await;
        call.reply(r#"{"content":[]}"#);

        let endless = peer.expect("tools/call").await;
        for step in 1..100 {
            tokio::time::sleep(ms(200)).await;
            endless.progress(f64::from(step), None);
        }
    };
    let calls = async {
        client.call_tool("t").timeout(ms(300)).extend_on_progress().await.unwrap();
        let begun = Instant::now();
        let endless = client.call_tool("t").timeout(ms(300)).total(secs(5)).extend_on_progress().await;
        assert_eq!((endless.unwrap_err().kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 5));
    };
    tokio::join!(server, calls);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_handle_ends_the_call_and_tells_the_server_why() {
    let (client, mut peer) = legacy().await;
    let call = client.call_tool("t").with_progress();
    let handle = call.cancel_handle();
    let server = async {
        peer.expect("tools/call").await;
        handle.cancel("user pressed escape");
        handle.cancel("again");
        let note = peer.expect_notification("notifications/cancelled").await;
        assert_eq!(note.params_value()["reason"], "user pressed escape");
        peer.expect_nothing(secs(1)).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), server);
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(error.to_string(), "tools/call: cancelled: user pressed escape");

    let call = client.call_tool("t").with_progress();
    call.cancel_handle().cancel("before it began");
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Cancelled);
    peer.expect_nothing(secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn calls_run_in_parallel_up_to_the_limit_and_waiting_counts() {
    let (client, mut peer) = connected(builder().max_calls(2), Revision::V2025_11_25).await;
    let calls: Vec<_> =
        (0..3).map(|_| tokio::spawn(client.call_tool("t").timeout(secs(5)).into_future())).collect();
    let (first, second) = (peer.expect("tools/call").await, peer.expect("tools/call").await);
    peer.expect_nothing(secs(1)).await;
    second.reply(r#"{"content":[]}"#);
    let third = peer.expect("tools/call").await;
    first.reply(r#"{"content":[]}"#);
    third.reply(r#"{"content":[]}"#);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let _held = (
        tokio::spawn(client.call_tool("t").into_future()),
        tokio::spawn(client.call_tool("t").into_future()),
    );
    tokio::task::yield_now().await;
    let error = client.call_tool("t").timeout(secs(5)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.may_have_executed(), error.is_retryable()),
        (ErrorKind::Timeout, false, true)
    );
}

/// A server that stops reading: what waits is bounded, calls end at their deadlines.
#[tokio::test(start_paused = true)]
async fn a_server_that_stops_reading_holds_no_caller_past_its_deadline() {
    let (client, mut peer) = connected(builder().max_queued_bytes(10_000), Revision::V2025_11_25).await;
    peer.stall();
    let args = json!({"text": "x".repeat(4000)});
    let calls: Vec<_> = (0..50)
        .map(|_| tokio::spawn(client.call_tool("t").args(&args).unwrap().timeout(secs(3)).into_future()))
        .collect();
    let begun = Instant::now();
    let mut never_sent = 0;
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        never_sent += usize::from(!error.may_have_executed());
    }
    assert!(begun.elapsed() <= Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(never_sent >= 40, "{never_sent}");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_handle_ends_a_call_that_waits_for_its_place() {
    let (client, mut peer) = connected(builder().max_calls(1), Revision::V2025_11_25).await;
    let _held = tokio::spawn(client.call_tool("a").into_future());
    peer.expect("tools/call").await;
    let call = client.call_tool("b").timeout(secs(30)).with_progress();
    let handle = call.cancel_handle();
    let waiting = tokio::spawn(call.into_future());
    tokio::time::sleep(ms(10)).await;
    let begun = Instant::now();
    handle.cancel("enough");
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Cancelled, ms(0)));
    assert!(!error.may_have_executed());
    peer.expect_nothing(secs(1)).await;
}

/// The total limit is from the start of the wait, not from its end.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_counts_in_the_total() {
    let (client, mut peer) = connected(builder().max_calls(1), Revision::V2025_11_25).await;
    let _held = tokio::spawn(client.call_tool("a").into_future());
    let first = peer.expect("tools/call").await;
    let begun = Instant::now();
    let second = tokio::spawn(client.call_tool("b").total(secs(10)).into_future());
    tokio::time::sleep(secs(9)).await;
    first.reply(r#"{"content":[]}"#);
    let _open = peer.expect("tools/call").await;
    let error = second.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 10), "{error}");
}

/// The specification of `notifications/cancelled`: `initialize` must not be cancelled, whoever sends it.
#[tokio::test(start_paused = true)]
async fn initialize_is_never_cancelled() {
    let (client, mut peer) = legacy().await;
    let info = Implementation::new("a", "1");
    let params = InitializeRequestParams::new(Revision::V2025_11_25, ClientCapabilities::new(), info);
    let call = client.request::<InitializeRequest>(params).timeout(secs(1));
    let server = async {
        peer.expect("initialize").await;
        peer.expect_nothing(secs(10)).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), server);
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Timeout);
}
