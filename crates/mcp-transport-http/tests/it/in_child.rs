//! Tests of what belongs to a whole process: they run once more in a process of their own.

use std::process::Command;

const MARK: &str = "MCP_TEST_IN_CHILD";

/// Whether this is that process.
pub(crate) fn is() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs `test` in a process whose environment has these variables too.
pub(crate) fn run(test: &str, variables: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(MARK, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    // A name that fits no test would succeed too.
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
