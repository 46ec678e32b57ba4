//! What became of the steps, as a table.

use std::{fmt, time::Duration};

use crate::command::Failure;

#[derive(Debug, Default)]
pub(crate) struct Summary(Vec<(&'static str, Outcome)>);

#[derive(Debug)]
pub(crate) enum Outcome {
    Passed {
        took: Duration,
    },
    Failed {
        took: Duration,
        why: String,
        /// The command that does it again.
        repeat: String,
    },
    /// An earlier step failed.
    NotRun,
}

impl Summary {
    pub(crate) fn add(&mut self, step: &'static str, outcome: Outcome) {
        self.0.push((step, outcome));
    }

    /// Success if every step passed.
    pub(crate) fn result(&self) -> Result<(), Failure> {
        let failed: Vec<_> = self
            .0
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Failed { .. }))
            .map(|(step, _)| *step)
            .collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(Failure::failed(format!(
            "failed: {}; again: cargo xtask ci {}",
            failed.join(", "),
            failed.join(" ")
        )))
    }

    fn total(&self) -> Duration {
        self.0
            .iter()
            .map(|(_, outcome)| match outcome {
                Outcome::Passed { took } | Outcome::Failed { took, .. } => *took,
                Outcome::NotRun => Duration::ZERO,
            })
            .sum()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, outcome) in &self.0 {
            writeln!(f, "{step:<11} {outcome}")?;
            if let Outcome::Failed { repeat, .. } = outcome {
                writeln!(f, "{:<11} again: {repeat}", "")?;
            }
        }
        writeln!(f, "{:<11} {:>15.1} s", "total", self.total().as_secs_f64())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed { took } => write!(f, "passed {:>8.1} s", took.as_secs_f64()),
            Self::Failed { took, why, .. } => write!(f, "FAILED {:>8.1} s  {why}", took.as_secs_f64()),
            Self::NotRun => f.write_str("not run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_how_to_repeat_it() {
        let mut summary = Summary::default();
        summary.add("fmt", Outcome::Passed { took: Duration::from_millis(1500) });
        let failed = Outcome::Failed {
            took: Duration::from_secs(2),
            why: "exit status: 1".to_string(),
            repeat: "cargo test --workspace".to_string(),
        };
        summary.add("test", failed);
        summary.add("docs", Outcome::NotRun);
        let table = summary.to_string();
        for part in
            ["fmt", "1.5 s", "FAILED", "exit status: 1", "again: cargo test --workspace", "not run", "3.5 s"]
        {
            assert!(table.contains(part), "{part} in\n{table}");
        }
        assert!(summary.result().unwrap_err().to_string().contains("cargo xtask ci test"));
    }

    #[test]
    fn no_failure_is_success() {
        let mut summary = Summary::default();
        summary.add("fmt", Outcome::Passed { took: Duration::ZERO });
        assert!(summary.result().is_ok());
    }
}
