//! What the runs came to: a line each, then what failed and why, and the totals.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde::Serialize;

use super::{
    suite::Run,
    verdict::{Counts, Verdict},
};
use crate::command::Failure;

/// A run, judged, and held against what was expected of it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) scenario: String,
    pub(super) wire: &'static str,
    outcome: Outcome,
    /// Why it did not pass.
    why: Vec<String>,
    /// Why it was expected to fail.
    expected: Option<String>,
    checks: Counts,
    milliseconds: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Passed,
    /// It failed, and is listed.
    Expected,
    Failed,
    /// It passed, and is listed all the same.
    Stale,
    /// Nothing was found out about the client, or it hung or died. Nobody may expect that.
    Broken,
}

impl Outcome {
    fn is_good(self) -> bool {
        matches!(self, Self::Passed | Self::Expected)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Passed => "ok",
            Self::Expected => "expected",
            Self::Failed => "FAILED",
            Self::Stale => "STALE",
            Self::Broken => "BROKEN",
        }
    }
}

impl Report {
    pub(super) fn new(run: &Run, verdict: Verdict, checks: Counts, took: Duration) -> Self {
        let (outcome, why) = match verdict {
            Verdict::Passed => (Outcome::Passed, Vec::new()),
            Verdict::Failed(why) => (Outcome::Failed, why),
            Verdict::Broken(why) => (Outcome::Broken, why),
        };
        let (scenario, wire) = (run.scenario.clone(), run.wire);
        Self { scenario, wire, outcome, why, expected: None, checks, milliseconds: took.as_millis() }
    }

    /// Holds it against `reason`, for which it was to fail.
    pub(super) fn expecting(mut self, reason: Option<&str>) -> Self {
        self.expected = reason.map(str::to_string);
        self.outcome = match (self.outcome, reason) {
            (Outcome::Passed, Some(_)) => Outcome::Stale,
            (Outcome::Failed, Some(_)) => Outcome::Expected,
            (outcome, _) => outcome,
        };
        self
    }

    /// A row of the table.
    pub(super) fn line(&self) -> String {
        let Counts { success, failure, warning, skipped, .. } = self.checks;
        format!(
            "{:<8} {:<42} {:<10} {success:>7} {failure:>7} {warning:>7} {skipped:>7} {:>5}.{} s",
            self.outcome.word(),
            self.scenario,
            self.wire,
            self.milliseconds / 1000,
            self.milliseconds % 1000 / 100,
        )
    }
}

/// The head of the table whose rows are [`Report::line`].
pub(super) fn head() -> String {
    format!(
        "{:<8} {:<42} {:<10} {:>7} {:>7} {:>7} {:>7} {:>9}",
        "", "scenario", "wire", "success", "failure", "warning", "skipped", "time"
    )
}

/// All runs.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    totals: BTreeMap<Outcome, usize>,
    milliseconds: u128,
    runs: Vec<Report>,
}

