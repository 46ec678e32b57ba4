//! `cargo xtask tidy`: rules about the workspace that no compiler checks.
//!
//! A check is a module with a function from the [`Tree`] to a [`Report`]; each rule in it is a function of plain values,
//! tested on small inputs. Limits and exceptions are constants beside the rule, each with its reason.

mod arrows;
mod code;
mod crate_count;
mod documents;
mod entry_points;
mod feature_counts;
mod features;
mod lengths;
mod manifests;
mod markdown;
mod msrv;
mod readme;
pub(crate) mod rust_text;
mod schema_files;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    command::{Command, Failure},
    metadata::Metadata,
    repository::{self, Files},
};

pub(crate) const COMMAND: Command = Command {
    name: "tidy",
    summary: "Checks rules about the workspace itself: arrows, sizes, documents, code",
    usage: "\
Usage: cargo xtask tidy [--list] [CHECK...]

Runs every check, or those that are named, and shows all that they find.

  --list  Print the checks, run nothing
",
    run,
};

/// Every check, in the order in which they run.
const CHECKS: &[Check] = &[
    Check { name: "arrows", about: "which crate may depend on which", run: arrows::check },
    Check {
        name: "crate-count",
        about: "crates of others below the smallest clients",
        run: crate_count::check,
    },
    Check {
        name: "feature-counts",
        about: "crates of others that each feature of mcp-transport-http brings",
        run: feature_counts::check,
    },
    Check { name: "manifests", about: "what each package declares and inherits", run: manifests::check },
    Check { name: "features", about: "no feature is left out of the tests", run: features::check },
    Check {
        name: "msrv",
        about: "the Rust version is the lowest that works, the same everywhere",
        run: msrv::check,
    },
    Check { name: "lengths", about: "length of Rust files", run: lengths::check },
    Check { name: "code", about: "code that is not wanted", run: code::check },
    Check { name: "schema-files", about: "no copy of the official schema", run: schema_files::check },
    Check {
        name: "documents",
        about: "documents that must be there, and their links",
        run: documents::check,
    },
    Check { name: "readme", about: "commands and crates of the README", run: readme::check },
    Check {
        name: "entry-points",
        about: "CI runs the list of steps of this program",
        run: entry_points::check,
    },
];

struct Check {
    name: &'static str,
    about: &'static str,
    run: fn(&Tree) -> Report,
}

/// What the checks look at.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: Files,
    pub(crate) metadata: Metadata,
}

impl Tree {
    fn read(root: &Path) -> Result<Self, Failure> {
        Ok(Self { root: root.to_path_buf(), files: Files::read(root)?, metadata: Metadata::read(root)? })
    }
}

/// What a check has to say.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Each one fails the check.
    pub(crate) findings: Vec<Finding>,
    /// Worth knowing, and no failure.
    pub(crate) notes: Vec<String>,
}

impl From<Vec<Finding>> for Report {
    fn from(findings: Vec<Finding>) -> Self {
        Self { findings, notes: Vec::new() }
    }
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// A path from the root, with `:line` where there is one.
    pub(crate) place: String,
    pub(crate) problem: String,
    /// What to do about it.
    pub(crate) fix: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into(), fix: fix.into() }
    }

    pub(crate) fn at(path: &str, line: usize, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), problem, fix)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    fix: {}", self.place, self.problem, self.fix)
    }
}

/// Runs every check.
///
/// # Errors
/// A check found something, or could not be done.
pub(crate) fn check_all(root: &Path) -> Result<(), Failure> {
    check(root, &CHECKS.iter().collect::<Vec<_>>())
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    if arguments.iter().any(|argument| argument == "--list") {
        for check in CHECKS {
            println!("{:<13} {}", check.name, check.about);
        }
        return Ok(());
    }
    check(&repository::root()?, &chosen(arguments)?)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Check>, Failure> {
    if let Some(unknown) = names.iter().find(|name| CHECKS.iter().all(|check| check.name != *name)) {
        return Err(Failure::usage(format!(
            "no check or option `{unknown}`; `cargo xtask tidy --list` lists them"
        )));
    }
    Ok(CHECKS
        .iter()
        .filter(|check| names.is_empty() || names.iter().any(|name| name == check.name))
        .collect())
}

fn check(root: &Path, checks: &[&Check]) -> Result<(), Failure> {
    let tree = Tree::read(root)?;
    let mut failed = Vec::new();
    for check in checks {
        let report = (check.run)(&tree);
        let verdict = if report.findings.is_empty() { "ok" } else { "FAILED" };
        println!("{:<13} {verdict}", check.name);
        for note in &report.notes {
            println!("  note: {note}");
        }
        for finding in &report.findings {
            println!("  {finding}");
        }
        if !report.findings.is_empty() {
            failed.push(format!("{} ({})", check.name, report.findings.len()));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::failed(format!("not tidy: {}", failed.join(", ")))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_what_and_how_to_fix_it() {
        let finding = Finding::at("crates/a/src/lib.rs", 7, "too long", "split it");
        assert_eq!(finding.to_string(), "crates/a/src/lib.rs:7: too long\n    fix: split it");
    }

    #[test]
    fn checks_are_chosen_by_name() {
        assert_eq!(chosen(&[]).map(|checks| checks.len()), Ok(CHECKS.len()));
        let msrv =
            chosen(&["msrv".to_string()]).map(|checks| checks.iter().map(|check| check.name).collect());
        assert_eq!(msrv, Ok(vec!["msrv"]));
        assert_eq!(chosen(&["mrsv".to_string()]).err().map(|failure| failure.exit_code()), Some(2));
    }
}
