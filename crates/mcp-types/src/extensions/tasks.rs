//! The tasks extension, `io.modelcontextprotocol/tasks`: a server answers a `tools/call` with a task, and the client asks
//! for it until it ends.
//!
//! Source: `specification/draft/tasks.md` and `schema/draft/schema.ts` of
//! [`modelcontextprotocol/ext-tasks`](https://github.com/modelcontextprotocol/ext-tasks) at
//! `e4345978be1f602f1fc48d89051e8559dd5302a6`; SEP-2663. The text is a draft. What 2025-11-25 calls tasks is another
//! thing, with types at the root of this crate. The member that this extension adds to a subscription is
//! [`SubscriptionFilter::task_ids`](crate::SubscriptionFilter::task_ids).

use crate::{EmptyResult, InputRequests, InputResponses, Json, JsonRpcError, Meta, ResultType, TaskStatus};

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/tasks";

/// The `resultType` of a result that is a task.
pub const RESULT_TYPE: &str = "task";

requests! {
    /// Asks how a task is.
    GetTaskRequest = "tasks/get" (GetTaskRequestParams) -> GetTaskResult;
    /// Gives a task the input that it waits for.
    UpdateTaskRequest = "tasks/update" (UpdateTaskRequestParams) -> EmptyResult;
    /// Asks the server to cancel a task. The answer says only that the wish has come; the task may end otherwise.
    CancelTaskRequest = "tasks/cancel" (CancelTaskRequestParams) -> EmptyResult;
}

notifications! {
    /// A task has changed. Comes on a `subscriptions/listen` stream that asks for the task.
    TaskStatusNotification = "notifications/tasks" (TaskStatusNotificationParams);
}

object! {
    /// A request that goes on after its first answer. One struct for what the schema calls `Task`, `DetailedTask`,
    /// `CreateTaskResult`, `GetTaskResult` and `TaskStatusNotificationParams`.
    pub struct Task [extension] {
        /// Identifies the task. It may be all that protects it: treat it as a secret.
        task_id: String,
        /// How it is.
        status: TaskStatus,
        /// When it began, in ISO 8601.
        created_at: String,
        /// When it changed last, in ISO 8601.
        last_updated_at: String,
        /// For how many milliseconds after its beginning the task is kept. Required: `null` means for ever. May change.
        #[read(lenient_integer)]
        ttl_ms: Option<u64>,
        /// How long to wait between two looks, in milliseconds. May change.
        #[read(lenient_integer)]
        poll_interval_ms? with_poll_interval_ms: u64,
        /// How it is, for people and models.
        status_message? with_status_message: String,
        /// While it is `input_required`: all that it waits for. A name is used once in the life of a task.
        input_requests? with_input_requests: InputRequests,
        /// Once it is `completed`: the result of the method that the task was made for.
        result? with_result: Json,
        /// Once it is `failed`: the error that the method would have answered with.
        error? with_error: JsonRpcError,
        /// How to read the result: [`RESULT_TYPE`] in the answer that creates the task, `complete` in that to `tasks/get`.
        result_type? with_result_type: ResultType,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// The answer that creates a task, in place of the method's own result.
pub type CreateTaskResult = Task;

/// The answer to `tasks/get`.
pub type GetTaskResult = Task;

/// Parameters of `notifications/tasks`.
pub type TaskStatusNotificationParams = Task;

/// Parameters of `tasks/get`.
pub type GetTaskRequestParams = crate::TaskIdParams;

/// Parameters of `tasks/cancel`.
pub type CancelTaskRequestParams = crate::TaskIdParams;

object! {
    /// Parameters of `tasks/update`.
    pub struct UpdateTaskRequestParams [extension] {
        /// Identifies the task.
        task_id: String,
        /// Results, under the names of the requests. Need not be all of them.
        input_responses: InputResponses,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_of_a_task_round_trips() {
        for (text, status) in [
            (
                r#"{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"pollIntervalMs":5000,"resultType":"task"}"#,
                TaskStatus::Working,
            ),
            (
                r#"{"taskId":"t","status":"input_required","createdAt":"c","lastUpdatedAt":"u","ttlMs":1,"inputRequests":{"n":{"method":"roots/list"}},"resultType":"complete"}"#,
                TaskStatus::InputRequired,
            ),
            (
                r#"{"taskId":"t","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":1,"result":{"content":[],"x":1.50}}"#,
                TaskStatus::Completed,
            ),
            (
                r#"{"taskId":"t","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttlMs":1,"error":{"code":-32603,"message":"m"}}"#,
                TaskStatus::Failed,
            ),
            (
                r#"{"taskId":"t","status":"asleep","createdAt":"c","lastUpdatedAt":"u","ttlMs":1}"#,
                TaskStatus::Other("asleep".into()),
            ),
        ] {
            let task: Task = serde_json::from_str(text).unwrap();
            assert_eq!(task.status, status);
            assert_eq!(serde_json::to_string(&task).unwrap(), text);
        }
    }

    #[test]
    fn input_is_given_under_the_names_of_the_requests() {
        let responses = InputResponses::from([("name", Json::from_text(r#"{"action":"accept"}"#).unwrap())]);
        assert_eq!(
            serde_json::to_string(&UpdateTaskRequestParams::new("t", responses)).unwrap(),
            r#"{"taskId":"t","inputResponses":{"name":{"action":"accept"}}}"#
        );
    }
}
