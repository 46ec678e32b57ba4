use std::collections::BTreeMap;

use mcp_client::Client;
use mcp_types::{CompletionReference, PromptReference, ResourceTemplateReference};
use serde::Deserialize;
use serde_json::Value;

use super::{as_json, failed_with, told};
use crate::pattern::fits;

/// Reads a resource.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    pub(super) uri: String,
    /// A pattern for the contents.
    contents: Option<Value>,
    /// The JSON-RPC errors of which one is to come instead: revisions and servers differ.
    #[serde(default)]
    fails: Vec<i64>,
}

impl Read {
    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let result = client.read_resource(&self.uri).await;
        if !self.fails.is_empty() {
            return failed_with(&self.fails, result);
        }
        let result = result.map_err(|error| told(&error))?;
        let pattern = self.contents.as_ref().ok_or("the step says nothing about the contents")?;
        fits(pattern, &as_json(&result.contents)?)
    }
}

/// Gets a prompt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prompt {
    pub(super) name: String,
    #[serde(default)]
    arguments: BTreeMap<String, String>,
    /// A pattern for the messages.
    messages: Value,
}

impl Prompt {
    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let call = client.get_prompt(&self.name);
        let call = self.arguments.iter().fold(call, |call, (name, value)| call.arg(name, value));
        let result = call.await.map_err(|error| told(&error))?;
        fits(&self.messages, &as_json(&result.messages)?)
    }
}

/// Asks how an argument may go on: of a prompt, or of a template of resources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Complete {
    prompt: Option<String>,
    template: Option<String>,
    argument: String,
    value: String,
    /// Arguments that are known already.
    #[serde(default)]
    known: BTreeMap<String, String>,
    values: Vec<String>,
}

impl Complete {
    pub(super) fn what(&self) -> String {
        let of = self.prompt.as_ref().or(self.template.as_ref()).map_or("", String::as_str);
        format!("{of} {}={}…", self.argument, self.value)
    }

    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let reference = match (&self.prompt, &self.template) {
            (Some(name), None) => CompletionReference::from(PromptReference::new(name.clone())),
            (None, Some(uri)) => ResourceTemplateReference::new(uri.clone()).into(),
            _ => return Err("the step must name a prompt or a template".to_string()),
        };
        let call = client.complete(reference, &self.argument, &self.value);
        let call = self.known.iter().fold(call, |call, (name, value)| call.known(name, value));
        let result = call.await.map_err(|error| told(&error))?;
        let came: Vec<&String> = result.completion.values.iter().collect();
        if came.iter().copied().eq(&self.values) {
            return Ok(());
        }
        Err(format!("expected {:?}, came {came:?}", self.values))
    }
}
