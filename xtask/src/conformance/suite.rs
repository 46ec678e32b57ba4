//! The suite itself: where it is, and which runs its scenarios come to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{command::Failure, install, process::Invocation, programs};

/// The major version of Node.js that the suite needs.
const NODE: u32 = 22;

/// The first revision of the modern era; earlier ones are of the legacy era.
const MODERN: &str = "2026-07-28";

/// Where an extension is tried: it belongs to no revision.
const EXTENSION: [&str; 2] = ["2025-11-25", MODERN];

/// The suite, installed.
pub(super) struct Suite {
    node: String,
    script: String,
}

/// A scenario at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) scenario: String,
    pub(super) wire: &'static str,
}

impl Run {
    pub(super) fn name(&self) -> String {
        format!("{} at {}", self.scenario, self.wire)
    }
}

impl Suite {
    /// Installs the pins in `source` below `home`.
    ///
    /// # Errors
    /// npm fails, or there is no Node.js for this machine.
    pub(super) fn install(source: &Path, home: &Path) -> Result<Self, Failure> {
        install::begin(home).map_err(|error| Failure::failed(format!("{}: {error}", home.display())))?;
        let folder = home.join("suite");
        install::npm(&source.join("npm/suite"), &folder).map_err(Failure::failed)?;
        let script = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
        Ok(Self { node: node(source, home).map_err(Failure::failed)?, script: text(&script) })
    }

    /// Every client scenario, at each revision that counts.
    pub(super) fn runs(&self, root: &Path) -> Result<Vec<Run>, Failure> {
        let listing = self.invocation(&["list", "--client"]).output(root)?;
        parse(&listing).map_err(|why| Failure::failed(format!("the list of the suite: {why}")))
    }

    pub(super) fn invocation(&self, arguments: &[&str]) -> Invocation {
        let program = [self.node.clone(), self.script.clone()];
        Invocation::of(program.into_iter().chain(arguments.iter().map(ToString::to_string)))
    }
}

/// The machine's Node.js if it is new enough, or one of npm.
fn node(source: &Path, home: &Path) -> Result<String, String> {
    let Err(why) = programs::node(NODE) else { return Ok("node".to_string()) };
    let folder = home.join("node");
    install::npm(&source.join("npm/node"), &folder)?;
    // Of the pinned packages npm installs the one for this machine, if there is one.
    let packages = fs::read_dir(folder.join("node_modules")).into_iter().flatten().flatten();
    let mut programs = packages.map(|package| package.path().join("bin/node"));
    programs.find(|program| program.is_file()).map(|program| text(&program)).ok_or(why)
}

fn text(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}

/// Lines such as `  - tools_call [2025-06-18,2025-11-25,2026-07-28]`.
fn parse(listing: &str) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    for line in listing.lines().filter_map(|line| line.trim().strip_prefix("- ")) {
        let entry = line.strip_suffix(']').and_then(|line| line.split_once(" ["));
        let (scenario, applies) = entry.ok_or_else(|| format!("`{line}`"))?;
        let wires = wires(applies).ok_or_else(|| format!("`{line}`"))?;
        runs.extend(wires.into_iter().map(|wire| Run { scenario: scenario.to_string(), wire }));
    }
    if runs.is_empty() { Err("no scenario is in it".to_string()) } else { Ok(runs) }
}

/// The newest revision of each era that a scenario applies to: within an era the suite speaks one protocol.
fn wires(applies: &str) -> Option<Vec<&'static str>> {
    const KNOWN: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", MODERN];
    if applies == "extension" {
        return Some(EXTENSION.to_vec());
    }
    let known = |revision: &str| KNOWN.into_iter().find(|known| *known == revision);
    let applies: Vec<_> = applies.split(',').map(known).collect::<Option<_>>()?;
    let newest = |modern: bool| applies.iter().copied().filter(|wire| (*wire >= MODERN) == modern).max();
    Some([newest(false), newest(true)].into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_becomes_runs() {
        let listing = "Client scenarios (test against a client):\n  - initialize [2025-06-18,2025-11-25]\n  \
                       - tools_call [2025-06-18,2025-11-25,2026-07-28]\n  - auth/dpop [extension]\n  \
                       - auth/old [2025-03-26]\n  - new [2026-07-28]\n";
        let runs: Vec<_> = parse(listing).unwrap().iter().map(Run::name).collect();
        assert_eq!(
            runs,
            [
                "initialize at 2025-11-25",
                "tools_call at 2025-11-25",
                "tools_call at 2026-07-28",
                "auth/dpop at 2025-11-25",
                "auth/dpop at 2026-07-28",
                "auth/old at 2025-03-26",
                "new at 2026-07-28",
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for listing in ["", "Client scenarios:\n", "  - x\n", "  - x [2030-01-01]\n", "  - x []\n"] {
            assert!(parse(listing).is_err(), "{listing:?}");
        }
    }
}
