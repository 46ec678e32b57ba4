//! What `cargo metadata` knows about the workspace and all that it stands on.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

use crate::{command::Failure, process::Invocation};

/// The resolved graph: what `cargo test --workspace` builds, on all targets together.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    /// By the id that cargo gives them.
    packages: BTreeMap<String, Package>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Whether it belongs to this workspace.
    pub(crate) is_member: bool,
    /// From the root, with `/` on every system; of members only.
    pub(crate) manifest: String,
    pub(crate) version: String,
    pub(crate) description: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) rust_version: Option<String>,
    /// Features that its manifest declares.
    pub(crate) features: BTreeSet<String>,
    /// Features that are on.
    pub(crate) features_on: BTreeSet<String>,
    pub(crate) edges: Vec<Edge>,
}

/// One package depends on another, in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The id of the package at its end.
    to: String,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

impl Kind {
    /// The section of the manifest.
    pub(crate) fn section(self) -> &'static str {
        match self {
            Self::Normal => "dependencies",
            Self::Dev => "dev-dependencies",
            Self::Build => "build-dependencies",
        }
    }
}

impl Metadata {
    /// Asks cargo.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        Self::parse(&Invocation::new("cargo metadata --format-version 1").output(root)?)
    }

    /// Members in the order of their names.
    pub(crate) fn members(&self) -> Vec<&Package> {
        let mut members: Vec<_> = self.packages.values().filter(|package| package.is_member).collect();
        members.sort_by_key(|package| &package.name);
        members
    }

    /// The package at the end of an edge.
    pub(crate) fn target(&self, edge: &Edge) -> Option<&Package> {
        self.packages.get(&edge.to)
    }

    /// What `package` needs over edges of these kinds, itself left out. A build dependency's own needs are its normal
    /// ones, so `Dev` is followed from `package` alone.
    pub(crate) fn closure(&self, package: &Package, kinds: &[Kind]) -> Vec<&Package> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Edge> = package.edges.iter().filter(|edge| kinds.contains(&edge.kind)).collect();
        while let Some(edge) = open.pop() {
            if let Some(package) = self.target(edge).filter(|_| seen.insert(edge.to.as_str())) {
                open.extend(
                    package.edges.iter().filter(|edge| edge.kind != Kind::Dev && kinds.contains(&edge.kind)),
                );
            }
        }
        seen.into_iter().filter_map(|id| self.packages.get(id)).collect()
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let unexpected = || Failure::failed("`cargo metadata` answered in a form that xtask does not know");
        let value: Value = serde_json::from_str(text).map_err(|_| unexpected())?;
        Self::from_value(&value).ok_or_else(unexpected)
    }

    fn from_value(value: &Value) -> Option<Self> {
        let root = value["workspace_root"].as_str()?;
        let members: BTreeSet<_> =
            value["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
        let mut packages = BTreeMap::new();
        for package in value["packages"].as_array()? {
            let id = package["id"].as_str()?;
            packages.insert(id.to_string(), parse_package(package, root, members.contains(id))?);
        }
        for node in value["resolve"]["nodes"].as_array()? {
            let package = packages.get_mut(node["id"].as_str()?)?;
            package.features_on = strings(&node["features"])?.collect();
            for dependency in node["deps"].as_array()? {
                for kind in dependency["dep_kinds"].as_array()? {
                    let edge = Edge {
                        to: dependency["pkg"].as_str()?.to_string(),
                        kind: parse_kind(&kind["kind"])?,
                    };
                    if !package.edges.contains(&edge) {
                        package.edges.push(edge);
                    }
                }
            }
        }
        Some(Self { packages })
    }
}

fn parse_package(value: &Value, root: &str, is_member: bool) -> Option<Package> {
    let text = |name: &str| value[name].as_str().map(str::to_string);
    let manifest = value["manifest_path"].as_str()?;
    Some(Package {
        name: text("name")?,
        is_member,
        manifest: manifest
            .strip_prefix(root)
            .unwrap_or(manifest)
            .replace('\\', "/")
            .trim_start_matches('/')
            .to_string(),
        version: text("version")?,
        description: text("description"),
        license: text("license"),
        rust_version: text("rust_version"),
        features: value["features"].as_object()?.keys().cloned().collect(),
        features_on: BTreeSet::new(),
        edges: Vec::new(),
    })
}

