//! What the runs came to: a line each, then what failed, and what was not checked and why.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use super::catalogue::{Run, Server};
use crate::command::Failure;

/// How many lines of a server's standard error are shown with its failures.
const STDERR_LINES: usize = 10;

/// What the driver writes about a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    server: String,
    run: String,
    revision: Option<String>,
    era: Option<String>,
    identity: Option<String>,
    listed: BTreeMap<String, usize>,
    checks: Vec<Check>,
    notes: Vec<String>,
    stderr: Vec<String>,
    milliseconds: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Check {
    topic: String,
    what: String,
    outcome: Outcome,
    why: Option<String>,
    milliseconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    Absent,
}

impl Report {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("the report cannot be read: {error}"))
    }

    /// Of a run that could not be made.
    pub(super) fn impossible(server: &Server, run: &Run, why: &str) -> Self {
        let check = Check {
            topic: "run".to_string(),
            what: "the whole run".to_string(),
            outcome: Outcome::Failed,
            why: Some(why.to_string()),
            milliseconds: 0,
        };
        Self {
            server: server.name.clone(),
            run: run.name().to_string(),
            revision: None,
            era: None,
            identity: None,
            listed: BTreeMap::new(),
            checks: vec![check],
            notes: Vec::new(),
            stderr: Vec::new(),
            milliseconds: 0,
        }
    }

    /// A row of the table.
    pub(super) fn line(&self) -> String {
        let listed = |of: &str| self.listed.get(of).map_or("-".to_string(), usize::to_string);
        let verdict = if self.count(Outcome::Failed) == 0 { "ok" } else { "FAILED" };
        format!(
            "{verdict:<6} {:<28} {:<10} {:<6} {:<10} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>4}.{} s  {}",
            self.server,
            self.run,
            self.era.as_deref().unwrap_or("-"),
            self.revision.as_deref().unwrap_or("-"),
            listed("tools"),
            listed("resources"),
            listed("templates"),
            listed("prompts"),
            self.count(Outcome::Passed),
            self.count(Outcome::Failed),
            self.count(Outcome::Absent),
            self.milliseconds / 1000,
            self.milliseconds % 1000 / 100,
            self.identity.as_deref().unwrap_or("-"),
        )
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.checks.iter().filter(|check| check.outcome == outcome).count()
    }

    fn name(&self) -> String {
        format!("{} {}", self.server, self.run)
    }

    fn of(&self, outcome: Outcome) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.outcome == outcome)
    }
}

/// The head of the table whose rows are [`Report::line`].
pub(super) fn head() -> String {
    format!(
        "{:<6} {:<28} {:<10} {:<6} {:<10} {:>5} {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>8}  {}",
        "",
        "server",
        "accepted",
        "era",
        "revision",
        "tools",
        "res.",
        "tmpl.",
        "prom.",
        "passed",
        "failed",
        "absent",
        "time",
        "says that it is"
    )
}

/// All runs.
#[derive(Default)]
pub(super) struct Summary(Vec<Report>);

impl Summary {
    pub(super) fn add(&mut self, report: Report) {
        self.0.push(report);
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string_pretty(&self.0).unwrap_or_default()
    }

    /// # Errors
    /// A check failed.
    pub(super) fn result(&self) -> Result<(), Failure> {
        let failed: Vec<String> =
            self.0.iter().filter(|report| report.count(Outcome::Failed) > 0).map(Report::name).collect();
        if failed.is_empty() {
            Ok(())
        } else {
            Err(Failure::failed(format!("failed: {}", failed.join(", "))))
        }
    }

    fn total(&self, outcome: Outcome) -> usize {
        self.0.iter().map(|report| report.count(outcome)).sum()
    }

    /// What was not checked, by server; the same reason is said once, with all that it holds for.
    fn absent(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> {
        let mut servers: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for report in &self.0 {
            for check in report.of(Outcome::Absent) {
                let why = check.why.as_deref().unwrap_or("no reason");
                let what = format!("{} {}", check.topic, check.what);
                servers.entry(&report.server).or_default().entry(why).or_default().insert(what);
            }
        }
        servers
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Not checked, and why:")?;
        for (server, reasons) in self.absent() {
            writeln!(f, "  {server}")?;
            for (why, checks) in reasons {
                let checks: Vec<_> = checks.into_iter().collect();
                writeln!(f, "    {why}: {}", checks.join(", "))?;
            }
        }
        for report in self.0.iter().filter(|report| report.count(Outcome::Failed) > 0) {
            writeln!(f, "\nFailed: {}", report.name())?;
            for check in report.of(Outcome::Failed) {
                let why = check.why.as_deref().unwrap_or_default();
                writeln!(f, "  {} {}\n    {why}", check.topic, check.what)?;
            }
            for note in &report.notes {
                writeln!(f, "  the client noticed: {note}")?;
            }
            for line in report.stderr.iter().rev().take(STDERR_LINES).rev() {
                writeln!(f, "  the server said: {line}")?;
            }
        }
        writeln!(
            f,
            "\ninterop: {} passed, {} failed, {} skipped",
            self.total(Outcome::Passed),
            self.total(Outcome::Failed),
            self.total(Outcome::Absent)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(run: &str, outcome: &str, why: &str) -> Report {
        Report::read(&format!(
            r#"{{"server":"s","run":"{run}","revision":"2025-11-25","era":"legacy","identity":"s 1","listed":{{"tools":7}},
                "checks":[{{"topic":"call","what":"echo","outcome":"{outcome}","why":{why},"milliseconds":3}},
                          {{"topic":"close","what":"close","outcome":"passed","why":null,"milliseconds":3}}],
                "notes":["odd"],"stderr":["last words"],"milliseconds":1234}}"#
        ))
        .unwrap()
    }

    #[test]
    fn a_run_is_one_line_of_the_table() {
        let line = report("auto", "passed", "null").line();
        for word in ["ok", "s", "auto", "legacy", "2025-11-25", "7", "-", "1.2 s", "s 1"] {
            assert!(line.split_whitespace().collect::<Vec<_>>().join(" ").contains(word), "{word}: {line}");
        }
        assert_eq!(line.find("1.2 s"), head().find("time").map(|at| at - 1), "{line}\n{}", head());
    }

    #[test]
    fn a_failure_is_shown_with_all_that_is_known_and_fails_the_whole() {
        let mut summary = Summary::default();
        summary.add(report("auto", "passed", "null"));
        assert_eq!(summary.result(), Ok(()));
        summary.add(report("2025-06-18", "failed", r#""expected 1, came 2""#));
        let text = summary.to_string();
        for part in ["Failed: s 2025-06-18", "expected 1, came 2", "odd", "last words"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.ends_with("\ninterop: 3 passed, 1 failed, 0 skipped\n"), "{text}");
        assert_eq!(summary.result().unwrap_err().to_string(), "failed: s 2025-06-18");
    }

    #[test]
    fn what_was_not_checked_is_told_once_with_its_reason() {
        let mut summary = Summary::default();
        for run in ["auto", "2025-06-18"] {
            summary.add(report(run, "absent", r#""it has none""#));
        }
        assert_eq!(summary.to_string().matches("it has none: call echo").count(), 1);
        assert_eq!(summary.result(), Ok(()));
    }
}
