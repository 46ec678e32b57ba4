//! `.ci/run` and the hosted workflow run the list of steps of `cargo xtask ci` and have none of their own.

use std::path::Path;

use super::{Finding, Report, Tree};
use crate::repository::Files;

/// `--locked`: a lock file that is not up to date fails here and nowhere later.
const COMMAND: &str = "cargo --locked xtask ci";
const SCRIPT: &str = ".ci/run";
const WORKFLOW: &str = ".github/workflows/ci.yml";

pub(super) fn check(tree: &Tree) -> Report {
    let mut findings = script(&tree.files);
    if tree.files.get(SCRIPT).is_some() && !is_executable(&tree.root.join(SCRIPT)) {
        findings.push(Finding::new(SCRIPT, "is not executable", format!("chmod +x {SCRIPT}")));
    }
    findings.extend(workflow(&tree.files));
    findings.into()
}

fn script(files: &Files) -> Vec<Finding> {
    let Some(text) = files.get(SCRIPT) else {
        return vec![missing(SCRIPT)];
    };
    let mut findings = Vec::new();
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if !lines.contains(&"set -euo pipefail") {
        findings.push(Finding::at(SCRIPT, 1, "goes on after an error", "`set -euo pipefail`"));
    }
    if lines.last() != Some(&format!("exec {COMMAND}").as_str()) {
        findings.push(Finding::at(
            SCRIPT,
            text.lines().count(),
            "does not end with the steps",
            format!("exec {COMMAND}"),
        ));
    }
    findings
}

fn workflow(files: &Files) -> Option<Finding> {
    let Some(text) = files.get(WORKFLOW) else {
        return Some(missing(WORKFLOW));
    };
    let runs = text.lines().any(|line| line.trim().trim_start_matches("- ") == format!("run: {COMMAND}"));
    (!runs)
        .then(|| Finding::at(WORKFLOW, 1, "does not run the steps", format!("a job with `run: {COMMAND}`")))
}

fn missing(path: &str) -> Finding {
    Finding::new(path, "is missing", format!("write it; all it does is `{COMMAND}`"))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// Elsewhere the file system does not know.
#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(script_text: &str, workflow_text: &str) -> usize {
        let files = Files::from([(SCRIPT, script_text), (WORKFLOW, workflow_text)]);
        script(&files).len() + workflow(&files).iter().count()
    }

    #[test]
    fn both_run_the_list() {
        let script = "#!/usr/bin/env bash\nset -euo pipefail\ncd \"$(dirname \"$0\")/..\"\nexec cargo --locked xtask ci\n";
        let workflow = "jobs:\n  ci:\n    steps:\n      - run: cargo --locked xtask ci\n";
        assert_eq!(problems(script, workflow), 0);
        assert_eq!(problems(script, "jobs:\n  ci:\n    steps:\n      - run: cargo test\n"), 1);
        assert_eq!(problems("#!/usr/bin/env bash\ncargo --locked xtask ci\ncargo doc\n", workflow), 2);
        assert_eq!(problems(&script.replace("xtask ci", "xtask ci clippy"), workflow), 1);
    }

    #[test]
    fn a_missing_one_fails() {
        let files = Files::default();
        assert_eq!((script(&files).len(), workflow(&files).iter().count()), (1, 1));
    }
}
