//! `cargo xtask conformance`: our client against the official conformance suite.
//!
//! `crates/mcp-conformance` is the client under test, and has the pins of the suite and the list of runs that are known to
//! fail. This module fetches the suite into `target/conformance`, builds the client, runs every client scenario by itself,
//! judges more strictly than the suite does, and reports.

mod drive;
mod expected;
mod report;
mod suite;
mod verdict;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use expected::Expected;
use report::Summary;
use suite::{Run, Suite};

use crate::{
    command::{Command, Failure},
    process::Invocation,
    repository,
};

pub(crate) const COMMAND: Command = Command {
    name: "conformance",
    summary: "Runs our client against the official conformance suite",
    usage: "\
Usage: cargo xtask conformance [--scenario SCENARIO]... [--wire REVISION] [--list] [--json FILE]

Fetches the suite, pinned, into target/conformance, from the package registry that npm is set up for (and a Node.js from
there too, if that of the machine is older than 22), and runs every client scenario by itself, at the newest revision of
each era that it applies to; extensions at both. crates/mcp-conformance/expected-failures.json lists the runs that are known
to fail; one that is listed and passes is a failure. What a run left is in target/conformance/runs.

  --scenario SCENARIO  This scenario alone; may be repeated
  --wire REVISION      Runs at this revision alone
  --list               Print the runs, run nothing
  --json FILE          Write the reports as JSON too
",
    run: |arguments| run(&repository::root()?, &Options::parse(arguments)?, &[]),
};

/// Beside each other. A run waits more than it works.
const WORKERS: usize = 2;

/// For all runs. They take a small part of it: it is there so that a suite that hangs does not take an hour to say so.
const BUDGET: Duration = Duration::from_secs(10 * 60);

/// For the build of the client.
const BUILD_LIMIT: Duration = Duration::from_secs(20 * 60);

/// What CI runs; `settings` are the environment of the build, beside our own.
pub(crate) fn run_ci(root: &Path, settings: &[(&'static str, &'static str)]) -> Result<(), Failure> {
    run(root, &Options::default(), settings)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    scenarios: Vec<String>,
    wire: Option<String>,
    list: bool,
    json: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value")));
            match word.as_str() {
                "--scenario" => options.scenarios.push(value()?.clone()),
                "--wire" => options.wire = Some(value()?.clone()),
                "--list" => options.list = true,
                "--json" => options.json = Some(value()?.into()),
                other => return Err(Failure::usage(format!("no option `{other}`"))),
            }
        }
        Ok(options)
    }

    /// The runs that are asked for.
    fn choose(&self, runs: &[Run]) -> Result<Vec<Run>, Failure> {
        if let Some(unknown) =
            self.scenarios.iter().find(|name| !runs.iter().any(|run| run.scenario == **name))
        {
            return Err(Failure::usage(format!("no scenario `{unknown}`; `--list` shows them")));
        }
        let wanted = |run: &&Run| {
            (self.scenarios.is_empty() || self.scenarios.contains(&run.scenario))
                && self.wire.as_ref().is_none_or(|wire| wire == run.wire)
        };
        let chosen: Vec<Run> = runs.iter().filter(wanted).cloned().collect();
        if chosen.is_empty() { Err(Failure::usage("no run is at that revision")) } else { Ok(chosen) }
    }
}

fn run(root: &Path, options: &Options, settings: &[(&'static str, &'static str)]) -> Result<(), Failure> {
    if !cfg!(unix) {
        return Err(Failure::failed("the suite is only known to run clients on Unix systems"));
    }
    let (source, home) = (root.join("crates/mcp-conformance"), root.join("target/conformance"));
    let suite = Suite::install(&source, &home)?;
    let all = suite.runs(root)?;
    let expected = Expected::read(&source.join("expected-failures.json"), &all)?;
    let runs = options.choose(&all)?;
    if options.list {
        for run in &runs {
            println!("{:<42} {:<10} {}", run.scenario, run.wire, expected.reason(run).unwrap_or_default());
        }
        return Ok(());
    }
    // Where `drive::CLIENT` is, whatever the target folder is set to.
    let build = Invocation::new("cargo build --locked -p mcp-conformance --target-dir target");
    println!("$ {}", build.line());
    build.limit(BUILD_LIMIT).run(root, settings).map_err(Failure::failed)?;

    println!("\n{}", report::head());
    let begun = Instant::now();
    let reports = side_by_side(&runs, |run| {
        let report = drive::run(root, &home, &suite, run).expecting(expected.reason(run));
        println!("{}", report.line());
        // For those who read it through a pipe. What cannot be written is no fault of the client.
        let _ = std::io::stdout().flush();
        report
    });
    let missing = runs.len() - reports.len();
    let summary = Summary::new(reports, begun.elapsed());
    print!("\n{summary}");
    if let Some(file) = &options.json {
        fs::write(file, summary.json())
            .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
    }
    summary.result()?;
    if missing > 0 {
        return Err(Failure::failed(format!("{missing} runs were not begun within {BUDGET:?}")));
    }
    Ok(())
}

/// What becomes of `runs`, in no order; those that are not begun within the budget are left out.
fn side_by_side<T: Send>(runs: &[Run], perform: impl Fn(&Run) -> T + Sync) -> Vec<T> {
    let (begun, next, done) = (Instant::now(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while begun.elapsed() < BUDGET
            && let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let outcome = perform(run);
            done.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        }
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failure> {
        Options::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn runs() -> Vec<Run> {
        let run = |scenario: &str, wire| Run { scenario: scenario.to_string(), wire };
        vec![run("a", "2025-11-25"), run("a", "2026-07-28"), run("b", "2026-07-28")]
    }

    #[test]
    fn options_are_read() {
        let options = parse(&["--scenario", "a", "--wire", "2026-07-28", "--json", "out.json"]).unwrap();
        assert_eq!((options.scenarios, options.wire), (vec!["a".into()], Some("2026-07-28".into())));
        assert_eq!((options.list, options.json), (false, Some("out.json".into())));
        for wrong in [["--scenario"], ["--fast"]] {
            assert_eq!(parse(&wrong).unwrap_err().exit_code(), 2);
        }
    }

    #[test]
    fn runs_are_chosen_by_scenario_and_by_revision() {
        let chosen = |words: &[&str]| parse(words)?.choose(&runs()).map(|runs| runs.len());
        assert_eq!(chosen(&[]), Ok(3));
        assert_eq!(chosen(&["--scenario", "a"]), Ok(2));
        assert_eq!(chosen(&["--scenario", "a", "--wire", "2026-07-28"]), Ok(1));
        assert_eq!(chosen(&["--scenario", "c"]).unwrap_err().exit_code(), 2);
        assert_eq!(chosen(&["--wire", "2024-11-05"]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn every_run_is_made_once() {
        let names = side_by_side(&runs(), Run::name);
        assert_eq!(names.len(), 3);
        assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), 3);
    }
}
