//! Length of Rust files, tests included: one that grows usually holds a second concern.

use super::{Finding, Report, Tree};
use crate::repository::Files;

/// Longer files are reported.
const AIM: usize = 400;
/// Longer files fail.
const LIMIT: usize = 450;

/// Files that are longer on purpose.
const LONG: &[(&str, Reason)] = &[];

/// Why a file may be long.
type Reason = &'static str;

pub(super) fn check(tree: &Tree) -> Report {
    lengths(&tree.files, LONG)
}

fn lengths(files: &Files, long: &[(&str, Reason)]) -> Report {
    let mut report = Report::default();
    for (path, text) in files.of_kind("rs") {
        let length = text.lines().count();
        let reason = long.iter().find(|(listed, _)| *listed == path).map(|(_, reason)| reason);
        match reason {
            Some(reason) if length > LIMIT => {
                report.notes.push(format!("{path}: {length} lines, because {reason}"));
            }
            Some(_) => report.findings.push(stale(path, &format!("has {length} lines now"))),
            None if length > LIMIT => {
                let fix = "find the second concern in it and give it a file; or list it, with a reason, in \
                           xtask/src/tidy/lengths.rs";
                report.findings.push(Finding::at(path, LIMIT, format!("{length} lines, over {LIMIT}"), fix));
            }
            None if length > AIM => {
                report.notes.push(format!("{path}: {length} lines, over the aim of {AIM}"));
            }
            None => {}
        }
    }
    report.findings.extend(
        long.iter()
            .filter(|(path, _)| files.get(path).is_none())
            .map(|(path, _)| stale(path, "is not there")),
    );
    report
}

fn stale(path: &str, why: &str) -> Finding {
    Finding::new(
        path,
        format!("is listed as a long file, but {why}"),
        "take it out of xtask/src/tidy/lengths.rs",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(length: usize, long: &[(&str, Reason)]) -> Report {
        lengths(&Files::from([("src/a.rs", "x\n".repeat(length).as_str()), ("notes.md", "")]), long)
    }

    #[test]
    fn a_file_over_the_aim_is_reported_and_over_the_limit_fails() {
        let counts = |length| {
            let report = report(length, &[]);
            (report.notes.len(), report.findings.len())
        };
        assert_eq!(counts(AIM), (0, 0));
        assert_eq!(counts(AIM + 1), (1, 0));
        assert_eq!(counts(LIMIT), (1, 0));
        assert_eq!(counts(LIMIT + 1), (0, 1));
    }

    #[test]
    fn a_listed_file_may_be_long() {
        let report = report(LIMIT + 1, &[("src/a.rs", "it is one table")]);
        assert!(report.findings.is_empty() && report.notes[0].contains("one table"), "{report:?}");
    }

    #[test]
    fn a_stale_entry_fails() {
        assert_eq!(report(AIM, &[("src/a.rs", "it is one table")]).findings.len(), 1);
        assert_eq!(report(AIM, &[("src/gone.rs", "it is one table")]).findings.len(), 1);
    }
}
