//! Calls that take their time: progress, deadlines, and the ways to give a call up.
//!
//! The server is the demo server, in the same process.
//!
//! ```sh
//! cargo run --example progress_and_cancel
//! ```

use std::{error::Error, future::IntoFuture, time::Duration};

use mcp_client::{Client, ErrorKind};
use mcp_testkit::demo;
use mcp_types::ContentBlock;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = demo::in_process();
    let client = Client::builder("progress", "1.0.0").connect(server).await?;

    // Progress is a stream, the call itself a future: take the one to its end, then await the other.
    let mut call =
        client.call_tool("slow").args(&json!({ "steps": 3, "milliseconds": 100 }))?.with_progress();
    while let Some(progress) = call.progress().next().await {
        println!("{} of {:?}: {:?}", progress.progress, progress.total, progress.message);
    }
    println!("result: {:?}", call.await?.content.first().and_then(ContentBlock::as_text));

    let long = json!({ "steps": 100, "milliseconds": 100 });

    // A handle cancels from anywhere. The server hears of it, and the call ends with an error of its own kind.
    let mut call = client.call_tool("slow").args(&long)?.with_progress();
    let cancel = call.cancel_handle();
    while let Some(progress) = call.progress().next().await {
        if progress.progress >= 2.0 {
            cancel.cancel("seen enough");
        }
    }
    let error = call.await.expect_err("it was cancelled");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    println!("cancelled: {error}");

    // Dropping a call cancels it too, as any `select!` or timeout around it does.
    let call = client.call_tool("slow").args(&long)?;
    let outcome = tokio::time::timeout(Duration::from_millis(150), call.into_future()).await;
    println!("dropped: {}", outcome.is_err());

    // `timeout` is the longest time without a sign of life, and progress can be one; `total` is the whole.
    let error = client.call_tool("slow").args(&long)?.timeout(Duration::from_millis(150)).await;
    println!("no sign of life: {}", error.expect_err("it takes ten seconds"));
    let call = client.call_tool("slow").args(&long)?.timeout(Duration::from_millis(150));
    let error = call.extend_on_progress().total(Duration::from_millis(350)).await;
    println!("with progress: {}", error.expect_err("it takes ten seconds"));

    client.close().await;
    Ok(())
}
