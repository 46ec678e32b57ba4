//! `cargo xtask bench`: our client beside a hand-written loop (`floor`) and beside rmcp, in one run.
//!
//! The programs are in `benches/`, a workspace of its own: a reference server, and one driver for each client, all with
//! one command line. This module builds them, runs them in rounds, and reports.

#![allow(clippy::cast_precision_loss, reason = "figures are no more exact than that")]

mod build;
mod goals;
mod growth;
mod machine;
mod options;
mod plot;
mod programs;
mod report;
mod rounds;
mod summary;
mod workloads;

use std::{fs, path::Path};

use crate::{
    command::{Command, Failure},
    repository,
};

use growth::Curve;
use options::Options;
use programs::Programs;
use report::Findings;
use rounds::Effort;
use summary::{Row, Summary};
use workloads::Part;

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    summary: "Compares our client with a hand-written loop and with rmcp, and says which goals hold",
    usage: "\
Usage: cargo xtask bench [PART]... [--quick] [--check] [--only WORKLOAD]... [--json FILE]
                         [--document FILE]
       cargo xtask bench --list

Builds the drivers in release mode and runs every workload in interleaved rounds.

Parts, all but `build` unless some are named:
  stdio              Calls, results, progress, lists over stdio
  http               The same over Streamable HTTP, JSON and streams of events
  growth             What must not grow with calls, bytes, messages or tools
  memory             A flood, calls cancelled half-way, a long run
  build              CPU time and size of a small client, built from nothing: minutes

  --quick            Fewer and shorter rounds: under ten minutes after the build
  --check            Fail when a goal is missed
  --only WORKLOAD    This workload alone; may be repeated
  --list             Print the workloads, and run none
  --json FILE        Write all figures, those of each round too, as JSON
  --document FILE    Write the report as Markdown, as docs/benchmarks.md is, and its plots into a folder beside it
",
    run,
};

fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let quick = options.effort == Effort::Quick;
    if options.list {
        for (_, part) in Part::ALL {
            for workload in workloads::of(part, quick) {
                println!("{:<16} {}", workload.name, workload.what);
            }
        }
        return Ok(());
    }
    let root = repository::root()?;
    let programs = Programs::of(&root);
    let runs = !options.only.is_empty() || options.parts.iter().any(|part| *part != Part::Build);
    if runs {
        programs.build(&root)?;
    }
    let mut measured = Vec::new();
    for part in &options.parts {
        for workload in workloads::of(*part, quick) {
            let rounds = match part {
                Part::Growth => rounds::rounds_of_a_point(options.effort),
                _ => rounds::rounds(workload.measure, options.effort),
            };
            measured.push(rounds::measure(&programs, workload, rounds)?);
        }
    }
    for name in &options.only {
        let workload = workloads::find(name, quick)?;
        let rounds = rounds::rounds(workload.measure, options.effort);
        measured.push(rounds::measure(&programs, workload, rounds)?);
    }
    let wanted = options.parts.contains(&Part::Build);
    let built = if wanted { Some(build::measure(&root, programs.target())?) } else { None };
    let summary = Summary(measured.iter().map(Row::of).collect());
    let curves: Vec<Curve> =
        workloads::series().iter().filter_map(|series| Curve::of(series, &summary)).collect();
    let verdicts = goals::judge(&summary, &curves, built.as_ref());
    let machine = machine::describe(&root);
    let findings = Findings { machine, quick, measured, summary, curves, built, verdicts };
    print!("{}", report::text(&findings));
    if let Some(file) = &options.json {
        write(file, &report::json(&findings))?;
    }
    if let Some(file) = &options.document {
        document(file, &findings)?;
    }
    let missed = findings.verdicts.iter().filter(|verdict| !verdict.holds).count();
    if options.check && missed > 0 {
        return Err(Failure::failed(format!("{missed} goals are missed")));
    }
    Ok(())
}

/// Writes the report, and its plots into a folder of its name.
fn document(file: &Path, findings: &Findings) -> Result<(), Failure> {
    let plots = file.with_extension("");
    fs::create_dir_all(&plots).map_err(|error| Failure::failed(format!("{}: {error}", plots.display())))?;
    for curve in &findings.curves {
        write(&plots.join(curve.name).with_extension("svg"), &plot::svg(curve))?;
    }
    let folder = plots.file_name().unwrap_or_default().to_string_lossy().into_owned();
    write(file, &report::document(findings, &folder))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))
}
