//! Against real processes: what only a process can do to a client.
#![cfg(unix)]

use std::{
    future::IntoFuture,
    path::Path,
    time::{Duration, Instant},
};

use crate::common::builder;
use mcp_client::{ErrorKind, State, Versions};
use mcp_transport::TransportErrorKind;
use mcp_transport_stdio::{Stderr, Stdio};
use mcp_types::Revision;
use serde_json::json;

/// A server in shell: `answer ID RESULT` writes a reply, `id` is that of the last line read.
const PRELUDE: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
next() { IFS= read -r line || exit 0; id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'); }
modern() { next; answer "$id" '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}'; }
"#;

fn shell(script: &str) -> Stdio {
    Stdio::command("sh").arg("-c").arg(format!("{PRELUDE}{script}")).stderr(Stderr::Capture)
}

fn soon() -> Duration {
    Duration::from_secs(10)
}

async fn is_gone(pid: &str) -> bool {
    let stat = format!("/proc/{}/stat", pid.trim());
    for _ in 0..200 {
        // A zombie that its parent has not read yet runs no more.
        let state = std::fs::read_to_string(&stat).unwrap_or_default();
        if !Path::new(&stat).exists() || state.contains(") Z ") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    false
}

/// Field report S-07: what died says why, at once.
#[tokio::test]
async fn a_server_that_dies_at_the_start_says_why() {
    let begun = Instant::now();
    let error = builder().connect(shell("echo boom >&2; exit 3")).await.unwrap_err();
    let process = error.process().expect("how it ended");
    assert_eq!((process.code, process.stderr_tail.trim()), (Some(3), "boom"));
    assert!(
        error.to_string().contains("exited with status 3") && error.to_string().contains("boom"),
        "{error}"
    );
    assert!(begun.elapsed() < soon());
}

/// Field report S-07: two calls that are pending fail at once.
#[tokio::test]
async fn a_server_that_dies_in_mid_call_fails_every_call_at_once() {
    let client = builder().connect(shell("modern; next; next; echo crashed >&2; exit 3")).await.unwrap();
    let begun = Instant::now();
    let (a, b) = tokio::join!(client.call_tool("a").into_future(), client.call_tool("b").into_future());
    for error in [a.unwrap_err(), b.unwrap_err()] {
        assert_eq!(error.process().unwrap().code, Some(3));
        assert!(error.to_string().contains("crashed"), "{error}");
        assert!(error.may_have_executed() && !error.is_retryable());
    }
    assert!(begun.elapsed() < soon());
    assert!(client.watch_state().wait_for(State::Closed).await);
}

/// Expectations: a command that does not exist is an error of its own.
#[tokio::test]
async fn a_command_that_does_not_exist_is_told_apart() {
    let error = builder().connect(Stdio::command("no-such-server-anywhere")).await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::NotFound);
    assert!(error.to_string().contains("no-such-server-anywhere"), "{error}");
    assert!(!error.is_retryable() && !error.may_have_executed());
}

/// Quirk 2: a server that is poisoned by the probe, and dies at its next line.
#[tokio::test]
async fn a_poisoned_server_is_started_afresh() {
    let script = r#"
        next
        case $line in
            *server/discover*) next; exit 1 ;;
            *) answer "$id" '{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
        esac
        while :; do next; [ -n "$id" ] && answer "$id" '{"content":[]}'; done
    "#;
    let client = builder().probe_timeout(Duration::from_millis(300)).connect(shell(script)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_03_26);
    client.call_tool("t").await.unwrap();
    client.close().await;
}

/// Field report S-03 and quirks 1 and 22: a flood on standard error, noise on standard output, a line in pieces.
#[tokio::test]
async fn noise_beside_the_protocol_does_no_harm() {
    let script = r#"
        echo "Server ready"; echo; echo 42; echo '{"half":'
        modern
        next
        head -c 262144 /dev/zero | tr '\0' 'e' >&2
        printf 'calling\n{"jsonrpc":"2.0",'; printf '"id":%s,' "$id"; printf '"result":{"content":[]}}\n\377\376\n'
        next; answer "$id" '{"content":[]}'
        while :; do next; done
    "#;
    let client = builder().connect(shell(script)).await.unwrap();
    client.call_tool("t").await.unwrap();
    client.call_tool("t").await.unwrap();
    client.close().await;
}

