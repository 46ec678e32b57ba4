//! One run of the suite.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    report::Report,
    suite::{Run, Suite},
    verdict::{Counts, Evidence, judge},
};
use crate::install::renew;

/// The client under test, from the root: the suite splits its command at spaces, and the path of the root may have some.
pub(super) const CLIENT: &str = "target/debug/conformance-client";

/// In milliseconds. The client gives up before it: see its `main.rs`.
const TIMEOUT: &str = "28000";

/// The suite waits for a client that hangs, whatever its own timeout is.
const LIMIT: Duration = Duration::from_secs(45);

/// Runs `run`, in a folder of its own below `home`.
pub(super) fn run(root: &Path, home: &Path, suite: &Suite, run: &Run) -> Report {
    let begun = Instant::now();
    let folder = home.join("runs").join(format!("{}@{}", run.scenario.replace('/', "_"), run.wire));
    let evidence = gather(root, &folder, suite, run);
    let counts = evidence.checks.as_deref().map(Counts::of).unwrap_or_default();
    Report::new(run, judge(&evidence), counts, begun.elapsed())
}

fn gather(root: &Path, folder: &Path, suite: &Suite, run: &Run) -> Evidence {
    let ended = renew(folder).and_then(|()| {
        let output = folder.to_string_lossy();
        // An extension applies to no revision: hence the force.
        let client = ["client", "--command", CLIENT, "--timeout", TIMEOUT, "-o", &output];
        let which = ["--scenario", &run.scenario, "--spec-version", run.wire, "--force"];
        let suite = suite.invocation(&[client.as_slice(), &which].concat());
        // It hands its own environment on to the client.
        suite.without("MCP_CONFORMANCE_").limit(LIMIT).log(folder.join("log.txt")).run(root, &[])
    });
    let results = find(folder, "checks.json").ok().flatten();
    let beside = |name: &str| {
        let file = results.as_ref().map(|checks| checks.with_file_name(name));
        file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default()
    };
    Evidence {
        suite: ended,
        checks: match &results {
            Some(file) => read(file),
            None => Err(format!("the suite wrote no checks.json; see {}/log.txt", folder.display())),
        },
        stdout: beside("stdout.txt"),
        stderr: beside("stderr.txt"),
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}

/// The file of this name below `folder`. The suite makes folders after the scenario and the time.
fn find(folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = if path.is_dir() { find(&path, name)? } else { path.ends_with(name).then_some(path) };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_however_deep_they_are() {
        let folder = std::env::temp_dir().join(format!("xtask-conformance-{}", std::process::id()));
        renew(&folder).unwrap();
        assert_eq!(find(&folder, "checks.json").unwrap(), None);
        fs::create_dir_all(folder.join("auth/x-2026")).unwrap();
        fs::write(folder.join("auth/x-2026/checks.json"), "[{}]").unwrap();
        let found = find(&folder, "checks.json").unwrap();
        assert_eq!(found, Some(folder.join("auth/x-2026/checks.json")));
        let odd = read::<Vec<crate::conformance::verdict::Check>>(&found.unwrap()).unwrap_err();
        assert!(odd.contains("checks.json") && odd.contains("missing field"), "{odd}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
