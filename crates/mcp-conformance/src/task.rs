//! What the suite asks for.

use std::env;

use mcp_types::{Json, Revision};
use serde::Deserialize;

use crate::Result;

/// One scenario, at one revision.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) scenario: String,
    /// The suite names a revision for every scenario; which era is spoken follows from it.
    pub(crate) revision: Revision,
    pub(crate) url: String,
    pub(crate) context: Context,
}

/// What some scenarios need to be told.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Context {
    pub(crate) tool_calls: Vec<ToolCall>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) arguments: Json,
}

impl Task {
    /// # Errors
    /// When this is not how the suite starts a client.
    pub(crate) fn read() -> Result<Self> {
        let url = env::args().next_back().filter(|_| env::args().len() == 2);
        Self::from(url, |name| env::var(name).ok())
    }

    fn from(url: Option<String>, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let required = |name: &str| variable(name).ok_or_else(|| format!("{name} is not set"));
        let revision = required("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        Ok(Self {
            scenario: required("MCP_CONFORMANCE_SCENARIO")?,
            revision: Revision::from_wire(&revision).ok_or_else(|| format!("no revision `{revision}`"))?,
            url: url.ok_or("the one argument is the URL of the server")?,
            context: match variable("MCP_CONFORMANCE_CONTEXT") {
                Some(context) => serde_json::from_str(&context)?,
                None => Context::default(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(url: Option<&str>, variables: &[(&str, &str)]) -> Result<Task> {
        Task::from(url.map(String::from), |name| {
            let value = variables.iter().find(|(other, _)| *other == name)?.1;
            Some(value.to_owned())
        })
    }

    const SCENARIO: (&str, &str) = ("MCP_CONFORMANCE_SCENARIO", "tools_call");
    const REVISION: (&str, &str) = ("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25");

    #[test]
    fn a_task_is_read_from_argument_and_environment() {
        let context = r#"{"name":"x","toolCalls":[{"name":"t","arguments":{"a":1.50}}]}"#;
        let task =
            task(Some("http://localhost:1"), &[SCENARIO, REVISION, ("MCP_CONFORMANCE_CONTEXT", context)])
                .unwrap();
        assert_eq!((task.scenario.as_str(), task.revision), ("tools_call", Revision::V2025_11_25));
        assert_eq!(task.context.tool_calls[0].arguments.as_str(), r#"{"a":1.50}"#);
    }

    #[test]
    fn a_wrong_start_is_an_error() {
        assert!(task(None, &[SCENARIO, REVISION]).is_err());
        assert!(task(Some("u"), &[REVISION]).unwrap_err().to_string().contains("SCENARIO"));
        assert!(task(Some("u"), &[SCENARIO]).unwrap_err().to_string().contains("PROTOCOL_VERSION"));
        let unknown = ("MCP_CONFORMANCE_PROTOCOL_VERSION", "2027-01-01");
        assert!(task(Some("u"), &[SCENARIO, unknown]).unwrap_err().to_string().contains("2027-01-01"));
        assert!(task(Some("u"), &[SCENARIO, REVISION, ("MCP_CONFORMANCE_CONTEXT", "{")]).is_err());
    }
}