fn parse_kind(value: &Value) -> Option<Kind> {
    match value.as_str() {
        None => Some(Kind::Normal),
        Some("dev") => Some(Kind::Dev),
        Some("build") => Some(Kind::Build),
        Some(_) => None,
    }
}

fn strings(value: &Value) -> Option<impl Iterator<Item = String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_string))
}

/// Small graphs for the tests of the checks.
#[cfg(test)]
pub(crate) mod testing {
    use super::{Edge, Kind, Metadata, Package};

    impl Metadata {
        /// A member whose edges go to packages of these names.
        pub(crate) fn member(self, name: &str, edges: &[(Kind, &str)]) -> Self {
            self.package(name, edges, |package| {
                package.is_member = true;
                package.manifest = format!("crates/{name}/Cargo.toml");
            })
        }

        /// A package of somebody else.
        pub(crate) fn foreign(self, name: &str, edges: &[(Kind, &str)]) -> Self {
            self.package(name, edges, |_| {})
        }

        /// Any package, changed by `change`.
        pub(crate) fn package(
            mut self,
            name: &str,
            edges: &[(Kind, &str)],
            change: impl FnOnce(&mut Package),
        ) -> Self {
            let edges = edges.iter().map(|&(kind, to)| Edge { to: to.to_string(), kind }).collect();
            let mut package = Package {
                name: name.to_string(),
                is_member: false,
                manifest: String::new(),
                version: "0.1.0".to_string(),
                description: Some("A thing".to_string()),
                license: Some("MIT".to_string()),
                rust_version: None,
                features: [].into(),
                features_on: [].into(),
                edges,
            };
            change(&mut package);
            self.packages.insert(name.to_string(), package);
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"workspace_root": "/r", "workspace_members": ["a 1"],
        "packages": [
            {"id": "a 1", "name": "a", "version": "1.0.0", "manifest_path": "/r/crates/a/Cargo.toml",
             "features": {"default": []}, "rust_version": "1.85", "description": null, "license": "MIT"},
            {"id": "b 1", "name": "b", "version": "1.0.0", "manifest_path": "/registry/b/Cargo.toml", "features": {}}],
        "resolve": {"nodes": [
            {"id": "a 1", "features": ["default"], "deps": [{"pkg": "b 1", "dep_kinds": [
                {"kind": null, "target": null}, {"kind": null, "target": "cfg(unix)"}, {"kind": "dev", "target": null}]}]},
            {"id": "b 1", "features": [], "deps": []}]}}"#;

    #[test]
    fn reads_members_edges_and_features() {
        let metadata = Metadata::parse(ANSWER).unwrap();
        let members = metadata.members();
        let [a] = members[..] else { panic!("{members:?}") };
        assert_eq!((a.manifest.as_str(), a.rust_version.as_deref()), ("crates/a/Cargo.toml", Some("1.85")));
        assert_eq!(a.features_on, ["default".to_string()].into());
        let kinds: Vec<_> = a.edges.iter().map(|edge| edge.kind).collect();
        assert_eq!(kinds, [Kind::Normal, Kind::Dev]);
        assert_eq!(metadata.target(&a.edges[0]).unwrap().name, "b");
    }

    #[test]
    fn an_unknown_answer_is_an_error() {
        for text in ["", "[]", "{}", r#"{"packages": []}"#] {
            assert!(Metadata::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_closure_follows_its_kinds_only_and_dev_only_from_the_start() {
        let metadata = Metadata::default()
            .member("a", &[(Kind::Normal, "b"), (Kind::Dev, "d")])
            .foreign("b", &[(Kind::Normal, "c"), (Kind::Dev, "e"), (Kind::Build, "f")])
            .foreign("c", &[(Kind::Normal, "b")])
            .foreign("d", &[])
            .foreign("e", &[])
            .foreign("f", &[]);
        let a = metadata.members()[0];
        let names =
            |kinds: &[Kind]| metadata.closure(a, kinds).iter().map(|p| p.name.clone()).collect::<String>();
        assert_eq!(names(&[Kind::Normal]), "bc");
        assert_eq!(names(&[Kind::Normal, Kind::Build]), "bcf");
        assert_eq!(names(&[Kind::Normal, Kind::Dev]), "bcd");
    }
}