/// Field report S-01: the wrapper and the real server are gone, after a close and after a drop.
#[tokio::test]
async fn the_whole_process_group_ends_with_the_client() {
    for dropped in [false, true] {
        let file = std::env::temp_dir().join(format!("mcp-client-group-{}-{dropped}", std::process::id()));
        let script = format!("sleep 1000 & echo $! > {0}; modern; while :; do next; done", file.display());
        let client = builder().connect(shell(&script)).await.unwrap();
        let pid = std::fs::read_to_string(&file).unwrap();
        let mut states = client.watch_state();
        if dropped {
            drop(client);
        } else {
            client.close().await;
        }
        assert!(states.wait_for(State::Closed).await);
        assert!(is_gone(&pid).await, "{pid} lives on");
        std::fs::remove_file(file).unwrap();
    }
}

/// A connect that is given up half-way leaves no process, and its runtime can end at once.
#[test]
fn a_runtime_that_ends_takes_the_process_with_it() {
    let file = std::env::temp_dir().join(format!("mcp-client-abandoned-{}", std::process::id()));
    let script = format!("echo $$ > {}; while :; do next; done", file.display());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let connect = runtime.spawn(builder().connect(shell(&script)));
    let pid = loop {
        match std::fs::read_to_string(&file) {
            Ok(pid) if pid.ends_with('\n') => break pid,
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    connect.abort();
    runtime.shutdown_timeout(Duration::from_secs(5));
    let check = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    assert!(check.block_on(is_gone(&pid)), "{pid} lives on");
    std::fs::remove_file(file).unwrap();
}

/// A server that stops reading: calls end at their deadlines, close ends the process.
#[tokio::test]
async fn a_server_that_stops_reading_is_ended_by_close() {
    let client = builder()
        .close_timeout(Duration::from_millis(500))
        .connect(
            shell("modern; trap '' TERM; sleep 1000; sleep 1000")
                .exit_wait(Duration::from_millis(200))
                .term_wait(Duration::from_millis(200)),
        )
        .await
        .unwrap();
    let args = json!({"text": "x".repeat(1 << 20)});
    let call = client.call_tool("t").args(&args).unwrap().timeout(Duration::from_millis(300));
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Timeout);
    let begun = Instant::now();
    client.close().await;
    assert!(begun.elapsed() < soon(), "{:?}", begun.elapsed());
}

/// A line of 200 MiB is skipped within bounded memory; the call that it belonged to ends at its deadline, others go on.
#[tokio::test]
async fn an_endless_line_is_skipped() {
    let script = r#"
        modern
        next; printf '{"jsonrpc":"2.0","id":%s,"result":"' "$id"; head -c 209715200 /dev/zero | tr '\0' 'x'; printf '"}\n'
        while :; do next; [ -n "$id" ] && answer "$id" '{"content":[]}'; done
    "#;
    let client = builder().connect(shell(script).max_message_bytes(1 << 20)).await.unwrap();
    let (huge, after) = tokio::join!(
        client.call_tool("huge").timeout(Duration::from_secs(3)).into_future(),
        client.call_tool("small").timeout(Duration::from_secs(60)).into_future()
    );
    assert_eq!(huge.unwrap_err().kind(), ErrorKind::Timeout);
    after.unwrap();
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak: u64 = peak
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok())
        .unwrap_or(0);
    assert!(peak < 150 << 10, "{peak} KiB");
    client.close().await;
}

/// Quirk 8: a pin to a legacy revision sends no probe to a process either.
#[tokio::test]
async fn a_pinned_process_sees_initialize_first() {
    let script = r#"
        next
        case $line in *initialize*) ;; *) exit 9 ;; esac
        answer "$id" '{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
        while :; do next; done
    "#;
    let pinned = builder().versions(Versions::exactly(Revision::V2024_11_05));
    let client = pinned.connect(shell(script)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2024_11_05);
    client.close().await;
}

/// A server that hangs at the start: what it said to standard error is in the error.
#[tokio::test]
async fn a_server_that_hangs_at_the_start_is_quoted() {
    let hangs = shell("echo 'waiting for the database' >&2; sleep 1000");
    let error = builder().connect_timeout(Duration::from_secs(1)).connect(hangs).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("waiting for the database"), "{error}");
}
