//! Documents that must be there, and links between them.

use super::{Finding, Report, Tree, markdown};
use crate::repository::Files;

/// A document, and what a reader looks for in it.
const REQUIRED: &[(&str, &str)] = &[
    ("README.md", "how to run it, and what each crate is for"),
    ("ARCHITECTURE.md", "what each crate holds, what never changes, and decisions with their reasons"),
    ("CHANGELOG.md", "what a user notices, version by version"),
    ("LICENSE-MIT", "the text of the licence"),
    ("LICENSE-APACHE", "the text of the licence"),
    ("deny.toml", "which licences and sources of dependencies are accepted"),
];

pub(super) fn check(tree: &Tree) -> Report {
    let mut findings = missing(&tree.files);
    findings.extend(unnamed_crates(&tree.files));
    findings.extend(broken_links(&tree.files));
    findings.into()
}

fn missing(files: &Files) -> Vec<Finding> {
    REQUIRED
        .iter()
        .filter(|(path, _)| files.get(path).is_none_or(|text| text.trim().is_empty()))
        .map(|(path, content)| Finding::new(*path, "is missing or empty", format!("write it: {content}")))
        .collect()
}

fn unnamed_crates(files: &Files) -> Vec<Finding> {
    const PATH: &str = "ARCHITECTURE.md";
    let Some(text) = files.get(PATH) else { return Vec::new() };
    files
        .crates()
        .filter(|name| !text.contains(&format!("`{name}`")))
        .map(|name| {
            Finding::new(
                PATH,
                format!("says nothing about `{name}`"),
                "what it holds and what it must never hold",
            )
        })
        .collect()
}

fn broken_links(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.of_kind("md") {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, target) in markdown::path_links(text) {
            if !exists(files, &resolve(folder, target)) {
                findings.push(Finding::at(
                    path,
                    line,
                    format!("links to `{target}`, which is not there"),
                    "correct the link",
                ));
            }
        }
    }
    findings
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn exists(files: &Files, path: &str) -> bool {
    path.is_empty()
        || files.get(path).is_some()
        || files.iter().any(|(file, _)| file.starts_with(&format!("{path}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_empty_documents_fail() {
        let found = missing(&Files::from([("README.md", " \n"), ("LICENSE-MIT", "MIT")]));
        let places: Vec<_> = found.into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE-APACHE", "deny.toml"]);
    }

    #[test]
    fn the_architecture_names_every_crate() {
        let crates = [("crates/mcp-types/Cargo.toml", ""), ("crates/mcp-transport/Cargo.toml", "")];
        let files =
            Files::from([crates[0], crates[1], ("ARCHITECTURE.md", "`mcp-types` and `mcp-transport-stdio`")]);
        let findings = unnamed_crates(&files);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].problem.contains("`mcp-transport`"), "{findings:?}");
    }

    #[test]
    fn links_are_followed_from_their_own_folder() {
        let files = Files::from([
            ("README.md", "[a](crates/a) [b](./ARCHITECTURE.md) [c](crates/c)"),
            ("ARCHITECTURE.md", "[readme](README.md)"),
            ("crates/a/README.md", "\n[up](../../README.md) [down](src/none.rs)"),
        ]);
        let places: Vec<_> = broken_links(&files).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["README.md:1", "crates/a/README.md:2"]);
    }
}
