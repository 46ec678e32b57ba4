//! Progress of calls: in order, before the result, bounded.

use crate::common::{legacy, modern};
use mcp_client::Progress;

#[tokio::test(start_paused = true)]
async fn progress_comes_in_order_and_before_the_result() {
    let (client, mut peer) = modern().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        for step in 0..500 {
            call.progress(f64::from(step), Some(500.0));
        }
        call.reply(r#"{"resultType":"complete","content":[]}"#);
        // After the end: dropped.
        call.progress(9.0, None);
    };
    let reading = async {
        let mut call = client.call_tool("t").with_progress();
        let mut seen: Vec<Progress> = Vec::new();
        let progress = call.progress();
        while let Some(step) = progress.next().await {
            seen.push(step);
        }
        assert_eq!(seen.len(), 500);
        assert!(seen.iter().enumerate().all(|(at, step)| step.progress.to_string() == at.to_string()));
        assert_eq!((seen[0].total, seen[0].lost_before), (Some(500.0), 0));
        call.await.unwrap();
    };
    tokio::join!(server, reading);
}

/// DESIGN, full queues: 1,024 a call, then the oldest go and the loss is told. The reader is never held.
#[tokio::test(start_paused = true)]
async fn progress_that_nobody_takes_is_bounded_and_the_loss_is_told() {
    let (client, mut peer) = legacy().await;
    let mut call = client.call_tool("t").with_progress();
    let taken = tokio::sync::Notify::new();
    let server = async {
        let open = peer.expect("tools/call").await;
        open.progress(-1.0, None);
        taken.notified().await;
        let progress_token = open.progress_token().unwrap();
        peer.flood(
            100_000,
            "notifications/progress",
            &format!(r#"{{"progressToken":{progress_token},"progress":{{n}}}}"#),
        );
        open.reply(r#"{"content":[]}"#);
        peer.expect("ping").await.reply("{}");
    };
    let reading = async {
        let first = call.progress().next().await.unwrap();
        assert_eq!(first.progress.to_string(), "-1");
        taken.notify_one();
        // The reader is not held meanwhile.
        client.ping().await.unwrap();
        let progress = call.progress();
        let next = progress.next().await.unwrap();
        assert_eq!((next.lost_before, next.progress), (100_000 - 1024, f64::from(100_000 - 1024)));
        let mut rest = 0;
        while progress.next().await.is_some() {
            rest += 1;
        }
        assert_eq!(rest, 1023);
        call.await.unwrap();
    };
    tokio::join!(server, reading);
}
