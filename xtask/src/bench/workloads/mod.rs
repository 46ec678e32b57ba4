use crate::command::Failure;

/// What the drivers are asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) measure: Measure,
    /// Arguments of the drivers, but for the number of operations.
    pub(super) arguments: &'static [&'static str],
    /// How many operations a round measures; a tenth of that runs before.
    pub(super) operations: u64,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// CPU time of the client process an operation.
    Cpu,
    /// Time from the start of the client process to the result of its first call.
    Start,
    /// Allocations an operation, on a runtime of one thread. They do not depend on the machine's load: one round.
    Allocations,
}

/// In the order of the report.
pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "call-1",
        what: "a call at a time, 2025-11-25",
        measure: Measure::Cpu,
        arguments: &["--workload", "echo", "--era", "legacy"],
        operations: 4_000,
    },
    Workload {
        name: "call-1-modern",
        what: "a call at a time, 2026-07-28",
        measure: Measure::Cpu,
        arguments: &["--workload", "echo", "--era", "modern"],
        operations: 4_000,
    },
    Workload {
        name: "call-64",
        what: "64 calls at once, 2025-11-25",
        measure: Measure::Cpu,
        arguments: &["--workload", "echo", "--era", "legacy", "--concurrency", "64"],
        operations: 40_000,
    },
    Workload {
        name: "call-64-modern",
        what: "64 calls at once, 2026-07-28",
        measure: Measure::Cpu,
        arguments: &["--workload", "echo", "--era", "modern", "--concurrency", "64"],
        operations: 40_000,
    },
    Workload {
        name: "result-1m",
        what: "a result of 1 MiB",
        measure: Measure::Cpu,
        arguments: &["--workload", "payload", "--size", "1048576"],
        operations: 60,
    },
    Workload {
        name: "result-16m",
        what: "a result of 16 MiB less 4 KiB: rmcp refuses longer lines",
        measure: Measure::Cpu,
        arguments: &["--workload", "payload", "--size", "16773120"],
        operations: 6,
    },
    Workload {
        name: "progress",
        what: "a progress report that reaches its handler; 1,000 a call",
        measure: Measure::Cpu,
        arguments: &["--workload", "progress", "--size", "1000"],
        operations: 40,
    },
    Workload {
        name: "list",
        what: "5,000 tools on one page, 5.3 MB",
        measure: Measure::Cpu,
        arguments: &["--workload", "list", "--size", "5000"],
        operations: 6,
    },
    Workload {
        name: "list-pages",
        what: "5,000 tools on 50 pages",
        measure: Measure::Cpu,
        arguments: &["--workload", "list", "--size", "5000", "--page", "100"],
        operations: 6,
    },
    Workload {
        name: "start",
        what: "from the start of the process to the first result, as each negotiates by default",
        measure: Measure::Start,
        arguments: &["--workload", "start", "--era", "default"],
        operations: 8,
    },
    Workload {
        name: "allocs",
        what: "allocations of a call, 2025-11-25",
        measure: Measure::Allocations,
        arguments: &["--workload", "echo", "--era", "legacy"],
        operations: 2_000,
    },
    Workload {
        name: "allocs-modern",
        what: "allocations of a call, 2026-07-28",
        measure: Measure::Allocations,
        arguments: &["--workload", "echo", "--era", "modern"],
        operations: 2_000,
    },
    Workload {
        name: "allocs-progress",
        what: "allocations of a progress report",
        measure: Measure::Allocations,
        arguments: &["--workload", "progress", "--size", "1000"],
        operations: 4,
    },
    Workload {
        name: "allocs-list",
        what: "allocations of 5,000 tools on one page",
        measure: Measure::Allocations,
        arguments: &["--workload", "list", "--size", "5000"],
        operations: 2,
    },
];

pub(super) fn find(name: &str) -> Result<&'static Workload, Failure> {
    WORKLOADS
        .iter()
        .find(|workload| workload.name == name)
        .ok_or_else(|| Failure::usage(format!("no workload `{name}`; `--only list` prints their names")))
}
