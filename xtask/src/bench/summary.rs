use serde_json::Value;

use super::{
    DRIVERS,
    rounds::Runs,
    workloads::{Measure, Workload},
};

/// Medians over the rounds.
pub(super) struct Summary(pub(super) Vec<Row>);

/// One workload.
pub(super) struct Row {
    pub(super) workload: &'static Workload,
    /// In the order of [`DRIVERS`].
    pub(super) figures: Vec<Figures>,
}

/// Medians of one driver on one workload.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    /// What the workload compares: nanoseconds, or allocations.
    pub(super) compared: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) allocated_bytes: f64,
    /// The peak of the process, in KiB.
    pub(super) peak: f64,
    pub(super) lost: f64,
}

impl Summary {
    pub(super) fn of(workloads: &[&'static Workload], measured: &[Runs]) -> Self {
        let row = |workload: &&'static Workload| Row {
            workload,
            figures: DRIVERS
                .iter()
                .filter_map(|driver| {
                    measured.iter().find(|runs| runs.workload == *workload && runs.driver == *driver)
                })
                .map(Figures::of)
                .collect(),
        };
        Self(workloads.iter().map(row).collect())
    }

    fn figures(&self, workload: &str, driver: &str) -> Option<&Figures> {
        let at = DRIVERS.iter().position(|name| *name == driver)?;
        self.0.iter().find(|row| row.workload.name == workload)?.figures.get(at)
    }

    /// What the workload compares, of one driver.
    pub(super) fn compared(&self, workload: &str, driver: &str) -> Option<f64> {
        self.figures(workload, driver).map(|figures| figures.compared)
    }

    /// That, as a multiple of the floor's.
    pub(super) fn ratio(&self, workload: &str, driver: &str) -> Option<f64> {
        Some(self.compared(workload, driver)? / self.compared(workload, DRIVERS[0])?)
    }
}

impl Figures {
    fn of(runs: &Runs) -> Self {
        let median = |name: &str| median(runs.rounds.iter().filter_map(|round| round.get(name)?.as_f64()));
        let compared = match runs.workload.measure {
            Measure::Cpu => "cpu_ns",
            Measure::Start => "wall_ns",
            Measure::Allocations => "allocations",
        };
        Self {
            compared: median(compared),
            p50: median("p50_ns"),
            p99: median("p99_ns"),
            allocated_bytes: median("allocated_bytes"),
            peak: median("peak_kib"),
            lost: runs.rounds.iter().filter_map(|round| round.get("lost").and_then(Value::as_f64)).sum(),
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.as_slice() {
        [] => 0.0,
        values if values.len() % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        values => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |values: &[f64]| median(values.iter().copied());
        assert!((of(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((of(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
        assert!(of(&[]).abs() < f64::EPSILON);
    }
}
