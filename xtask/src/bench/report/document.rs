use std::fmt::Write as _;

use super::{Findings, Measure, Row, compared, duration, mebibytes, ratio};

/// For `docs/benchmarks.md`; the plots are in `folder`.
pub(in crate::bench) fn document(findings: &Findings, folder: &str) -> String {
    let mut out = String::from(HEAD);
    let machine = &findings.machine;
    let _ = writeln!(
        out,
        "Taken on {}, {} cores, {}; {}; rmcp {}.",
        machine.processor, machine.cores, machine.system, machine.rust, machine.rmcp
    );
    if findings.quick {
        out.push_str("A quick run: few rounds, and short ones.\n");
    }
    if !machine.load.is_empty() {
        let _ =
            writeln!(out, "Load of the machine at the end: {}; the run alone makes up to 2.", machine.load);
    }
    out.push('\n');
    goals(findings, &mut out);
    times(findings, &mut out);
    growth(findings, folder, &mut out);
    memory(findings, &mut out);
    build(findings, &mut out);
    // One line end at the end.
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

const HEAD: &str = "\
# Benchmarks

Made by `cargo xtask bench stdio http growth memory build --document docs/benchmarks.md`. Figures of one machine on one
day: compare the columns, not the figures with those of other machines.

*floor* is a client by hand without an SDK: raw tokio, hyper, `serde_json`, a table of oneshots. It owes nothing: no
deadlines, limits, cancellation, handlers or negotiation. *ours* is `mcp-client` over `mcp-transport-stdio` or
`mcp-transport-http`. All of them speak to one reference server, and check every result. CPU time is that of the client
process, user and system, over the operations alone; medians over interleaved rounds. Allocations, and bytes of the heap,
are counted on a runtime of one thread. The release profile has thin link-time optimisation.

Settings that differ from what each SDK does by default: the revision is pinned where the table names one; rmcp may have 64
requests open over HTTP (by default 16), and take events of 64 MiB (by default 16). Nothing else. (By default, *ours* has
Linux enlarge the pipe from a server to 256 KiB, and *floor* does the same; rmcp takes the 64 KiB that the system gives.)

";

fn goals(findings: &Findings, out: &mut String) {
    out.push_str("## Goals\n\n| workload | goal | found | |\n|---|---|---|---|\n");
    for verdict in &findings.verdicts {
        let mark = if verdict.holds { "holds" } else { "**missed**" };
        let _ = writeln!(out, "| {} | {} | {} | {mark} |", verdict.workload, verdict.wanted, verdict.found);
    }
    out.push('\n');
}

fn times(findings: &Findings, out: &mut String) {
    let (http, stdio): (Vec<&Row>, Vec<&Row>) =
        findings.rows().partition(|row| row.workload.name.starts_with("http-"));
    for (title, rows) in [("Over stdio", stdio), ("Over Streamable HTTP", http)] {
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "## {title}\n\n| workload | | floor | ours | ÷ floor | rmcp | ÷ floor | p50, p99: floor | ours | rmcp | peak: floor, ours, rmcp |"
        );
        out.push_str("|---|---|---|---|---|---|---|---|---|---|---|\n");
        for row in rows {
            let [floor, ours, rmcp] = row.figures.as_slice() else { continue };
            let _ = write!(
                out,
                "| {} | {} | {} | {} | **{:.2}** | {} | {:.2} |",
                row.workload.name,
                row.workload.what,
                compared(row, floor),
                compared(row, ours),
                ratio(row, 1, 0),
                compared(row, rmcp),
                ratio(row, 2, 0)
            );
            if row.workload.measure == Measure::Cpu {
                for figures in [floor, ours, rmcp] {
                    let _ = write!(out, " {}, {} |", duration(figures.p50), duration(figures.p99));
                }
                let peaks = [floor, ours, rmcp].map(|figures| mebibytes(figures.peak));
                let _ = writeln!(out, " {} |", peaks.join(", "));
            } else {
                out.push_str(" | | | |\n");
            }
        }
        out.push('\n');
    }
    let notes = findings.notes();
    for note in &notes {
        let _ = writeln!(out, "- {note}");
    }
    if !notes.is_empty() {
        out.push('\n');
    }
}

fn growth(findings: &Findings, folder: &str, out: &mut String) {
    if findings.curves.is_empty() {
        return;
    }
    out.push_str("## Growth\n\nCPU time of the client process. Both axes are logarithmic: a flat line does not grow.\n\n");
    for curve in &findings.curves {
        let _ = writeln!(out, "### {}\n\n![{}]({folder}/{}.svg)\n", curve.title, curve.title, curve.name);
        let Some(first) = curve.lines.first() else { continue };
        let places: Vec<String> = first.points.iter().map(|(at, _)| format!(" {at} ")).collect();
        let _ = writeln!(out, "| per {}; {} |{}|", curve.per, curve.along, places.join("|"));
        let _ = writeln!(out, "|---|{}", "---|".repeat(places.len()));
        for line in &curve.lines {
            let costs: Vec<String> =
                line.points.iter().map(|(_, cost)| format!(" {} ", duration(*cost))).collect();
            let _ = writeln!(out, "| {} |{}|", line.driver, costs.join("|"));
        }
        out.push('\n');
    }
}

fn memory(findings: &Findings, out: &mut String) {
    let mut rows = findings.memory_rows().peekable();
    if rows.peek().is_none() {
        return;
    }
    out.push_str("## Memory\n\nOf the client process, resident. *Before* is after a tenth of the operations, but for floods.\n\n");
    out.push_str("| workload | | client | before | after | peak |\n|---|---|---|---|---|---|\n");
    for row in rows {
        for (driver, figures) in row.workload.drivers.iter().zip(&row.figures) {
            let _ = writeln!(
                out,
                "| {} | {} | {driver} | {} | {} | {} |",
                row.workload.name,
                row.workload.what,
                mebibytes(figures.memory_before),
                mebibytes(figures.memory),
                mebibytes(figures.peak)
            );
        }
    }
    out.push('\n');
}

fn build(findings: &Findings, out: &mut String) {
    let Some(built) = &findings.built else { return };
    out.push_str(
        "## Build\n\nA client that starts a server over stdio, lists its tools and calls one; cargo's release profile, stripped. A\n\
         rebuild is what follows a change in the application's own crate.\n\n\
         | | CPU seconds, from nothing | a rebuild | size | crates of others |\n|---|---|---|---|---|\n",
    );
    for (name, cost) in [("ours", &built.ours), ("rmcp", &built.rmcp)] {
        let _ = writeln!(
            out,
            "| {name} | {:.1} | {:.1} | {} | {} |",
            cost.clean,
            cost.rebuild,
            mebibytes(cost.size as f64 / 1024.0),
            cost.crates
        );
    }
}
