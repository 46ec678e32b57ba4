//! What the drivers are asked to do.

mod growth;
mod http;
mod memory;
mod stdio;

use crate::command::Failure;

pub(super) use growth::Series;

/// One task for the drivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Workload {
    pub(super) name: String,
    pub(super) what: String,
    pub(super) measure: Measure,
    /// Arguments of the drivers, but for the number of operations.
    pub(super) arguments: Vec<&'static str>,
    /// The same, where they are counted out.
    pub(super) size: Vec<(&'static str, u64)>,
    /// How many operations a round measures, and how many run before.
    pub(super) operations: u64,
    pub(super) warmup: u64,
    pub(super) server: Server,
    pub(super) drivers: &'static [&'static str],
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
    /// Bytes of its heap that each client keeps; as exact.
    Kept,
    /// Memory of the process: one round, which may last.
    Memory,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    /// A process that the driver starts.
    Child,
    /// One that runs already, and takes these arguments.
    Http(&'static [&'static str]),
}

/// The first is the measure of the others.
pub(super) const DRIVERS: &[&str] = &["floor", "ours", "rmcp"];

impl Workload {
    fn new(name: impl Into<String>, what: impl Into<String>, arguments: &[&'static str]) -> Self {
        Self {
            name: name.into(),
            what: what.into(),
            measure: Measure::Cpu,
            arguments: arguments.to_vec(),
            size: Vec::new(),
            operations: 1,
            warmup: 1,
            server: Server::Child,
            drivers: DRIVERS,
        }
    }

    /// Measures `operations`, after a tenth of that.
    fn operations(mut self, operations: u64) -> Self {
        self.operations = operations;
        self.warmup = (operations / 10).max(1);
        self
    }

    /// Measures after six operations at least: at first the allocator asks the system for the memory of each large message
    /// anew, until it has learnt their size. That is the cost of a beginning, not of size.
    fn settled(mut self) -> Self {
        self.warmup = self.warmup.max(6);
        self
    }

    fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    fn server(mut self, server: Server) -> Self {
        self.server = server;
        self
    }

    fn size(mut self, name: &'static str, size: u64) -> Self {
        self.size.push((name, size));
        self
    }
}

/// A part of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Stdio,
    Http,
    Growth,
    Memory,
    Build,
}

impl Part {
    pub(super) const ALL: [(&'static str, Self); 5] = [
        ("stdio", Self::Stdio),
        ("http", Self::Http),
        ("growth", Self::Growth),
        ("memory", Self::Memory),
        ("build", Self::Build),
    ];

    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }
}

/// The workloads of a part, in the order of the report. A quick run shortens what lasts.
pub(super) fn of(part: Part, quick: bool) -> Vec<Workload> {
    match part {
        Part::Stdio => stdio::workloads(),
        Part::Http => http::workloads(),
        Part::Growth => {
            series().into_iter().flat_map(|series| series.points).map(|point| point.workload).collect()
        }
        Part::Memory => memory::workloads(quick),
        Part::Build => Vec::new(),
    }
}

pub(super) fn series() -> Vec<Series> {
    growth::series()
}

/// One workload of any part, by its name.
pub(super) fn find(name: &str, quick: bool) -> Result<Workload, Failure> {
    Part::ALL
        .iter()
        .flat_map(|(_, part)| of(*part, quick))
        .find(|workload| workload.name == name)
        .ok_or_else(|| Failure::usage(format!("no workload `{name}`; `--list` prints their names")))
}
