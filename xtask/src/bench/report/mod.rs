//! What was found, for the terminal, as JSON, and as a document.

mod document;
mod text;

use serde_json::json;

use super::{
    build::Built,
    goals::Verdict,
    growth::Curve,
    machine::Machine,
    rounds::Measured,
    summary::{Figures, Row, Summary},
    workloads::{DRIVERS, Measure},
};

pub(super) use document::document;
pub(super) use text::text;

/// All of a run.
pub(super) struct Findings {
    pub(super) machine: Machine,
    /// Of fewer and shorter rounds.
    pub(super) quick: bool,
    pub(super) measured: Vec<Measured>,
    pub(super) summary: Summary,
    pub(super) curves: Vec<Curve>,
    pub(super) built: Option<Built>,
    pub(super) verdicts: Vec<Verdict>,
}

impl Findings {
    /// The rows of the tables of times: without points of series, and without memory.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let points: Vec<String> = super::workloads::series()
            .into_iter()
            .flat_map(|series| series.points)
            .map(|point| point.workload.name)
            .collect();
        let in_series = move |row: &Row| points.contains(&row.workload.name);
        self.summary.0.iter().filter(move |row| row.workload.measure != Measure::Memory && !in_series(row))
    }

    fn memory_rows(&self) -> impl Iterator<Item = &Row> {
        self.summary.0.iter().filter(|row| row.workload.measure == Measure::Memory)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for row in &self.summary.0 {
            for (driver, figures) in row.workload.drivers.iter().zip(&row.figures) {
                if figures.lost > 0.0 {
                    notes.push(format!(
                        "{}: {driver} lost {:.0} progress reports in all rounds",
                        row.workload.name, figures.lost
                    ));
                }
            }
        }
        notes
    }
}

/// Everything, each round too.
pub(super) fn json(findings: &Findings) -> String {
    let runs: Vec<_> = findings
        .measured
        .iter()
        .flat_map(|measured| {
            measured.workload.drivers.iter().zip(&measured.rounds).map(
                |(driver, rounds)| json!({ "workload": measured.workload.name, "driver": driver, "rounds": rounds }),
            )
        })
        .collect();
    let goals: Vec<_> = findings
        .verdicts
        .iter()
        .map(|verdict| {
            json!({ "workload": verdict.workload, "wanted": verdict.wanted, "found": verdict.found, "holds": verdict.holds })
        })
        .collect();
    let series: Vec<_> = findings
        .curves
        .iter()
        .flat_map(|curve| {
            curve.lines.iter().map(
                |line| json!({ "series": curve.name, "per": curve.per, "driver": line.driver, "points": line.points }),
            )
        })
        .collect();
    let build = findings.built.as_ref().map(|built| {
        let [ours, rmcp] = [&built.ours, &built.rmcp].map(|cost| {
            json!({ "clean_cpu_s": cost.clean, "rebuild_cpu_s": cost.rebuild, "bytes": cost.size, "crates": cost.crates })
        });
        json!({ "ours": ours, "rmcp": rmcp })
    });
    let machine = &findings.machine;
    let machine = json!({
        "processor": machine.processor, "cores": machine.cores, "system": machine.system,
        "rust": machine.rust, "rmcp": machine.rmcp, "load": machine.load, "quick": findings.quick,
    });
    format!(
        "{:#}\n",
        json!({ "machine": machine, "runs": runs, "series": series, "build": build, "goals": goals })
    )
}

fn ratio(row: &Row, of: usize, to: usize) -> f64 {
    match (row.figures.get(of), row.figures.get(to)) {
        (Some(of), Some(to)) => of.compared / to.compared,
        _ => f64::NAN,
    }
}

fn compared(row: &Row, figures: &Figures) -> String {
    match row.workload.measure {
        Measure::Cpu | Measure::Start => duration(figures.compared),
        Measure::Allocations => format!("{:.1}", figures.compared),
        Measure::Kept => format!("{:.1} KiB", figures.compared / 1024.0),
        Measure::Memory => mebibytes(figures.compared),
    }
}

/// `kib` is what it says.
fn mebibytes(kib: f64) -> String {
    format!("{:.1} MiB", kib / 1024.0)
}

fn duration(nanoseconds: f64) -> String {
    if nanoseconds < 10_000.0 {
        format!("{:.2} us", nanoseconds / 1e3)
    } else if nanoseconds < 10_000_000.0 {
        format!("{:.0} us", nanoseconds / 1e3)
    } else {
        format!("{:.1} ms", nanoseconds / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_the_digits_that_matter() {
        assert_eq!(duration(374.4), "0.37 us");
        assert_eq!(duration(614_710.0), "615 us");
        assert_eq!(duration(17_718_190.0), "17.7 ms");
    }
}
