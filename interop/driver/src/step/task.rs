use std::time::Duration;

use mcp_client::Client;
use mcp_types::{
    CallToolRequestParams, CancelTaskRequest, CreateTaskResult, GetTaskPayloadRequest, GetTaskRequest, Json,
    Request, TaskIdParams, TaskMetadata, TaskStatus,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::{Stage, told};
use crate::pattern::fits;

/// How long a task is kept by the server, in milliseconds.
const KEPT_MS: u64 = 60_000;
/// Between two looks at it.
const POLL: Duration = Duration::from_millis(250);
/// How many looks, at most.
const LOOKS: usize = 80;

/// Calls a tool as a task of revision 2025-11-25, follows it, and fetches its result. The client has no calls for tasks:
/// they are requests by their types.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The status that it comes to, from where on the result is asked for.
    status: TaskStatus,
    /// A pattern for the result; none is asked for where it is not said.
    result: Option<Value>,
    /// Whether it is cancelled once it was begun.
    #[serde(default)]
    cancelled: bool,
    /// What the user answers when he is asked.
    answer: Option<Value>,
    /// Patterns for what he is asked.
    asked: Option<Value>,
}

/// `tools/call`, answered with a task.
struct CallAsTask;

impl Request for CallAsTask {
    const METHOD: &'static str = "tools/call";
    type Params = CallToolRequestParams;
    type Result = CreateTaskResult;
}

impl Task {
    pub(super) fn what(&self) -> String {
        format!("{} as a task, {}", self.tool, self.status)
    }

    pub(super) async fn perform(&self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        stage.user.will_answer(self.answer.as_ref());
        let client = stage.client;
        let arguments = Json::encode(&self.arguments).map_err(|error| error.to_string())?;
        let params = CallToolRequestParams::new(self.tool.clone())
            .with_arguments(arguments)
            .with_task(TaskMetadata::new().with_ttl(KEPT_MS));
        let begun = client.request::<CallAsTask>(params).await.map_err(|error| told(&error))?;
        let params = TaskIdParams::new(begun.task.task_id.clone());
        if self.cancelled {
            let cancelled = client.request::<CancelTaskRequest>(params.clone()).await;
            cancelled.map_err(|error| format!("cancel: {}", told(&error)))?;
        }
        self.follow(client, &params).await?;
        if let Some(pattern) = &self.result {
            let result =
                client.request::<GetTaskPayloadRequest>(params).await.map_err(|error| told(&error))?;
            let result: Value = result.decode().map_err(|error| error.to_string())?;
            fits(pattern, &result).map_err(|why| format!("result: {why}"))?;
        }
        match &self.asked {
            Some(asked) => fits(asked, &stage.user.asked()).map_err(|why| format!("asked: {why}")),
            None => Ok(()),
        }
    }

    async fn follow(&self, client: &Client, params: &TaskIdParams) -> Result<(), String> {
        for _ in 0..LOOKS {
            let task =
                client.request::<GetTaskRequest>(params.clone()).await.map_err(|error| told(&error))?;
            if task.status == self.status {
                return Ok(());
            }
            if task.status.is_terminal() {
                return Err(format!(
                    "expected {}, came {}: {:?}",
                    self.status, task.status, task.status_message
                ));
            }
            sleep(POLL).await;
        }
        Err(format!("the task does not come to {}", self.status))
    }
}
