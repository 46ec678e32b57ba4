use super::{Measure, Workload};

const ONE: &[&str] = &["--workload", "echo", "--era", "legacy"];
const ONE_MODERN: &[&str] = &["--workload", "echo", "--era", "modern"];
const MANY: &[&str] = &["--workload", "echo", "--era", "legacy", "--concurrency", "64"];
const MANY_MODERN: &[&str] = &["--workload", "echo", "--era", "modern", "--concurrency", "64"];
const PROGRESS: &[&str] = &["--workload", "progress", "--size", "1000"];
const LIST: &[&str] = &["--workload", "list", "--size", "5000"];
const PAGES: &[&str] = &["--workload", "list", "--size", "5000", "--page", "100"];
const START: &[&str] = &["--workload", "start", "--era", "default"];

pub(super) fn workloads() -> Vec<Workload> {
    let payload = ["--workload", "payload"];
    vec![
        Workload::new("call-1", "a call at a time, 2025-11-25", ONE).operations(4_000),
        Workload::new("call-1-modern", "a call at a time, 2026-07-28", ONE_MODERN).operations(4_000),
        Workload::new("call-64", "64 calls at once, 2025-11-25", MANY).operations(40_000),
        Workload::new("call-64-modern", "64 calls at once, 2026-07-28", MANY_MODERN).operations(40_000),
        Workload::new("result-1m", "a result of 1 MiB", &payload).size("--size", 1 << 20).operations(60),
        Workload::new("result-16m", "a result of 16 MiB less 4 KiB: rmcp refuses longer lines", &payload)
            .size("--size", (16 << 20) - 4096)
            .operations(6),
        Workload::new("progress", "a progress report that reaches its handler; 1,000 a call", PROGRESS)
            .operations(40),
        Workload::new("list", "5,000 tools on one page, 5.3 MB", LIST).operations(6),
        Workload::new("list-pages", "5,000 tools on 50 pages", PAGES).operations(6),
        Workload::new(
            "start",
            "from the start of the process to the first result, as each negotiates by default",
            START,
        )
        .measure(Measure::Start)
        .operations(8),
        Workload::new("allocs", "allocations of a call, 2025-11-25", ONE)
            .measure(Measure::Allocations)
            .operations(2_000),
        Workload::new("allocs-modern", "allocations of a call, 2026-07-28", ONE_MODERN)
            .measure(Measure::Allocations)
            .operations(2_000),
        Workload::new("allocs-progress", "allocations of a progress report", PROGRESS)
            .measure(Measure::Allocations)
            .operations(4),
        Workload::new("allocs-list", "allocations of 5,000 tools on one page", LIST)
            .measure(Measure::Allocations)
            .operations(2),
    ]
}
