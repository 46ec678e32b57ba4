use std::fmt::Write as _;

use serde_json::json;

use super::{
    DRIVERS,
    goals::Verdict,
    machine::Machine,
    rounds::Runs,
    summary::{Figures, Row, Summary},
    workloads::Measure,
};

/// For the terminal.
pub(super) fn text(summary: &Summary, verdicts: &[Verdict]) -> String {
    let mut out = format!("\n{:<16}{:>12}", "workload", "floor");
    for driver in &DRIVERS[1..] {
        let _ = write!(out, "{driver:>12} {:>7}", "x floor");
    }
    let _ = writeln!(out, "{:>12}{:>12}{:>11}{:>11}", "ours x rmcp", "ours p50", "p99", "peak KiB");
    for row in &summary.0 {
        let _ = write!(out, "{:<16}", row.workload.name);
        for (at, figures) in row.figures.iter().enumerate() {
            let _ = write!(out, "{:>12}", compared(row, figures));
            if at > 0 {
                let _ = write!(out, " {:>7.2}", ratio(row, at, 0));
            }
        }
        let Some(ours) = row.figures.get(1) else { continue };
        let _ = write!(out, "{:>12.2}", ratio(row, 1, 2));
        if row.workload.measure == Measure::Cpu {
            let _ = write!(out, "{:>12}{:>11}{:>11.0}", duration(ours.p50), duration(ours.p99), ours.peak);
        }
        out.push('\n');
    }
    for note in notes(summary) {
        let _ = writeln!(out, "note: {note}");
    }
    out.push('\n');
    for verdict in verdicts {
        let mark = if verdict.holds { "holds" } else { "MISSED" };
        let _ = writeln!(out, "{mark:<7}{:<16}{}: {}", verdict.workload, verdict.wanted, verdict.found);
    }
    out
}

/// Everything, each round too.
pub(super) fn json(machine: &Machine, measured: &[Runs], verdicts: &[Verdict]) -> String {
    let runs: Vec<_> = measured
        .iter()
        .map(|runs| json!({ "workload": runs.workload.name, "driver": runs.driver, "rounds": runs.rounds }))
        .collect();
    let goals: Vec<_> = verdicts
        .iter()
        .map(|verdict| {
            json!({ "workload": verdict.workload, "wanted": verdict.wanted, "found": verdict.found, "holds": verdict.holds })
        })
        .collect();
    let machine = json!({
        "processor": machine.processor, "cores": machine.cores, "system": machine.system,
        "rust": machine.rust, "rmcp": machine.rmcp,
    });
    format!("{:#}\n", json!({ "machine": machine, "runs": runs, "goals": goals }))
}

/// For `docs/benchmarks.md`.
pub(super) fn document(machine: &Machine, summary: &Summary, verdicts: &[Verdict]) -> String {
    let mut out = String::from(HEAD);
    let _ = writeln!(
        out,
        "Taken on {}, {} cores, {}; {}; rmcp {}.\n",
        machine.processor, machine.cores, machine.system, machine.rust, machine.rmcp
    );
    out.push_str("| workload | floor | ours | ÷ floor | rmcp | ÷ floor | ours p50 | ours p99 | peak: floor, ours, rmcp |\n");
    out.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for row in &summary.0 {
        let [floor, ours, rmcp] = row.figures.as_slice() else { continue };
        let _ = write!(
            out,
            "| {} | {} | {} | **{:.2}** | {} | {:.2} |",
            row.workload.what,
            compared(row, floor),
            compared(row, ours),
            ratio(row, 1, 0),
            compared(row, rmcp),
            ratio(row, 2, 0)
        );
        if row.workload.measure == Measure::Cpu {
            let peaks = [floor, ours, rmcp].map(|figures| format!("{:.1} MiB", figures.peak / 1024.0));
            let _ =
                writeln!(out, " {} | {} | {} |", duration(ours.p50), duration(ours.p99), peaks.join(", "));
        } else {
            out.push_str(" | | |\n");
        }
    }
    out.push('\n');
    for note in notes(summary) {
        let _ = writeln!(out, "- {note}");
    }
    out.push_str("\n## Goals\n\n| workload | goal | found | |\n|---|---|---|---|\n");
    for verdict in verdicts {
        let mark = if verdict.holds { "holds" } else { "**missed**" };
        let _ = writeln!(out, "| {} | {} | {} | {mark} |", verdict.workload, verdict.wanted, verdict.found);
    }
    out
}

const HEAD: &str = "\
# Benchmarks

Made by `cargo xtask bench --document docs/benchmarks.md`. Figures of one machine on one day: compare the columns, not the
figures with those of other machines.

*floor* is a loop by hand without an SDK: raw tokio, serde_json, a table of oneshots. It owes nothing: no deadlines, limits,
cancellation, handlers or negotiation. *ours* is `mcp-client` over `mcp-transport-stdio`. All of them speak to one
reference server, and check every result. CPU time is that of the client process, user and system, over the operations
alone; medians over interleaved rounds. Allocations are counted on a runtime of one thread.

Settings that differ from what each SDK does by default: the revision is pinned where the table names one. Nothing else.

";

fn notes(summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    for row in &summary.0 {
        for (driver, figures) in DRIVERS.iter().zip(&row.figures) {
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
    }
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
