//! What a file of `interop/scenarios` holds: servers, and the steps that are taken with each of them.

use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, process::Command};

use serde::Deserialize;
use serde_json::Value;

use crate::step::{Step, Topic};

/// Servers of one contract, and the client's side of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) servers: Vec<Server>,
    /// Text files of the fresh folder, by their paths in it.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Commands that are run in the fresh folder first.
    #[serde(default)]
    setup: Vec<Vec<String>>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    pub(crate) name: String,
    /// For people, as are the next two for `cargo xtask interop`, which reads them.
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "install")]
    _install: Vec<String>,
    #[serde(default, rename = "ci")]
    _ci: bool,
    pub(crate) command: Vec<String>,
    /// Where it answers over HTTP. It does over its standard streams where it is not said.
    pub(crate) url: Option<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// For all that is done with it in one run, in seconds.
    pub(crate) limit: u64,
    /// The name that the server gives itself.
    pub(crate) identity: Option<String>,
    pub(crate) runs: Vec<Run>,
    /// How many pages a list takes. 1 where it is not said.
    #[serde(default)]
    pub(crate) pages: BTreeMap<String, usize>,
    /// What the server cannot offer, each with the reason.
    #[serde(default)]
    pub(crate) lacks: BTreeMap<Topic, String>,
}

/// One connection: with what the client accepts, and what comes of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// The one revision that the client accepts; it accepts all where it is not said.
    pub(crate) pin: Option<String>,
    /// What is negotiated.
    #[serde(default)]
    pub(crate) revision: String,
    /// Words of the error, where connecting is to fail.
    pub(crate) refused: Option<String>,
}

impl Scenario {
    pub(crate) fn server(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// Fills the fresh folder.
    pub(crate) fn prepare(&self, places: &Places) -> Result<(), Box<dyn Error>> {
        for (path, text) in &self.files {
            let path = places.work.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        for words in &self.setup {
            let (program, arguments) = words.split_first().ok_or("an empty command")?;
            let output = Command::new(program).args(arguments).current_dir(&places.work).output()?;
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(format!("`{}`: {}: {why}", words.join(" "), output.status).into());
            }
        }
        Ok(())
    }
}

impl Server {
    pub(crate) fn run(&self, name: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.name() == name)
    }

    /// What there must be steps for, or reasons why there are none.
    pub(crate) fn topics(&self) -> impl Iterator<Item = Topic> {
        Topic::REQUIRED.into_iter().chain(self.url.as_ref().map(|_| Topic::Restart))
    }
}

impl Run {
    /// The pinned revision, or `auto`.
    pub(crate) fn name(&self) -> &str {
        self.pin.as_deref().unwrap_or("auto")
    }
}

/// What the placeholders of a scenario stand for.
pub(crate) struct Places {
    pub(crate) home: PathBuf,
    pub(crate) work: PathBuf,
    /// On loopback, for a server to listen on.
    pub(crate) port: u16,
}

impl Places {
    fn fill_text(&self, text: &str) -> String {
        text.replace("{home}", &self.home.to_string_lossy())
            .replace("{work}", &self.work.to_string_lossy())
            .replace("{port}", &self.port.to_string())
    }

    fn fill(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill_text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(name, value)| (name, self.fill(value))).collect()
            }
            other => other,
        }
    }

    /// The scenario of a file, with the placeholders replaced.
    pub(crate) fn read(&self, text: &str) -> serde_json::Result<Scenario> {
        serde_json::from_value(self.fill(serde_json::from_str(text)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::stands_for;

    fn scenarios() -> Vec<(PathBuf, Scenario)> {
        let places = Places { home: "/home".into(), work: "/work".into(), port: 1 };
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files
            .map(|file| {
                let scenario = places.read(&fs::read_to_string(&file).unwrap());
                let scenario = scenario.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                (file, scenario)
            })
            .collect()
    }

    #[test]
    fn every_topic_of_every_server_has_a_step_or_a_reason_and_not_both() {
        for (file, scenario) in scenarios() {
            for server in &scenario.servers {
                for topic in server.topics() {
                    let has_step = scenario.steps.iter().any(|step| step.action.topic() == topic);
                    let has_reason = server.lacks.contains_key(&topic);
                    assert!(has_step != has_reason, "{}, {}: {topic:?}", file.display(), server.name);
                }
            }
        }
    }

    #[test]
    fn a_server_with_an_address_is_told_its_port() {
        for (file, scenario) in scenarios() {
            for Server { name, command, environment, url, .. } in &scenario.servers {
                let is_told = command.iter().chain(environment.values()).any(|word| word == "1");
                assert_eq!(url.is_some(), is_told, "{}, {name}", file.display());
            }
        }
    }

    #[test]
    fn a_run_names_a_revision_or_a_refusal_and_an_exception_names_a_server() {
        for (file, scenario) in scenarios() {
            for server in &scenario.servers {
                for run in &server.runs {
                    let known = mcp_types::Revision::from_wire(&run.revision).is_some();
                    assert!(known != run.refused.is_some(), "{}, {}", server.name, run.name());
                }
            }
            for name in scenario.steps.iter().flat_map(|step| step.except.keys().chain(&step.only)) {
                let is_known = scenario.servers.iter().any(|server| stands_for(name, &server.name));
                assert!(is_known, "{}: {name}", file.display());
            }
        }
    }
}
