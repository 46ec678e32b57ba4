//! The servers that the scenarios name. What is done with them is the driver's business.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;

use crate::command::Failure;

/// Every server, in the order of the files and of their contents.
pub(super) struct Catalogue {
    pub(super) servers: Vec<Server>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Server {
    pub(super) name: String,
    /// One line for the list.
    pub(super) about: String,
    /// What it needs: `npm/NAME` or `python/NAME`, after folders and files of `interop/`, or `cargo/PACKAGE`.
    pub(super) install: Vec<String>,
    #[serde(default)]
    pub(super) ci: bool,
    /// Of a server that listens.
    #[serde(default)]
    url: Option<String>,
    /// For one run, in seconds. The driver keeps it.
    limit: u64,
    pub(super) runs: Vec<Run>,
    /// Where it is described.
    #[serde(skip)]
    pub(super) scenario: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(super) struct Run {
    /// The revision that the client is held to.
    pin: Option<String>,
}

#[derive(Deserialize)]
struct Scenario {
    servers: Vec<Server>,
}

impl Catalogue {
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let folder = root.join("interop/scenarios");
        let failed = |error| Failure::failed(format!("{}: {error}", folder.display()));
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut files: Vec<_> = entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
        files.sort();
        let mut servers = Vec::new();
        for file in files {
            let failed = |why: String| Failure::failed(format!("{}: {why}", file.display()));
            let text = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
            let scenario: Scenario =
                serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
            servers.extend(
                scenario.servers.into_iter().map(|server| Server { scenario: file.clone(), ..server }),
            );
        }
        Ok(Self { servers })
    }

    #[cfg(test)]
    pub(super) fn of(servers: &[(&str, bool)]) -> Self {
        let server = |(name, ci): &(&str, bool)| Server {
            name: (*name).to_string(),
            about: String::new(),
            install: Vec::new(),
            ci: *ci,
            url: None,
            limit: 1,
            runs: vec![Run { pin: None }],
            scenario: PathBuf::new(),
        };
        Self { servers: servers.iter().map(server).collect() }
    }
}

impl Server {
    pub(super) fn limit(&self) -> Duration {
        Duration::from_secs(self.limit)
    }

    /// How it is reached.
    pub(super) fn way(&self) -> &'static str {
        if self.url.is_some() { "http" } else { "stdio" }
    }
}

impl Run {
    /// The pinned revision, or `auto`.
    pub(super) fn name(&self) -> &str {
        self.pin.as_deref().unwrap_or("auto")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn catalogue() -> (PathBuf, Catalogue) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf();
        let catalogue = Catalogue::read(&root).unwrap();
        (root, catalogue)
    }

    #[test]
    fn names_of_servers_are_unique_and_each_has_runs() {
        let (_, catalogue) = catalogue();
        let names: BTreeSet<_> = catalogue.servers.iter().map(|server| &server.name).collect();
        assert_eq!(names.len(), catalogue.servers.len());
        assert!(catalogue.servers.iter().all(|server| !server.runs.is_empty() && !server.about.is_empty()));
    }

    #[test]
    fn what_a_server_needs_is_there() {
        let (root, catalogue) = catalogue();
        for need in catalogue.servers.iter().flat_map(|server| &server.install) {
            let file = match need.split_once('/') {
                Some(("npm", name)) => format!("interop/npm/{name}/package-lock.json"),
                Some(("python", name)) => format!("interop/python/{name}.txt"),
                Some(("cargo", "interop-rmcp")) => "interop/servers/rust/Cargo.toml".to_string(),
                _ => panic!("{need}"),
            };
            assert!(root.join(&file).is_file(), "{file}");
        }
    }

    #[test]
    fn ci_has_a_server_of_each_kind() {
        let (_, catalogue) = catalogue();
        let needs: BTreeSet<_> =
            catalogue.servers.iter().filter(|server| server.ci).flat_map(|server| &server.install).collect();
        for need in ["npm/sdk1", "npm/sdk2", "python/sdk1", "python/sdk2"] {
            assert!(needs.contains(&need.to_string()), "{need}");
        }
        let urls: Vec<_> = catalogue
            .servers
            .iter()
            .filter(|server| server.ci)
            .filter_map(|server| server.url.as_ref())
            .collect();
        for path in ["/mcp", "/sse"] {
            assert!(urls.iter().any(|url| url.ends_with(path)), "{path}");
        }
    }
}
