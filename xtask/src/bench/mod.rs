//! `cargo xtask bench`: our client beside a hand-written loop (`floor`) and beside rmcp, in one run.
//!
//! The programs are in `benches/`, a workspace of its own: a reference server, and one driver for each client, all with
//! one command line. This module builds them, runs them in rounds, and reports.

mod goals;
mod machine;
mod programs;
mod report;
mod rounds;
mod summary;
mod workloads;

use std::{fs, path::PathBuf};

use crate::{
    command::{Command, Failure},
    repository,
};

use programs::Programs;
use rounds::Effort;
use summary::Summary;
use workloads::{WORKLOADS, Workload};

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    summary: "Compares our client with a hand-written loop and with rmcp, and says which goals hold",
    usage: "\
Usage: cargo xtask bench [--quick] [--only WORKLOAD]... [--json FILE] [--document FILE]

Builds the drivers in release mode and runs every workload in interleaved rounds.

  --quick            Fewer rounds: about two minutes after the build
  --only WORKLOAD    This workload alone; may be repeated. `--only list` prints their names
  --json FILE        Write all figures, those of each round too, as JSON
  --document FILE    Write the report as Markdown, as for docs/benchmarks.md
",
    run,
};

/// What we measure against, and ourselves. The first is the measure of the others.
const DRIVERS: [&str; 3] = ["floor", "ours", "rmcp"];

fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    if options.list {
        for workload in WORKLOADS {
            println!("{:<16} {}", workload.name, workload.what);
        }
        return Ok(());
    }
    let root = repository::root()?;
    let programs = Programs::build(&root)?;
    let measured = rounds::measure(&programs, &options.workloads, options.effort)?;
    let summary = Summary::of(&options.workloads, &measured);
    let verdicts = goals::judge(&summary);
    print!("{}", report::text(&summary, &verdicts));
    let machine = machine::describe(&root);
    if let Some(file) = &options.json {
        write(file, &report::json(&machine, &measured, &verdicts))?;
    }
    if let Some(file) = &options.document {
        write(file, &report::document(&machine, &summary, &verdicts))?;
    }
    Ok(())
}

fn write(file: &PathBuf, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))
}

struct Options {
    effort: Effort,
    workloads: Vec<&'static Workload>,
    list: bool,
    json: Option<PathBuf>,
    document: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options =
            Self { effort: Effort::Full, workloads: Vec::new(), list: false, json: None, document: None };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value")));
            match word.as_str() {
                "--quick" => options.effort = Effort::Quick,
                "--json" => options.json = Some(value()?.into()),
                "--document" => options.document = Some(value()?.into()),
                "--only" => match value()?.as_str() {
                    "list" => options.list = true,
                    name => options.workloads.push(workloads::find(name)?),
                },
                other => return Err(Failure::usage(format!("no option `{other}`"))),
            }
        }
        if options.workloads.is_empty() {
            options.workloads = WORKLOADS.iter().collect();
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failure> {
        Options::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let all = parse(&["--quick", "--json", "out.json"]).unwrap();
        assert_eq!((all.workloads.len(), all.effort), (WORKLOADS.len(), Effort::Quick));
        assert_eq!(all.json, Some(PathBuf::from("out.json")));
        let one = parse(&["--only", "call-1", "--only", "call-64"]).unwrap();
        assert_eq!(
            one.workloads.iter().map(|workload| workload.name).collect::<Vec<_>>(),
            ["call-1", "call-64"]
        );
        for wrong in [&["--only"][..], &["--only", "no-such"], &["--fast"]] {
            assert_eq!(parse(wrong).err().map(|failure| failure.exit_code()), Some(2), "{wrong:?}");
        }
    }
}