impl Summary {
    pub(super) fn new(mut runs: Vec<Report>, took: Duration) -> Self {
        // They end in any order.
        runs.sort_by(|a, b| (&a.scenario, a.wire).cmp(&(&b.scenario, b.wire)));
        let mut totals = BTreeMap::new();
        for run in &runs {
            *totals.entry(run.outcome).or_default() += 1;
        }
        Self { totals, milliseconds: took.as_millis(), runs }
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn total(&self, outcome: Outcome) -> usize {
        self.totals.get(&outcome).copied().unwrap_or_default()
    }

    /// # Errors
    /// A run was not what was expected.
    pub(super) fn result(&self) -> Result<(), Failure> {
        let bad: Vec<String> = self
            .runs
            .iter()
            .filter(|run| !run.outcome.is_good())
            .map(|run| format!("{} at {}", run.scenario, run.wire))
            .collect();
        if bad.is_empty() {
            Ok(())
        } else {
            Err(Failure::failed(format!("not as expected: {}", bad.join(", "))))
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in self.runs.iter().filter(|run| !run.outcome.is_good()) {
            writeln!(f, "{}: {} at {}", run.outcome.word(), run.scenario, run.wire)?;
            for why in &run.why {
                writeln!(f, "  {why}")?;
            }
            if let (Outcome::Stale, Some(reason)) = (run.outcome, &run.expected) {
                writeln!(f, "  it passes: take it out of the expected failures; it is listed as: {reason}")?;
            }
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for run in self.runs.iter().filter(|run| run.outcome == Outcome::Expected) {
            *reasons.entry(run.expected.as_deref().unwrap_or_default()).or_default() += 1;
        }
        for (reason, count) in reasons {
            writeln!(f, "{count:>4} expected to fail: {reason}")?;
        }
        writeln!(
            f,
            "\nconformance: {} runs: {} passed, {} failed as expected, {} failed, {} stale, {} broken; {}.{} s",
            self.runs.len(),
            self.total(Outcome::Passed),
            self.total(Outcome::Expected),
            self.total(Outcome::Failed),
            self.total(Outcome::Stale),
            self.total(Outcome::Broken),
            self.milliseconds / 1000,
            self.milliseconds % 1000 / 100,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(scenario: &str, verdict: Verdict, expected: Option<&str>) -> Report {
        let run = Run { scenario: scenario.to_string(), wire: "2026-07-28" };
        let counts = Counts { success: 4, ..Counts::default() };
        Report::new(&run, verdict, counts, Duration::from_millis(1234)).expecting(expected)
    }

    fn failed() -> Verdict {
        Verdict::Failed(vec!["FAILURE id: wrong".to_string()])
    }

    #[test]
    fn a_run_is_one_line_of_the_table() {
        let line = report("tools_call", Verdict::Passed, None).line();
        for word in ["ok", "tools_call", "2026-07-28", "4", "1.2 s"] {
            assert!(line.contains(word), "{word}: {line}");
        }
        assert_eq!(line.find("1.2 s").map(|at| at + 5), Some(head().len()), "{line}\n{}", head());
    }

    #[test]
    fn expectations_hold_both_ways() {
        let outcome = |verdict, expected| report("x", verdict, expected).outcome;
        assert_eq!(outcome(Verdict::Passed, None), Outcome::Passed);
        assert_eq!(outcome(Verdict::Passed, Some("r")), Outcome::Stale);
        assert_eq!(outcome(failed(), None), Outcome::Failed);
        assert_eq!(outcome(failed(), Some("r")), Outcome::Expected);
        assert_eq!(outcome(Verdict::Broken(Vec::new()), Some("r")), Outcome::Broken);
    }

    #[test]
    fn what_is_not_as_expected_fails_the_whole_and_says_why() {
        let good = || vec![report("a", Verdict::Passed, None), report("b", failed(), Some("not built yet"))];
        let summary = Summary::new(good(), Duration::from_millis(2500));
        assert_eq!(summary.result(), Ok(()));
        let text = summary.to_string();
        assert!(text.contains("   1 expected to fail: not built yet"), "{text}");
        assert!(text.contains("2 runs: 1 passed, 1 failed as expected, 0 failed, 0 stale, 0 broken; 2.5 s"));

        for (bad, part) in [
            (report("c", failed(), None), "FAILURE id: wrong"),
            (report("c", Verdict::Passed, Some("not built yet")), "take it out"),
            (report("c", Verdict::Broken(vec!["it hung".to_string()]), Some("r")), "it hung"),
        ] {
            let mut runs = good();
            runs.insert(0, bad);
            let summary = Summary::new(runs, Duration::ZERO);
            assert!(summary.to_string().contains(part), "{summary}");
            let failure = summary.result().unwrap_err().to_string();
            assert_eq!(failure, "not as expected: c at 2026-07-28");
        }
    }

    #[test]
    fn json_has_totals_and_runs_in_order() {
        let runs = vec![report("b", failed(), Some("r")), report("a", Verdict::Passed, None)];
        let json: serde_json::Value =
            serde_json::from_str(&Summary::new(runs, Duration::ZERO).json()).unwrap();
        assert_eq!(json["totals"]["passed"], 1);
        assert_eq!(json["totals"]["expected"], 1);
        assert_eq!(json["runs"][0]["scenario"], "a");
        assert_eq!(json["runs"][1]["expected"], "r");
        assert_eq!(json["runs"][1]["checks"]["success"], 4);
    }
}
