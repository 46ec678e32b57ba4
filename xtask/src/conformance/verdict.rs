//! What a run came to, strictly: the suite alone is content with checks that were all skipped, and takes a client that
//! was killed for one that ended well.

use serde::{Deserialize, Serialize};

/// What is known of a run when it is over.
#[derive(Debug)]
pub(super) struct Evidence {
    /// How the suite ended.
    pub(super) suite: Result<(), String>,
    /// The `checks.json` that the suite wrote.
    pub(super) checks: Result<Vec<Check>, String>,
    /// What the client wrote to its standard output and error.
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A check of the suite.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    id: String,
    #[serde(default)]
    description: String,
    status: String,
    error_message: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    /// The client did something wrong: why.
    Failed(Vec<String>),
    /// Nothing was found out about the client, or it hung or died: never what was expected.
    Broken(Vec<String>),
}

/// How many checks of each kind there were.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) success: usize,
    pub(super) failure: usize,
    pub(super) warning: usize,
    pub(super) skipped: usize,
    pub(super) info: usize,
}

impl Counts {
    pub(super) fn of(checks: &[Check]) -> Self {
        let count = |status: &str| checks.iter().filter(|check| check.status == status).count();
        Self {
            success: count("SUCCESS"),
            failure: count("FAILURE"),
            warning: count("WARNING"),
            skipped: count("SKIPPED"),
            info: count("INFO"),
        }
    }

    fn total(&self) -> usize {
        self.success + self.failure + self.warning + self.skipped + self.info
    }
}

pub(super) fn judge(evidence: &Evidence) -> Verdict {
    let checks = match &evidence.checks {
        Ok(checks) => checks,
        Err(why) => {
            let suite = evidence.suite.as_ref().err().map(|why| format!("the suite: {why}"));
            return Verdict::Broken(suite.into_iter().chain([why.clone()]).collect());
        }
    };
    let said = || evidence.stderr.lines().next_back().unwrap_or("nothing on standard error");
    // The last line that the client writes.
    match evidence.stdout.lines().next_back().and_then(|line| line.strip_prefix("end: ")) {
        Some("done" | "failed") => {}
        Some("hung") => return Verdict::Broken(vec![format!("the client hung: {}", said())]),
        _ => return Verdict::Broken(vec![format!("the client did not end by itself: {}", said())]),
    }
    let counts = Counts::of(checks);
    let mut why: Vec<String> = checks
        .iter()
        .filter(|check| matches!(check.status.as_str(), "FAILURE" | "WARNING"))
        .map(|check| {
            let text = check.error_message.as_ref().unwrap_or(&check.description);
            format!("{} {}: {text}", check.status, check.id)
        })
        .collect();
    if counts.total() != checks.len() {
        why.push("a check has a status that is not known".to_string());
    }
    if counts.success == 0 {
        why.push("no check is a success".to_string());
    }
    if let (Err(suite), true) = (&evidence.suite, why.is_empty()) {
        why.push(format!("the suite: {suite}; the client: {}", said()));
    }
    if why.is_empty() { Verdict::Passed } else { Verdict::Failed(why) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(statuses: &[&str], suite: Result<(), String>, stdout: &str) -> Evidence {
        let check = |status: &&str| Check {
            id: "id".to_string(),
            description: "what is checked".to_string(),
            status: (*status).to_string(),
            error_message: (*status == "FAILURE").then(|| "wrong".to_string()),
        };
        Evidence {
            suite,
            checks: Ok(statuses.iter().map(check).collect()),
            stdout: stdout.to_string(),
            stderr: "error: last words\n".to_string(),
        }
    }

    fn why(verdict: Verdict) -> String {
        match verdict {
            Verdict::Failed(why) => why.join("; "),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn successes_alone_pass() {
        let good = evidence(&["SUCCESS", "INFO", "SKIPPED"], Ok(()), "x\nend: done\n");
        assert_eq!(judge(&good), Verdict::Passed);
        // Some scenarios end with an error of the client; the suite knows which.
        assert_eq!(judge(&evidence(&["SUCCESS"], Ok(()), "end: failed\n")), Verdict::Passed);
    }

    #[test]
    fn failures_and_warnings_fail() {
        let failed = judge(&evidence(&["SUCCESS", "FAILURE"], Err("exit status: 1".into()), "end: done\n"));
        assert_eq!(why(failed), "FAILURE id: wrong");
        let warned = judge(&evidence(&["SUCCESS", "WARNING"], Ok(()), "end: done\n"));
        assert_eq!(why(warned), "WARNING id: what is checked");
    }

    #[test]
    fn what_the_suite_overlooks_fails() {
        for nothing in [&["SKIPPED", "INFO"][..], &[]] {
            assert_eq!(why(judge(&evidence(nothing, Ok(()), "end: done\n"))), "no check is a success");
        }
        assert!(why(judge(&evidence(&["SUCCESS", "ODD"], Ok(()), "end: done\n"))).contains("not known"));
    }

    #[test]
    fn a_wrong_exit_status_fails_with_the_last_words_of_the_client() {
        let verdict = judge(&evidence(&["SUCCESS"], Err("exit status: 1".to_string()), "end: failed\n"));
        assert_eq!(why(verdict), "the suite: exit status: 1; the client: error: last words");
    }

    #[test]
    fn a_client_that_hung_or_died_and_a_suite_that_says_nothing_are_never_expected() {
        for stdout in ["", "end: hung\n", "end: done\nmore\n"] {
            let verdict = judge(&evidence(&["SUCCESS"], Ok(()), stdout));
            assert!(matches!(verdict, Verdict::Broken(_)), "{stdout:?}: {verdict:?}");
        }
        let silent = Evidence {
            checks: Err("no checks.json".to_string()),
            ..evidence(&[], Err("not done after 45s".to_string()), "")
        };
        let expected = ["the suite: not done after 45s".to_string(), "no checks.json".to_string()];
        assert_eq!(judge(&silent), Verdict::Broken(expected.into()));
    }
}
