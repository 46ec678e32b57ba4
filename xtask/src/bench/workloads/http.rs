use super::{Measure, Server, Workload};

const JSON: Server = Server::Http(&["--http", "json"]);
const EVENTS: Server = Server::Http(&["--http", "sse"]);
/// Every event in chunks of 1 KiB.
const CHUNKS: Server = Server::Http(&["--http", "sse", "--chunk", "1024"]);

const ONE: &[&str] = &["--workload", "echo", "--era", "legacy"];
const ONE_MODERN: &[&str] = &["--workload", "echo", "--era", "modern"];
const MANY: &[&str] = &["--workload", "echo", "--era", "legacy", "--concurrency", "64"];
const MANY_MODERN: &[&str] = &["--workload", "echo", "--era", "modern", "--concurrency", "64"];
const PROGRESS: &[&str] = &["--workload", "progress", "--size", "1000"];

pub(super) fn workloads() -> Vec<Workload> {
    let payload = ["--workload", "payload"];
    vec![
        Workload::new("http-1", "a call at a time, JSON, 2025-11-25", ONE).operations(2_000).server(JSON),
        Workload::new("http-1-modern", "a call at a time, JSON, 2026-07-28", ONE_MODERN)
            .operations(2_000)
            .server(JSON),
        Workload::new("http-64", "64 calls at once, JSON, 2025-11-25", MANY).operations(10_000).server(JSON),
        Workload::new("http-64-modern", "64 calls at once, JSON, 2026-07-28", MANY_MODERN)
            .operations(10_000)
            .server(JSON),
        Workload::new("http-64-sse", "64 calls at once, a stream of events each, 2025-11-25", MANY)
            .operations(10_000)
            .server(EVENTS),
        Workload::new("http-progress", "a progress report on a stream; 1,000 a call", PROGRESS)
            .operations(20)
            .server(EVENTS),
        Workload::new("http-16m", "a result of 16 MiB less 4 KiB, JSON", &payload)
            .size("--size", (16 << 20) - 4096)
            .operations(6)
            .server(JSON),
        Workload::new("http-16m-sse", "the same as one event in 16,380 chunks of 1 KiB", &payload)
            .size("--size", (16 << 20) - 4096)
            .operations(6)
            .server(CHUNKS),
        Workload::new(
            "http-start",
            "from the start of the process to the first result, 2025-11-25",
            &["--workload", "start", "--era", "legacy"],
        )
        .measure(Measure::Start)
        .operations(8)
        .server(JSON),
        Workload::new(
            "http-idle",
            "heap of a client that has made one call and waits",
            &["--workload", "idle", "--era", "legacy"],
        )
        .measure(Measure::Kept)
        .operations(50)
        .server(JSON),
        Workload::new("http-allocs", "allocations of a call, JSON, 2025-11-25", ONE)
            .measure(Measure::Allocations)
            .operations(1_000)
            .server(JSON),
        Workload::new("http-allocs-modern", "allocations of a call, JSON, 2026-07-28", ONE_MODERN)
            .measure(Measure::Allocations)
            .operations(1_000)
            .server(JSON),
    ]
}
