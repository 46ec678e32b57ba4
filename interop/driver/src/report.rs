//! What came of a run.

use std::{collections::BTreeMap, fmt::Display, time::Instant};

use serde::Serialize;

use crate::step::Topic;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) server: String,
    pub(crate) run: String,
    pub(crate) revision: Option<String>,
    pub(crate) era: Option<String>,
    /// Name and version, as the server gives them.
    pub(crate) identity: Option<String>,
    /// How many tools, resources, templates and prompts were listed, as far as the server has such lists.
    pub(crate) listed: BTreeMap<String, usize>,
    pub(crate) checks: Vec<Check>,
    /// What was odd, and no failure.
    pub(crate) notes: Vec<String>,
    /// The end of the server's standard error.
    pub(crate) stderr: Vec<String>,
    pub(crate) milliseconds: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Check {
    pub(crate) topic: Topic,
    pub(crate) what: String,
    pub(crate) outcome: Outcome,
    /// Why it failed, or why it was not made.
    pub(crate) why: Option<String>,
    pub(crate) milliseconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// The server cannot offer it.
    Absent,
}

impl Report {
    pub(crate) fn new(server: &str, run: &str) -> Self {
        Self {
            server: server.to_string(),
            run: run.to_string(),
            revision: None,
            era: None,
            identity: None,
            listed: BTreeMap::new(),
            checks: Vec::new(),
            notes: Vec::new(),
            stderr: Vec::new(),
            milliseconds: 0,
        }
    }

    /// Whether `result` is a success; the check began at `begun`.
    pub(crate) fn check<E: Display>(
        &mut self,
        topic: Topic,
        what: impl Into<String>,
        begun: Instant,
        result: Result<(), E>,
    ) {
        let outcome = if result.is_ok() { Outcome::Passed } else { Outcome::Failed };
        let why = result.err().map(|error| error.to_string());
        self.checks.push(Check { topic, what: what.into(), outcome, why, milliseconds: since(begun) });
    }

    pub(crate) fn absent(&mut self, topic: Topic, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), Some(why.into()));
        self.checks.push(Check { topic, what, outcome: Outcome::Absent, why, milliseconds: 0 });
    }
}

pub(crate) fn since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}
