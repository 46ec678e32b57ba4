use std::time::Duration;

use mcp_client::{Client, ErrorKind, Reply};
use mcp_types::{CallToolResult, Revision};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{sleep, timeout};

use super::{Stage, Topic, as_json, failed_with, told};
use crate::pattern::fits;

/// How long a cancelled call may take to end on this side.
const CANCEL_LIMIT: Duration = Duration::from_secs(5);
/// What a server is given to notice it, beyond a round trip: steps that follow may ask what it noticed.
const NOTICE: Duration = Duration::from_millis(100);

/// Calls a tool. Members that are not there are not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// A pattern for the text of the result, all blocks together.
    text: Option<Value>,
    /// A pattern for the structured result, where the revision has one.
    structured: Option<Value>,
    /// A pattern for the blocks.
    content: Option<Value>,
    /// Whether the tool is to fail.
    #[serde(default)]
    is_error: bool,
    /// The JSON-RPC errors of which one is to come instead of a result.
    #[serde(default)]
    fails: Vec<i64>,
    /// What the user answers when he is asked.
    answer: Option<Value>,
    /// Patterns for what he is asked.
    asked: Option<Value>,
    /// How many reports of progress are to come.
    progress: Option<usize>,
}

impl Call {
    pub(super) fn topic(&self) -> Topic {
        match self {
            Self { asked: Some(_), .. } => Topic::Elicit,
            Self { progress: Some(_), .. } => Topic::Progress,
            _ => Topic::Call,
        }
    }

    pub(super) fn what(&self) -> String {
        what(&self.tool, &self.arguments)
    }

    pub(super) async fn perform(&self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        stage.user.will_answer(self.answer.as_ref());
        let call = stage.client.call_tool(&self.tool).args(&self.arguments).map_err(|error| told(&error))?;
        let result = match self.progress {
            None => call.await,
            Some(expected) => {
                let mut call = call.with_progress();
                let mut reports = Vec::new();
                while let Some(report) = call.progress().next().await {
                    reports.push((report.progress, report.lost_before));
                }
                let rises = reports.windows(2).all(|pair| pair[0].0 < pair[1].0);
                if reports.len() != expected || !rises || reports.iter().any(|(_, lost)| *lost > 0) {
                    return Err(format!("expected {expected} rising reports of progress, came {reports:?}"));
                }
                call.await
            }
        };
        if !self.fails.is_empty() {
            return failed_with(&self.fails, result);
        }
        let result = result.map_err(|error| told(&error))?;
        self.compare(&result, stage.client.revision())?;
        match &self.asked {
            Some(asked) => fits(asked, &stage.user.asked()).map_err(|why| format!("asked: {why}")),
            None => Ok(()),
        }
    }

    fn compare(&self, result: &Reply<CallToolResult>, revision: Revision) -> Result<(), String> {
        if result.is_error() != self.is_error {
            let expected = if self.is_error { "a failure" } else { "a success" };
            return Err(format!("expected {expected} of the tool, came {}", as_json(&**result)?));
        }
        if let Some(text) = &self.text {
            fits(text, &Value::String(result.text())).map_err(|why| format!("text: {why}"))?;
        }
        if let Some(content) = &self.content {
            fits(content, &as_json(&result.content)?).map_err(|why| format!("content: {why}"))?;
        }
        match &self.structured {
            Some(structured) if revision >= Revision::V2025_06_18 => {
                let json: Value =
                    result.structured().map_err(|error| format!("structured: {}", told(&error)))?;
                fits(structured, &json).map_err(|why| format!("structured: {why}"))
            }
            _ => Ok(()),
        }
    }
}

/// Calls a tool and cancels the call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cancel {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// After how many reports of progress; without them, after some time.
    #[serde(default)]
    after: usize,
    /// By dropping the future instead of through the handle.
    #[serde(default)]
    by_drop: bool,
}

impl Cancel {
    pub(super) fn what(&self) -> String {
        format!("{}{}", what(&self.tool, &self.arguments), if self.by_drop { " by drop" } else { "" })
    }

    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let call = client.call_tool(&self.tool).args(&self.arguments).map_err(|error| told(&error))?;
        let mut call = call.with_progress();
        for index in 0..self.after {
            if call.progress().next().await.is_none() {
                return Err(format!("the call ended after {index} reports of progress"));
            }
        }
        if self.after == 0 {
            let ended = timeout(Duration::from_millis(300), call.progress().next()).await;
            if matches!(ended, Ok(None)) {
                return Err("the call ended before it could be cancelled".to_string());
            }
        }
        let handle = call.cancel_handle();
        if self.by_drop {
            drop(call);
        } else {
            handle.cancel("no longer wanted");
            match timeout(CANCEL_LIMIT, call.into_future()).await {
                Ok(Err(error)) if error.kind() == ErrorKind::Cancelled => {}
                Ok(Err(error)) => {
                    return Err(format!("expected the error `Cancelled`, came {}", told(&error)));
                }
                Ok(Ok(_)) => return Err("expected the error `Cancelled`, came a result".to_string()),
                Err(_) => return Err(format!("the call did not end within {CANCEL_LIMIT:?}")),
            }
        }
        sleep(NOTICE).await;
        client.ping().await.map_err(|error| format!("ping afterwards: {}", told(&error)))
    }
}

fn what(tool: &str, arguments: &Map<String, Value>) -> String {
    if arguments.is_empty() {
        return tool.to_string();
    }
    let text: String = Value::Object(arguments.clone()).to_string().chars().take(60).collect();
    format!("{tool} {text}")
}
