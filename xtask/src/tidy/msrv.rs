//! `rust-version` is the lowest that works, and every file that names it agrees.

use std::fmt;

use super::{Finding, Report, Tree};
use crate::{
    metadata::{Kind, Metadata},
    repository::Files,
};

/// What our own code needs: `if let … &&` chains came with it. Raise it, with the reason, when clippy's `incompatible_msrv` or a
/// construct of the language needs more.
const OWN_FLOOR: Version = Version { major: 1, minor: 88 };

const MANIFEST: &str = "Cargo.toml";

/// Patch releases do not count: nothing is added in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

pub(super) fn check(tree: &Tree) -> Report {
    let Some((line, declared)) = declared(tree.files.get(MANIFEST).unwrap_or_default()) else {
        let finding = Finding::new(MANIFEST, "no `rust-version`", "declare it in [workspace.package]");
        return vec![finding].into();
    };
    let mut findings: Vec<_> = drift(declared, line, &needed(&tree.metadata)).into_iter().collect();
    findings.extend(other_mentions(&tree.files, declared));
    Report { findings, notes: vec![format!("Rust {declared}")] }
}

/// The line and the version in the manifest of the workspace.
fn declared(manifest: &str) -> Option<(usize, Version)> {
    manifest.lines().enumerate().find_map(|(index, line)| {
        let value = line.trim().strip_prefix("rust-version")?.trim_start().strip_prefix('=')?;
        Some((index + 1, Version::parse(value.trim().trim_matches('"'))?))
    })
}

/// The highest version that anything below the product crates declares, and what declares it. Build dependencies are
/// compiled by the user too; dev-dependencies are not.
fn needed(metadata: &Metadata) -> (Version, String) {
    let members = metadata.members();
    let below = members
        .iter()
        .filter(|member| member.manifest.starts_with("crates/"))
        .flat_map(|member| metadata.closure(member, &[Kind::Normal, Kind::Build]))
        .filter(|package| !package.is_member);
    below
        .filter_map(|package| {
            let version = Version::parse(package.rust_version.as_deref()?)?;
            Some((version, format!("`{} {}`", package.name, package.version)))
        })
        .chain([(OWN_FLOOR, "our own code".to_string())])
        .max_by_key(|(version, _)| *version)
        .unwrap_or((OWN_FLOOR, String::new()))
}

fn drift(declared: Version, line: usize, (needed, by): &(Version, String)) -> Option<Finding> {
    if declared == *needed {
        return None;
    }
    let problem = if declared < *needed {
        format!("`rust-version` is {declared}, but {by} needs {needed}")
    } else {
        format!("`rust-version` is {declared}, but nothing needs more than {needed}")
    };
    let fix = if declared < *needed {
        format!("raise it to {needed}, or take an older version of the dependency")
    } else {
        format!("lower it to {needed}; if our own code needs {declared}, say so in xtask/src/tidy/msrv.rs")
    };
    Some(Finding::at(MANIFEST, line, problem, fix))
}

/// Versions of Rust in documents, in clippy's configuration and in workflows.
fn other_mentions(files: &Files, declared: Version) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.iter() {
        let is_looked_at = path.ends_with("README.md")
            || path == "ARCHITECTURE.md"
            || path == "clippy.toml"
            || path.starts_with("rust-toolchain")
            || path.starts_with(".github/workflows/");
        if !is_looked_at {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            for other in versions_of_rust(line).into_iter().filter(|version| *version != declared) {
                let problem = format!("names Rust {other}, but `rust-version` is {declared}");
                findings.push(Finding::at(path, index + 1, problem, format!("write {declared}")));
            }
        }
    }
    findings
}

/// `1.N` shortly after a word that tells that Rust's version is meant, or as cargo's `+1.N`.
fn versions_of_rust(line: &str) -> Vec<Version> {
    const NEAR: usize = 24;
    let line = line.to_ascii_lowercase();
    let mut versions = Vec::new();
    for (start, _) in line.match_indices("1.") {
        let before = &line[..start];
        if before.ends_with(|c: char| c.is_ascii_digit() || c == '.') {
            continue;
        }
        let near: String = before.chars().rev().take(NEAR).collect::<Vec<_>>().into_iter().rev().collect();
        if before.ends_with('+') || ["rust", "msrv", "toolchain"].iter().any(|word| near.contains(word)) {
            let token: String =
                line[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            versions.extend(Version::parse(token.trim_end_matches('.')));
        }
    }
    versions
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        Some(Self { major: parts.next()??, minor: parts.next()?? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn needs(name: &str, rust: &str, metadata: Metadata) -> Metadata {
        metadata.package(name, &[], |package| package.rust_version = Some(rust.to_string()))
    }

    #[test]
    fn reads_the_manifest() {
        let manifest = "[workspace.package]\nedition = \"2024\"\nrust-version = \"1.85\"\n";
        assert_eq!(declared(manifest), Some((3, version("1.85"))));
        assert_eq!(declared("[workspace.package]\n"), None);
    }

    #[test]
    fn the_highest_version_below_the_product_counts() {
        let metadata = Metadata::default()
            .member("mcp-types", &[(Kind::Normal, "a"), (Kind::Dev, "b"), (Kind::Build, "c")])
            .package("xtask", &[], |package| package.is_member = true);
        let metadata = needs("c", "1.98.1", needs("b", "1.99", needs("a", "1.56", metadata)));
        assert_eq!(needed(&metadata), (version("1.98"), "`c 0.1.0`".to_string()));
        assert_eq!(needed(&Metadata::default()).0, OWN_FLOOR);
    }

    #[test]
    fn too_low_and_too_high_both_fail() {
        let needed = (version("1.88"), "`c 0.1.0`".to_string());
        assert_eq!(drift(version("1.88"), 3, &needed), None);
        assert!(drift(version("1.85"), 3, &needed).unwrap().problem.contains("`c 0.1.0` needs 1.88"));
        let high = drift(version("1.90"), 3, &needed).unwrap();
        assert!(high.place == "Cargo.toml:3" && high.fix.contains("1.88"), "{high}");
    }

    #[test]
    fn other_mentions_agree() {
        let files = Files::from([
            ("README.md", "Rust 1.85 or later. Uses tokio 1.45.\nMinimum `rust-version`: 1.70.0."),
            (".github/workflows/ci.yml", "run: cargo +1.85 check\nrun: rustup toolchain install 1.84"),
            ("clippy.toml", "msrv = \"1.85.0\""),
            ("CHANGELOG.md", "Rust 1.60"),
        ]);
        let places: Vec<_> =
            other_mentions(&files, version("1.85")).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, [".github/workflows/ci.yml:2", "README.md:2"]);
    }
}
