//! What stays open when a client is gone. A binary of its own: other tests would open descriptors meanwhile.
#![cfg(target_os = "linux")]

use std::{fs, future::IntoFuture, time::Duration};

use mcp_client::Client;
use mcp_transport_stdio::{Stderr, Stdio};

/// Answers the probe, and nothing after it.
const SILENT: &str = r#"
IFS= read -r line
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}\n' "$id"
while read -r line; do :; done
"#;

fn shell(script: &str) -> Stdio {
    Stdio::command("sh").args(["-c", script]).stderr(Stderr::Capture)
}

fn open() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn connected() -> Client {
    Client::builder("test", "1").connect(shell(SILENT)).await.unwrap()
}

/// One client in each state that it can be left in.
async fn leave_one_in_each_state() {
    connected().await.close().await;

    drop(connected().await);

    let client = connected().await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    tokio::time::sleep(Duration::from_millis(20)).await;
    call.abort();
    drop(client);

    let connecting = Client::builder("test", "1").connect(shell("while read -r line; do :; done"));
    assert!(tokio::time::timeout(Duration::from_millis(100), connecting).await.is_err());

    assert!(Client::builder("test", "1").connect(shell("exit 3")).await.is_err());
}

#[tokio::test]
async fn no_descriptor_is_left_of_a_client() {
    // The first child process opens what the runtime keeps for all of them.
    leave_one_in_each_state().await;
    let settled = until(|_| false).await;
    for _ in 0..5 {
        leave_one_in_each_state().await;
    }
    let left = until(|open| open <= settled).await;
    assert!(left <= settled, "{left} descriptors are open, {settled} were before");
}

/// How many descriptors are open once `done` holds, or after a while.
async fn until(done: impl Fn(usize) -> bool) -> usize {
    for _ in 0..120 {
        if done(open()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    open()
}
