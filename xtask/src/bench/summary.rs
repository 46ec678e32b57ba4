use serde_json::Value;

use super::{
    rounds::Measured,
    workloads::{DRIVERS, Measure, Workload},
};

/// Medians over the rounds of one workload.
pub(super) struct Row {
    pub(super) workload: Workload,
    /// In the order of the workload's drivers.
    pub(super) figures: Vec<Figures>,
}

/// Medians of one driver on one workload.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Figures {
    /// What the workload compares: nanoseconds, allocations, bytes, or KiB.
    pub(super) compared: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    /// The memory of the process before and after, and the most that it had, in KiB.
    pub(super) memory_before: f64,
    pub(super) memory: f64,
    pub(super) peak: f64,
    pub(super) lost: f64,
}

impl Row {
    pub(super) fn of(measured: &Measured) -> Self {
        let workload = measured.workload.clone();
        let figures = measured.rounds.iter().map(|rounds| Figures::of(workload.measure, rounds)).collect();
        Self { workload, figures }
    }

    pub(super) fn of_driver(&self, driver: &str) -> Option<&Figures> {
        let at = self.workload.drivers.iter().position(|name| *name == driver)?;
        self.figures.get(at)
    }

    /// What is compared, of `driver`, as a multiple of that of `other`.
    pub(super) fn ratio(&self, driver: &str, other: &str) -> Option<f64> {
        Some(self.of_driver(driver)?.compared / self.of_driver(other)?.compared)
    }
}

/// The rows of all parts that were measured.
#[derive(Default)]
pub(super) struct Summary(pub(super) Vec<Row>);

impl Summary {
    pub(super) fn row(&self, workload: &str) -> Option<&Row> {
        self.0.iter().find(|row| row.workload.name == workload)
    }

    /// What the workload compares, of one driver.
    pub(super) fn compared(&self, workload: &str, driver: &str) -> Option<f64> {
        self.row(workload)?.of_driver(driver).map(|figures| figures.compared)
    }

    /// That, as a multiple of the floor's.
    pub(super) fn ratio(&self, workload: &str, driver: &str) -> Option<f64> {
        self.row(workload)?.ratio(driver, DRIVERS[0])
    }
}

impl Figures {
    fn of(measure: Measure, rounds: &[Value]) -> Self {
        let median = |name: &str| median(rounds.iter().filter_map(|round| round.get(name)?.as_f64()));
        let compared = match measure {
            Measure::Cpu => "cpu_ns",
            Measure::Start => "wall_ns",
            Measure::Allocations => "allocations",
            Measure::Kept => "kept_bytes",
            Measure::Memory => "memory_kib",
        };
        Self {
            compared: median(compared),
            p50: median("p50_ns"),
            p99: median("p99_ns"),
            memory_before: median("memory_before_kib"),
            memory: median("memory_kib"),
            peak: median("peak_kib"),
            lost: rounds.iter().filter_map(|round| round.get("lost").and_then(Value::as_f64)).sum(),
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
