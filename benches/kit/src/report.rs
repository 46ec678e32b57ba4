use serde_json::json;

use crate::measure::{self, Used};

/// Nanoseconds that each operation took, as its caller saw it.
pub(crate) type Latencies = Vec<u32>;

/// What a driver did.
pub(crate) struct Report {
    pub(crate) driver: &'static str,
    pub(crate) operations: u64,
    pub(crate) used: Used,
    pub(crate) latencies: Latencies,
    pub(crate) lost: u64,
    /// The memory of the process before, in KiB.
    pub(crate) memory_before: u64,
}

/// One line of JSON on standard output.
pub(crate) fn write(report: Report) {
    let Report { driver, operations, used, mut latencies, lost, memory_before } = report;
    latencies.sort_unstable();
    let percentile = |part: usize| {
        let highest = latencies.len().saturating_sub(1);
        latencies.get(highest * part / 100).copied().unwrap_or_default()
    };
    let per_operation = |whole: f64| whole / operations.max(1) as f64;
    println!(
        "{}",
        json!({
            "driver": driver,
            "operations": operations,
            "wall_ns": per_operation(used.wall.as_nanos() as f64),
            "cpu_ns": per_operation(used.cpu.as_nanos() as f64),
            "p50_ns": percentile(50),
            "p99_ns": percentile(99),
            "allocations": per_operation(used.allocations.count as f64),
            "allocated_bytes": per_operation(used.allocations.bytes as f64),
            "kept_bytes": per_operation(used.allocations.kept() as f64),
            "memory_before_kib": memory_before,
            "memory_kib": measure::memory(),
            "peak_kib": measure::peak_memory(),
            "lost": lost,
        })
    );
}
