//! The steps of a scenario.

mod burst;
mod call;
mod list;
mod listen;
mod others;
mod restart;
mod task;

use std::collections::BTreeMap;

use mcp_client::{Client, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{listening::Host, report::Report, scenario::Server, user::User};

pub(crate) use list::Listed;

/// What a check is about. Those that a scenario must have, or say that the server lacks, are [`Topic::REQUIRED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Topic {
    Connect,
    List,
    Call,
    Read,
    Prompt,
    Complete,
    Elicit,
    Progress,
    Cancel,
    Listen,
    Task,
    Restart,
    Close,
}

impl Topic {
    pub(crate) const REQUIRED: [Self; 8] = [
        Self::List,
        Self::Call,
        Self::Read,
        Self::Prompt,
        Self::Complete,
        Self::Elicit,
        Self::Progress,
        Self::Cancel,
    ];

    /// The capability that says that a server has it.
    pub(crate) fn capability(self) -> Option<&'static str> {
        match self {
            Self::Read => Some("resources"),
            Self::Prompt => Some("prompts"),
            Self::Complete => Some("completions"),
            _ => None,
        }
    }
}

/// One thing that is done with a server, and what is to come of it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(crate) struct Step {
    pub(crate) action: Action,
    /// The first revision that has it.
    pub(crate) since: Option<String>,
    /// The last revision that has it.
    pub(crate) until: Option<String>,
    /// Servers with which it is not done, each with the reason. `NAME*` stands for all whose names begin so.
    pub(crate) except: BTreeMap<String, String>,
    /// The servers with which alone it is done, where it says so; in the same way.
    pub(crate) only: Vec<String>,
}

impl Step {
    /// Why it is not done with `server`.
    pub(crate) fn exception(&self, server: &str) -> Option<&str> {
        let is_meant = self.only.is_empty() || self.only.iter().any(|pattern| stands_for(pattern, server));
        if !is_meant {
            return Some("only with servers that can do it");
        }
        self.except.iter().find(|(pattern, _)| stands_for(pattern, server)).map(|(_, why)| why.as_str())
    }
}

/// Whether `pattern`, a name of [`Step::except`] or [`Step::only`], means `server`.
pub(crate) fn stands_for(pattern: &str, server: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == server, |start| server.starts_with(start))
}

impl TryFrom<Map<String, Value>> for Step {
    type Error = serde_json::Error;

    fn try_from(mut members: Map<String, Value>) -> Result<Self, Self::Error> {
        let since = members.remove("since").map(serde_json::from_value).transpose()?;
        let until = members.remove("until").map(serde_json::from_value).transpose()?;
        let except = members.remove("except").map(serde_json::from_value).transpose()?.unwrap_or_default();
        let only = members.remove("only").map(serde_json::from_value).transpose()?.unwrap_or_default();
        Ok(Self { action: serde_json::from_value(Value::Object(members))?, since, until, except, only })
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Action {
    /// Reads a list to its end, page by page.
    List(list::List),
    /// Calls a tool.
    Call(call::Call),
    /// Calls a tool many times at once.
    Burst(burst::Burst),
    /// Reads a resource.
    Read(others::Read),
    /// Gets a prompt.
    Prompt(others::Prompt),
    /// Asks how an argument may go on.
    Complete(others::Complete),
    /// Calls a tool and cancels the call.
    Cancel(call::Cancel),
    /// Subscribes to changes, and causes one.
    Listen(listen::Listen),
    /// Calls a tool as a task.
    Task(task::Task),
    /// Ends the server's process under the connection, starts it again, and goes on.
    Restart(restart::Restart),
}

/// What steps act on.
pub(crate) struct Stage<'a, 'h> {
    pub(crate) client: &'a Client,
    pub(crate) user: &'a User,
    pub(crate) server: &'a Server,
    /// The server's process, where it listens.
    pub(crate) host: Option<&'a mut Host<'h>>,
    pub(crate) report: &'a mut Report,
}

impl Action {
    pub(crate) fn topic(&self) -> Topic {
        match self {
            Self::List(_) => Topic::List,
            Self::Call(call) => call.topic(),
            Self::Burst(_) => Topic::Call,
            Self::Read(_) => Topic::Read,
            Self::Prompt(_) => Topic::Prompt,
            Self::Complete(_) => Topic::Complete,
            Self::Cancel(_) => Topic::Cancel,
            Self::Listen(_) => Topic::Listen,
            Self::Task(_) => Topic::Task,
            Self::Restart(_) => Topic::Restart,
        }
    }

    /// In a few words.
    pub(crate) fn what(&self) -> String {
        match self {
            Self::List(list) => list.of.name().to_string(),
            Self::Call(call) => call.what(),
            Self::Burst(burst) => burst.what(),
            Self::Read(read) => read.uri.clone(),
            Self::Prompt(prompt) => prompt.name.clone(),
            Self::Complete(complete) => complete.what(),
            Self::Cancel(cancel) => cancel.what(),
            Self::Listen(listen) => listen.what(),
            Self::Task(task) => task.what(),
            Self::Restart(restart) => restart.what(),
        }
    }

    /// Does it, and says how it differs from what was to come.
    pub(crate) async fn perform(&self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        match self {
            Self::List(list) => list.perform(stage).await,
            Self::Call(call) => call.perform(stage).await,
            Self::Burst(burst) => burst.perform(stage.client).await,
            Self::Read(read) => read.perform(stage.client).await,
            Self::Prompt(prompt) => prompt.perform(stage.client).await,
            Self::Complete(complete) => complete.perform(stage.client).await,
            Self::Cancel(cancel) => cancel.perform(stage.client).await,
            Self::Listen(listen) => listen.perform(stage.client).await,
            Self::Task(task) => task.perform(stage).await,
            Self::Restart(restart) => restart.perform(stage).await,
        }
    }
}

/// Everything that is known of an error.
fn told(error: &Error) -> String {
    format!("{error} [{:?}]", error.kind())
}

/// Whether a call ended in a JSON-RPC error of one of these codes.
fn failed_with<T>(codes: &[i64], result: Result<T, Error>) -> Result<(), String> {
    match result {
        Err(error) if error.rpc().is_some_and(|rpc| codes.contains(&rpc.code.0)) => Ok(()),
        Err(error) => Err(format!("expected error {codes:?}, came {}", told(&error))),
        Ok(_) => Err(format!("expected error {codes:?}, came a result")),
    }
}

/// `value` as JSON, as its own types write it.
fn as_json(value: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|error| format!("it cannot be written as JSON: {error}"))
}
