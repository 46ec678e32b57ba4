use std::fmt::Write as _;

use super::{DRIVERS, Findings, Measure, compared, duration, mebibytes, ratio};

/// For the terminal.
pub(in crate::bench) fn text(findings: &Findings) -> String {
    let mut out = String::new();
    times(findings, &mut out);
    series(findings, &mut out);
    memory(findings, &mut out);
    if let Some(built) = &findings.built {
        let _ = writeln!(
            out,
            "\n{:<12}{:>12}{:>12}{:>12}{:>9}",
            "build", "clean CPU s", "rebuild", "KiB", "crates"
        );
        for (name, cost) in [("ours", &built.ours), ("rmcp", &built.rmcp)] {
            let _ = writeln!(
                out,
                "{name:<12}{:>12.1}{:>12.1}{:>12}{:>9}",
                cost.clean,
                cost.rebuild,
                cost.size / 1024,
                cost.crates
            );
        }
    }
    for note in findings.notes() {
        let _ = writeln!(out, "note: {note}");
    }
    out.push('\n');
    for verdict in &findings.verdicts {
        let mark = if verdict.holds { "holds" } else { "MISSED" };
        let _ = writeln!(out, "{mark:<7}{:<16}{}: {}", verdict.workload, verdict.wanted, verdict.found);
    }
    out
}

fn times(findings: &Findings, out: &mut String) {
    let mut rows = findings.rows().peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = write!(out, "\n{:<18}{:>12}", "workload", "floor");
    for driver in &DRIVERS[1..] {
        let _ = write!(out, "{driver:>12} {:>7}", "x floor");
    }
    let _ = writeln!(out, "{:>12}{:>12}{:>11}{:>11}", "ours x rmcp", "ours p50", "p99", "peak KiB");
    for row in rows {
        let _ = write!(out, "{:<18}", row.workload.name);
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
}

fn series(findings: &Findings, out: &mut String) {
    for curve in &findings.curves {
        let _ = write!(out, "\n{} (per {})\n{:<10}", curve.title, curve.per, curve.along);
        let Some(first) = curve.lines.first() else { continue };
        for (at, _) in &first.points {
            let _ = write!(out, "{at:>12}");
        }
        out.push('\n');
        for line in &curve.lines {
            let _ = write!(out, "{:<10}", line.driver);
            for (_, cost) in &line.points {
                let _ = write!(out, "{:>12}", duration(*cost));
            }
            out.push('\n');
        }
    }
}

fn memory(findings: &Findings, out: &mut String) {
    let mut rows = findings.memory_rows().peekable();
    if rows.peek().is_some() {
        let _ = writeln!(out, "\n{:<16}{:<8}{:>12}{:>12}{:>12}", "memory", "", "before", "after", "peak");
    }
    for row in rows {
        for (driver, figures) in row.workload.drivers.iter().zip(&row.figures) {
            let _ = writeln!(
                out,
                "{:<16}{driver:<8}{:>12}{:>12}{:>12}",
                row.workload.name,
                mebibytes(figures.memory_before),
                mebibytes(figures.memory),
                mebibytes(figures.peak)
            );
        }
    }
}
