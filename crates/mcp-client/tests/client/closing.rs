//! Ends: of the server, of the client, in order and by force. Nothing is left.

use std::future::IntoFuture;

use crate::common::{builder, connected, exited, in_time, legacy, modern, ms, secs, tasks_left};
use mcp_client::{ErrorKind, State, Versions};
use mcp_testkit::script::peer;
use mcp_transport::{Delivery, Single, TransportError, TransportErrorKind, contract::CloserState};
use mcp_types::Revision;
use serde_json::json;
use tokio::time::Instant;

/// Expectations: `close` stops new calls, lets calls in flight finish within a limit, then closes the transport.
#[tokio::test(start_paused = true)]
async fn close_lets_calls_in_flight_finish() {
    let (client, mut peer) = legacy().await;
    let mut states = client.watch_state();
    let call = tokio::spawn(client.call_tool("t").into_future());
    let open = peer.expect("tools/call").await;
    let closing = tokio::spawn({
        let client = client.clone();
        async move { client.close().await }
    });
    assert!(states.wait_for(State::Closing).await);
    let error = client.call_tool("late").await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, false));
    open.reply(r#"{"content":[]}"#);
    call.await.unwrap().unwrap();
    peer.expect_end().await;
    closing.await.unwrap();
    assert_eq!(client.state(), State::Closed);
    assert_eq!(client.ping().await.unwrap_err().kind(), ErrorKind::Closed);
}

#[tokio::test(start_paused = true)]
async fn close_cancels_what_does_not_finish_in_time() {
    let (client, mut peer) = connected(builder().close_timeout(secs(3)), Revision::V2025_11_25).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    peer.expect("tools/call").await;
    let begun = Instant::now();
    let (error, (), ()) = tokio::join!(call, client.close(), async {
        peer.expect_notification("notifications/cancelled").await;
        peer.expect_end().await;
    });
    let error = error.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, true));
    assert!((3..10).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

/// A second close, or a drop, with a shorter limit counts.
#[tokio::test(start_paused = true)]
async fn a_shorter_limit_overtakes() {
    let (client, mut peer) = connected(builder().close_timeout(secs(1000)), Revision::V2025_11_25).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    peer.expect("tools/call").await;
    let begun = Instant::now();
    let slow = tokio::spawn({
        let client = client.clone();
        async move { client.close().await }
    });
    tokio::time::sleep(ms(10)).await;
    client.close_within(ms(100)).await;
    slow.await.unwrap();
    assert!(call.await.unwrap().is_err());
    assert!(begun.elapsed() < secs(1000), "{:?}", begun.elapsed());
}

/// At the close limit a stuck send is dropped, then the sender; the closer ends the rest.
#[tokio::test(start_paused = true)]
async fn a_stuck_send_does_not_hold_the_close() {
    let (client, mut peer) = legacy().await;
    peer.stall();
    let call = tokio::spawn(client.call_tool("t").into_future());
    tokio::task::yield_now().await;
    let begun = Instant::now();
    client.close().await;
    assert!(call.await.unwrap().is_err());
    assert!(begun.elapsed() < secs(30), "{:?}", begun.elapsed());
    assert_eq!(peer.pipe().closer(), CloserState::Closed);
}

/// Field report S-07, above the process: both calls fail at once, with what the transport knows.
#[tokio::test(start_paused = true)]
async fn the_end_of_the_server_ends_every_call_at_once() {
    let (client, mut peer) = modern().await;
    let mut states = client.watch_state();
    let calls = [
        tokio::spawn(client.call_tool("a").into_future()),
        tokio::spawn(client.call_tool("b").into_future()),
    ];
    peer.expect("tools/call").await;
    peer.expect("tools/call").await;
    let begun = Instant::now();
    peer.fail(TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "the server exited"));
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::Exited, "{error}");
        assert!(error.may_have_executed() && !error.is_retryable());
    }
    assert_eq!(begun.elapsed(), ms(0));
    assert!(states.wait_for(State::Closed).await);
    let error = client.call_tool("c").await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::Exited);
    assert!(!error.may_have_executed() && error.is_retryable());
}

/// A write that fails waits for what the reading side knows, which is more.
#[tokio::test(start_paused = true)]
async fn a_failed_write_gives_the_better_reason() {
    for reader_knows in [true, false] {
        let (client, mut peer) = legacy().await;
        let broken = TransportError::new(TransportErrorKind::Io, Delivery::MaybeSent, "broken pipe");
        peer.pipe().fail_sends(broken);
        let call = tokio::spawn(client.call_tool("t").into_future());
        tokio::time::sleep(ms(10)).await;
        if reader_knows {
            peer.fail(TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "exit status 3"));
        }
        let error = call.await.unwrap().unwrap_err();
        let expected = if reader_knows { TransportErrorKind::Exited } else { TransportErrorKind::Io };
        assert_eq!(error.transport().unwrap().kind(), expected);
    }
}

