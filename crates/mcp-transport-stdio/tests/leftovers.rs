//! Nothing outlives a link: no process, no descriptor, no task. Alone in its program, because it counts what the whole
//! program holds.
#![cfg(target_os = "linux")]

use std::{collections::VecDeque, fs, future::Future, time::Duration};

use bytes::Bytes;
use mcp_transport::{Connect, Link, LinkParts, Outbound, RawMessage, Receiver, Sender};
use mcp_transport_stdio::{Stderr, Stdio};
use tokio::runtime::Builder;

/// A wrapper and a server, neither of which obeys; and a server that has exited.
const STUBBORN: &str = "trap '' TERM; sleep 31337 & echo '{}'; wait";
const EXITED: &str = "sleep 31337 & exit 3";

#[test]
fn nothing_outlives_a_link() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    // What the runtime opens once, it keeps.
    runtime.block_on(async { drop(connect(STUBBORN).await) });
    let check_others = |what: &str| {
        runtime.block_on(eventually(what, "a process", || children() == 0));
        runtime.block_on(eventually(what, "a task", || runtime.metrics().num_alive_tasks() == 0));
    };
    check_others("the first of all");
    let descriptors = open_descriptors();
    let check = |what: &str| {
        check_others(what);
        assert_eq!(open_descriptors(), descriptors, "{what}: a descriptor is left");
    };

    for script in [STUBBORN, EXITED] {
        runtime.block_on(async { drop(connect(script).await) });
        check("dropped at once");

        for order in ["src", "scr", "rsc", "rcs", "csr", "crs"] {
            runtime.block_on(async { in_order(order, connect(script).await.into_parts()).await });
            check(order);
        }

        runtime.block_on(async {
            let mut parts = connect(script).await.into_parts();
            let _ = timeout(parts.receiver.recv(&mut Vec::new())).await;
            let _ = timeout(parts.receiver.recv(&mut Vec::new())).await;
        });
        check("dropped while receiving");

        runtime.block_on(async {
            let mut parts = connect(script).await.into_parts();
            let _ = timeout(parts.sender.send(&mut large_batch())).await;
        });
        check("dropped while sending");

        runtime.block_on(async {
            let mut parts = connect(script).await.into_parts();
            let _ = parts.sender.send(&mut VecDeque::from([Outbound::Close])).await;
            drop((parts.sender, parts.receiver));
            let _ = timeout(parts.closer.unwrap().close()).await;
        });
        check("dropped while closing");

        runtime.block_on(async {
            let mut parts = connect(script).await.into_parts();
            let _ = parts.sender.send(&mut VecDeque::from([Outbound::Close])).await;
            parts.closer.unwrap().close().await.unwrap();
            drop((parts.sender, parts.receiver));
        });
        check("closed");

        runtime.block_on(async {
            let task = tokio::spawn(async move {
                let _link = connect(script).await;
                std::future::pending::<()>().await;
            });
            tokio::time::sleep(Duration::from_millis(30)).await;
            task.abort();
        });
        check("its task aborted");

        let link = runtime.block_on(connect(script));
        drop(link);
        check("dropped outside of the runtime");
    }

    let other = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let link = other.block_on(connect(STUBBORN));
    drop(other);
    drop(link);
    check("dropped after its runtime");

    let other = Builder::new_current_thread().enable_all().build().unwrap();
    let link = other.block_on(connect(STUBBORN));
    other.spawn(async move {
        let _link = link;
        std::future::pending::<()>().await;
    });
    other.block_on(async { tokio::time::sleep(Duration::from_millis(20)).await });
    drop(other);
    check("dropped with its runtime");
}

async fn connect(script: &str) -> Link {
    Stdio::command("sh")
        .args(["-c", script])
        .stderr(Stderr::Capture)
        .exit_wait(Duration::from_millis(20))
        .term_wait(Duration::from_millis(20))
        .connect()
        .await
        .unwrap()
}

async fn in_order(order: &str, parts: LinkParts) {
    let (mut sender, mut receiver, mut closer) = (Some(parts.sender), Some(parts.receiver), parts.closer);
    for part in order.chars() {
        match part {
            's' => drop(sender.take()),
            'r' => drop(receiver.take()),
            _ => drop(closer.take()),
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn large_batch() -> VecDeque<Outbound> {
    let params = Bytes::from(format!("\"{}\"", "x".repeat(1024 * 1024)));
    VecDeque::from([RawMessage::request(1, "big", Some(params)).into()])
}

async fn timeout<T>(future: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(Duration::from_millis(30), future).await.ok()
}

async fn eventually(what: &str, left: &str, condition: impl Fn() -> bool) {
    for _ in 0..2000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{what}: {left} is left");
}

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Processes that we started, zombies too, and those that they started.
fn children() -> usize {
    let us = std::process::id().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|process| {
            let read = |name| fs::read_to_string(process.path().join(name)).unwrap_or_default();
            // `pid (name) state parent …`
            let ours = read("stat").rsplit(") ").next().unwrap_or_default().split(' ').nth(1) == Some(&us);
            ours || read("cmdline") == "sleep\x0031337\0"
        })
        .count()
}
