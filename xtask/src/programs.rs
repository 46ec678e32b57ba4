//! The programs of others that are needed: which ones are here, and whether they are new enough.

use std::process::{Command, Stdio};

/// Names under which an interpreter of Python may be found, best first.
const PYTHONS: [&str; 6] = ["python3", "python3.11", "python3.12", "python3.13", "python3.14", "python3.10"];

/// What the pinned packages of Python need.
const PYTHON: Version = Version(3, 10);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

impl Version {
    /// The first two numbers of the first word that has such, as in `Python 3.11.7` and `v20.20.2`.
    fn find(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(|word| {
            let mut numbers = word.trim_start_matches('v').split('.').map(str::parse);
            Some(Self(numbers.next()?.ok()?, numbers.next()?.ok()?))
        })
    }
}

/// Whether the Node.js on the `PATH` is of this major version or a newer one.
///
/// # Errors
/// It is missing or too old.
pub(crate) fn node(major: u32) -> Result<(), String> {
    match version("node") {
        Some(version) if version >= Version(major, 0) => Ok(()),
        Some(version) => {
            Err(format!("Node.js is {}.{}: install Node.js {major} or newer", version.0, version.1))
        }
        None => Err(format!("Node.js is missing: install Node.js {major} or newer, with npm")),
    }
}

/// # Errors
/// npm is missing.
pub(crate) fn npm() -> Result<(), String> {
    version("npm").map(drop).ok_or_else(|| "npm is missing: install it beside Node.js".to_string())
}

/// The first interpreter of Python that is new enough.
///
/// # Errors
/// There is none.
pub(crate) fn python() -> Result<&'static str, String> {
    PYTHONS.into_iter().find(|name| version(name).is_some_and(|version| version >= PYTHON)).ok_or_else(|| {
        format!("Python is missing or too old: install Python {}.{} or newer, with venv", PYTHON.0, PYTHON.1)
    })
}

fn version(program: &str) -> Option<Version> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Version::find(&String::from_utf8_lossy(&output.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        assert_eq!(Version::find("v20.20.2\n"), Some(Version(20, 20)));
        assert_eq!(Version::find("Python 3.9.7\n"), Some(Version(3, 9)));
        assert_eq!(Version::find("10.8.2"), Some(Version(10, 8)));
        assert_eq!(Version::find("no version"), None);
        assert!(Version(3, 9) < PYTHON && Version(3, 14) > PYTHON);
    }
}
