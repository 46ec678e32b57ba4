use serde_json::Value;

use super::{
    DRIVERS,
    programs::Programs,
    workloads::{Measure, Workload},
};
use crate::command::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Quick,
    Full,
}

/// Every run of one driver on one workload.
pub(super) struct Runs {
    pub(super) workload: &'static Workload,
    pub(super) driver: &'static str,
    /// What the driver reported, by round.
    pub(super) rounds: Vec<Value>,
}

/// Runs all drivers in turn, round after round, each round begun by another one: what the machine does meanwhile meets all
/// of them.
pub(super) fn measure(
    programs: &Programs,
    workloads: &[&'static Workload],
    effort: Effort,
) -> Result<Vec<Runs>, Failure> {
    let mut measured = Vec::new();
    for workload in workloads {
        eprintln!("{}: {}", workload.name, workload.what);
        let mut runs = DRIVERS.map(|driver| Runs { workload, driver, rounds: Vec::new() });
        for round in 0..rounds(workload.measure, effort) {
            for turn in 0..DRIVERS.len() {
                let runs = &mut runs[(round + turn) % DRIVERS.len()];
                runs.rounds.push(programs.run(runs.driver, workload)?);
            }
        }
        measured.extend(runs);
    }
    Ok(measured)
}

fn rounds(measure: Measure, effort: Effort) -> usize {
    match (measure, effort) {
        (Measure::Allocations, _) => 1,
        (_, Effort::Quick) => 9,
        (_, Effort::Full) => 31,
    }
}
