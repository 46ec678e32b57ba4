//! What each package declares, and what it takes from the workspace.

use super::{Finding, Report, Tree};
use crate::{
    metadata::{Metadata, Package},
    repository::Files,
};

/// Said once, in `[workspace.package]`.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license"];

pub(super) fn check(tree: &Tree) -> Report {
    violations(&tree.metadata, &tree.files).into()
}

fn violations(metadata: &Metadata, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in metadata.members() {
        let text = files.get(&member.manifest).unwrap_or_default();
        findings.extend(inheritance(&member.manifest, text));
        if let Some(folder) =
            member.manifest.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml"))
        {
            findings.extend(publishable(member, folder, files));
        }
    }
    findings
}

fn inheritance(path: &str, text: &str) -> Vec<Finding> {
    let entries = entries(text);
    let mut findings = Vec::new();
    for key in INHERITED {
        if !entries.iter().any(|entry| entry.section == "package" && entry.inherits(key)) {
            let problem = format!("`{key}` is not inherited");
            findings.push(Finding::new(path, problem, format!("{key}.workspace = true in [package]")));
        }
    }
    let lints = entries
        .iter()
        .any(|entry| entry.section == "lints" && entry.key == "workspace" && entry.value == "true");
    if !lints {
        findings.push(Finding::new(
            path,
            "the lints of the workspace are off",
            "workspace = true in [lints]",
        ));
    }
    for entry in
        entries.iter().filter(|entry| entry.section.ends_with("dependencies") && !entry.inherits_itself())
    {
        let name = entry.key.split('.').next().unwrap_or(entry.key);
        let problem = format!("`{name}` has a version or path of its own");
        let fix =
            format!("put it into [workspace.dependencies] of the root, and `{name}.workspace = true` here");
        findings.push(Finding::at(path, entry.line, problem, fix));
    }
    findings
}

fn publishable(package: &Package, folder: &str, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut missing = |is_missing: bool, problem: &str, fix: &str| {
        if is_missing {
            findings.push(Finding::new(&package.manifest, problem, fix));
        }
    };
    missing(package.name != folder, "the package is not named as its folder", "give both the same name");
    missing(
        package.description.as_deref().unwrap_or_default().is_empty(),
        "no description",
        "one line in [package]",
    );
    missing(package.license.is_none(), "no license", "license.workspace = true in [package]");
    let readme = files.get(&format!("crates/{folder}/README.md")).unwrap_or_default();
    missing(
        readme.trim().is_empty(),
        "no README.md beside it",
        "what the crate is for, and what it leaves out",
    );
    findings
}

/// `key = value` in a section of a manifest. Enough of TOML for the manifests of this workspace.
struct Entry<'a> {
    section: &'a str,
    key: &'a str,
    value: &'a str,
    line: usize,
}

impl Entry<'_> {
    fn inherits(&self, key: &str) -> bool {
        self.key.split('.').next() == Some(key) && self.inherits_itself()
    }

    fn inherits_itself(&self) -> bool {
        let value: String = self.value.split_whitespace().collect();
        (self.key.ends_with(".workspace") && value == "true") || value.contains("workspace=true")
    }
}

fn entries(text: &str) -> Vec<Entry<'_>> {
    let (mut section, mut entries) = ("", Vec::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            entries.push(Entry { section, key: key.trim(), value: value.trim(), line: index + 1 });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
[package]
name = \"mcp-types\"
version.workspace = true
edition = { workspace = true }
rust-version.workspace = true
license.workspace = true

[dependencies]
serde.workspace = true
tokio = { workspace = true, features = [\"sync\"] }

[lints]
workspace = true
";

    fn problems(manifest: &str) -> Vec<String> {
        inheritance("crates/mcp-types/Cargo.toml", manifest)
            .into_iter()
            .map(|finding| finding.problem)
            .collect()
    }

    #[test]
    fn what_is_not_inherited_is_found() {
        assert_eq!(problems(GOOD), [""; 0]);
        assert_eq!(
            problems(&GOOD.replace("rust-version.workspace = true", "rust-version = \"1.70\"")).len(),
            1
        );
        assert_eq!(
            problems(&GOOD.replace("edition = { workspace = true }", "")),
            ["`edition` is not inherited"]
        );
        assert_eq!(
            problems(&GOOD.replace("[lints]\nworkspace = true", "")),
            ["the lints of the workspace are off"]
        );
        assert_eq!(
            problems(&GOOD.replace("[lints]\nworkspace = true", "[lints]\nworkspace = false")).len(),
            1
        );
    }

    #[test]
    fn a_dependency_with_a_version_of_its_own_is_found_at_its_line() {
        let findings = inheritance("Cargo.toml", &GOOD.replace("serde.workspace = true", "serde = \"1\""));
        assert_eq!(findings[0].place, "Cargo.toml:9");
        let targeted = format!("{GOOD}[target.'cfg(unix)'.dependencies]\nnix = \"0.30\"\n");
        assert_eq!(problems(&targeted), ["`nix` has a version or path of its own"]);
    }

    #[test]
    fn a_crate_has_a_description_and_a_readme() {
        let good = || Metadata::default().member("mcp-types", &[]);
        let manifest = ("crates/mcp-types/Cargo.toml", GOOD);
        let files = Files::from([manifest, ("crates/mcp-types/README.md", "# mcp-types")]);
        assert_eq!(violations(&good(), &files), []);
        assert_eq!(violations(&good(), &Files::from([manifest]))[0].problem, "no README.md beside it");
        let bare = Metadata::default().package("mcp-types", &[], |package| {
            package.is_member = true;
            package.manifest = "crates/mcp-types/Cargo.toml".to_string();
            package.description = None;
            package.license = None;
        });
        assert_eq!(violations(&bare, &files).len(), 2);
    }

    #[test]
    fn packages_outside_of_crates_need_no_readme() {
        let metadata = Metadata::default().package("xtask", &[], |package| {
            package.is_member = true;
            package.manifest = "xtask/Cargo.toml".to_string();
        });
        assert_eq!(violations(&metadata, &Files::from([("xtask/Cargo.toml", GOOD)])), []);
    }
}