/// After a client is dropped, in whatever state, no task is left.
#[tokio::test(start_paused = true)]
async fn a_dropped_client_leaves_no_task() {
    let before = tasks_left().await;
    for state in 0..5 {
        let (client, mut peer) = legacy().await;
        match state {
            0 => {}
            1 => {
                let call = tokio::spawn(client.call_tool("t").into_future());
                peer.expect("tools/call").await;
                call.abort();
            }
            2 => peer.stall(),
            3 => peer.cut(),
            _ => {
                let mut call = client.call_tool("t").with_progress();
                let (progress, ()) = tokio::join!(call.progress().next(), async {
                    peer.expect("tools/call").await.progress(1.0, None);
                });
                assert!(progress.is_some());
            }
        }
        let mut states = client.watch_state();
        drop(client);
        assert!(states.wait_for(State::Closed).await);
        drop(peer);
        assert_eq!(tasks_left().await, before, "state {state}");
    }
}

/// A handler that never ends does not outlive the client.
#[tokio::test(start_paused = true)]
async fn a_stuck_handler_does_not_outlive_the_client() {
    let before = tasks_left().await;
    let listening = builder().on_any_notification(|_, _| std::future::pending());
    let (client, peer) = connected(listening, Revision::V2025_11_25).await;
    peer.notify("x/y", "{}");
    tokio::time::sleep(secs(1)).await;
    let mut states = client.watch_state();
    drop(client);
    assert!(states.wait_for(State::Closed).await);
    drop(peer);
    assert_eq!(tasks_left().await, before);
}

/// A link whose far end never closes its direction does not hold the close.
#[tokio::test(start_paused = true)]
async fn a_peer_that_never_ends_does_not_hold_the_close() {
    let (link, mut peer) = peer();
    let connecting = builder().connect(Single::new(link));
    let (client, _) = tokio::join!(connecting, peer.accept_modern("{}"));
    let begun = Instant::now();
    client.unwrap().close().await;
    assert!(begun.elapsed() < secs(60), "{:?}", begun.elapsed());
}

/// States only go on: also after a second close, and after a drop.
#[tokio::test(start_paused = true)]
async fn a_closed_client_stays_closed() {
    let (client, _peer) = legacy().await;
    let states = client.watch_state();
    for _ in 0..2 {
        client.close().await;
        assert_eq!(client.state(), State::Closed);
    }
    drop(client);
    tokio::time::sleep(secs(1)).await;
    assert_eq!(states.get(), State::Closed);
}

/// Waiting for a state that is past says so.
#[tokio::test(start_paused = true)]
async fn a_state_that_never_comes_is_not_waited_for() {
    let (client, _peer) = legacy().await;
    client.close().await;
    let mut states = client.watch_state();
    for past in [State::Disconnected, State::Connecting, State::Ready, State::Closing] {
        assert!(!in_time(states.wait_for(past)).await, "{past:?}");
    }
    assert!(in_time(states.wait_for(State::Closed)).await);
}

/// Closed means that nothing is left, not that it was asked for.
#[tokio::test(start_paused = true)]
async fn a_failed_connect_is_closed_once_its_link_is() {
    let (link, mut peer) = peer();
    let connecting = builder().versions(Versions::exactly(Revision::V2025_11_25));
    let mut states = connecting.watch_state();
    let refusing = async { peer.expect("initialize").await.reply_error(-1, "no") };
    let (client, ()) = tokio::join!(connecting.connect(Single::new(link)), refusing);
    assert_eq!(client.unwrap_err().rpc().unwrap().code.0, -1);
    assert!(in_time(states.wait_for(State::Closed)).await);
    assert_eq!(peer.pipe().closer(), CloserState::Closed);
}

/// The last call ends by being dropped, which brings no reply: the close notices all the same.
#[tokio::test(start_paused = true)]
async fn close_ends_once_the_last_call_is_dropped() {
    let (client, mut peer) = connected(builder().close_timeout(secs(1000)), Revision::V2025_11_25).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    peer.expect("tools/call").await;
    let begun = Instant::now();
    let closing = tokio::spawn(async move { client.close().await });
    tokio::time::sleep(ms(10)).await;
    call.abort();
    peer.expect_notification("notifications/cancelled").await;
    peer.expect_end().await;
    assert!(begun.elapsed() < secs(10), "our direction ends only after {:?}", begun.elapsed());
    drop(peer);
    closing.await.unwrap();
    assert!(begun.elapsed() < secs(10), "{:?}", begun.elapsed());
}

/// Calls that wait for room to be sent end with the server, and with the client.
#[tokio::test(start_paused = true)]
async fn calls_that_wait_for_room_end_with_the_link() {
    for closed in [false, true] {
        let (client, mut peer) = connected(builder().max_queued_bytes(1000), Revision::V2025_11_25).await;
        peer.stall();
        let args = json!({"text": "x".repeat(900)});
        let call = || tokio::spawn(client.call_tool("t").args(&args).unwrap().into_future());
        let calls: Vec<_> = (0..4).map(|_| call()).collect();
        tokio::time::sleep(ms(10)).await;
        let begun = Instant::now();
        if closed {
            client.close_within(secs(0)).await;
        } else {
            peer.fail(exited());
        }
        let ended = begun.elapsed();
        let kind = if closed { ErrorKind::Closed } else { ErrorKind::Transport };
        for call in calls {
            let error = in_time(call).await.unwrap().unwrap_err();
            assert_eq!((error.kind(), begun.elapsed()), (kind, ended), "{error}");
        }
    }
}
