use mcp_client::Client;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::told;

/// Makes many calls at once, each of which says back its own text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Burst {
    tool: String,
    /// The argument that is said back.
    argument: String,
    calls: usize,
}

impl Burst {
    pub(super) fn what(&self) -> String {
        format!("{} at once of {}", self.calls, self.tool)
    }

    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let mut calls = JoinSet::new();
        for number in 0..self.calls {
            let text = format!("<number {number}>");
            let arguments = Map::from_iter([(self.argument.clone(), Value::from(text.clone()))]);
            let call = client.call_tool(&self.tool).args(&arguments).map_err(|error| told(&error))?;
            calls.spawn(async move { (call.await, text) });
        }
        while let Some(ended) = calls.join_next().await {
            let (result, text) = ended.map_err(|error| error.to_string())?;
            let said = result.map_err(|error| format!("{text}: {}", told(&error)))?.text();
            if !said.contains(&text) {
                return Err(format!("expected {text}, came {said}"));
            }
        }
        Ok(())
    }
}
