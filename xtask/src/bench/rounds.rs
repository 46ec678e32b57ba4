use serde_json::Value;

use super::{
    programs::Programs,
    workloads::{Measure, Workload},
};
use crate::command::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Quick,
    Full,
}

/// Every run of the drivers on one workload.
pub(super) struct Measured {
    pub(super) workload: Workload,
    /// What each driver reported, by round; in the order of the workload's drivers.
    pub(super) rounds: Vec<Vec<Value>>,
}

/// Runs all drivers in turn, round after round, each round begun by another one: what the machine does meanwhile meets all
/// of them.
pub(super) fn measure(programs: &Programs, workload: Workload, rounds: usize) -> Result<Measured, Failure> {
    eprintln!("{}: {}", workload.name, workload.what);
    let drivers = workload.drivers;
    let mut reports = vec![Vec::new(); drivers.len()];
    for round in 0..rounds {
        for turn in 0..drivers.len() {
            let at = (round + turn) % drivers.len();
            reports[at].push(programs.run(drivers[at], &workload)?);
        }
    }
    Ok(Measured { workload, rounds: reports })
}

/// How often a workload is measured.
pub(super) fn rounds(measure: Measure, effort: Effort) -> usize {
    match (measure, effort) {
        (Measure::Allocations | Measure::Kept | Measure::Memory, _) => 1,
        (_, Effort::Quick) => 7,
        (_, Effort::Full) => 31,
    }
}

/// How often a point of a series is measured: it has neighbours.
pub(super) fn rounds_of_a_point(effort: Effort) -> usize {
    match effort {
        Effort::Quick => 3,
        Effort::Full => 9,
    }
}
