//! Tasks as 2025-11-25 has them. The extension that took their place is in `extensions::tasks`.

use crate::{Cursor, Json, List, Meta, PaginatedRequestParams};

requests! {
    /// Asks how a task is. Only in 2025-11-25.
    ///
    /// Section: [Tasks](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks).
    GetTaskRequest = "tasks/get" (GetTaskRequestParams) -> GetTaskResult;
    /// Waits for a task to end, and gets its result. Only in 2025-11-25.
    GetTaskPayloadRequest = "tasks/result" (GetTaskPayloadRequestParams) -> GetTaskPayloadResult;
    /// Cancels a task. Only in 2025-11-25.
    CancelTaskRequest = "tasks/cancel" (CancelTaskRequestParams) -> CancelTaskResult;
    /// Lists tasks. Only in 2025-11-25.
    ListTasksRequest = "tasks/list" (PaginatedRequestParams) -> ListTasksResult;
}

notifications! {
    /// A task has another status. Only in 2025-11-25.
    TaskStatusNotification = "notifications/tasks/status" (TaskStatusNotificationParams);
}

object! {
    /// A request that goes on after its first answer.
    ///
    /// Also the result of `tasks/get` and `tasks/cancel`, and the parameters of `notifications/tasks/status`.
    pub struct Task [only V2025_11_25] {
        /// Identifies the task.
        task_id: String,
        /// How it is.
        status: TaskStatus,
        /// When it began, in ISO 8601.
        created_at: String,
        /// When it changed last, in ISO 8601.
        last_updated_at: String,
        /// For how many milliseconds after its beginning the task is kept. Required: `null` means for ever.
        #[read(lenient_integer)]
        ttl: Option<u64>,
        /// How long to wait between two looks, in milliseconds.
        #[read(lenient_integer)]
        poll_interval? with_poll_interval: u64,
        /// How it is, for people.
        status_message? with_status_message: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// The answer to `tasks/get`. Only in 2025-11-25.
pub type GetTaskResult = Task;

/// The answer to `tasks/cancel`. Only in 2025-11-25.
pub type CancelTaskResult = Task;

/// Parameters of `notifications/tasks/status`. Only in 2025-11-25.
pub type TaskStatusNotificationParams = Task;

/// The answer to `tasks/result`: the result of the method that the task was made for. Only in 2025-11-25.
pub type GetTaskPayloadResult = Json;

open_enum! {
    /// How a task is. Since 2025-11-25; later in the extension [`tasks`](crate::extensions::tasks) only.
    pub enum TaskStatus {
        /// It goes on.
        Working = "working",
        /// It waits for input.
        InputRequired = "input_required",
        /// It is done, and there is a result.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task has ended, so that its status cannot change any more. No for an unknown status.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

object! {
    /// In the parameters of a request: asks for a task.
    #[derive(Default, Eq)]
    pub struct TaskMetadata [only V2025_11_25] {
        /// For how many milliseconds to keep the task.
        #[read(lenient_integer)]
        ttl? with_ttl: u64,
    }
}

object! {
    /// In `_meta`: the task that a message belongs to.
    #[derive(Eq)]
    pub struct RelatedTaskMetadata [only V2025_11_25] {
        /// Identifies the task.
        task_id: String,
    }
}

object! {
    /// The first answer to a request that runs as a task.
    pub struct CreateTaskResult [only V2025_11_25] {
        /// The task.
        task: Task,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Names a task, in the parameters of `tasks/get`, `tasks/result` and `tasks/cancel`.
    pub struct TaskIdParams [only V2025_11_25] {
        /// Identifies the task.
        task_id: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// Parameters of `tasks/get`. Only in 2025-11-25.
pub type GetTaskRequestParams = TaskIdParams;

/// Parameters of `tasks/result`. Only in 2025-11-25.
pub type GetTaskPayloadRequestParams = TaskIdParams;

/// Parameters of `tasks/cancel`. Only in 2025-11-25.
pub type CancelTaskRequestParams = TaskIdParams;

object! {
    /// One page of tasks.
    pub struct ListTasksResult [only V2025_11_25] {
        /// The tasks.
        tasks: List<Task>,
        /// Where the next page begins. Absent on the last page.
        next_cursor? with_next_cursor: Cursor,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_writes_its_ttl_even_when_it_has_none() {
        let task = Task::new("t", TaskStatus::Working, "2025-11-25T10:30:00Z", "2025-11-25T10:40:00Z", None);
        let text = r#"{"taskId":"t","status":"working","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","ttl":null}"#;
        assert_eq!(serde_json::to_string(&task).unwrap(), text);
        assert_eq!(serde_json::from_str::<Task>(text).unwrap(), task);
    }

    #[test]
    fn an_unknown_status_is_kept_and_is_no_end() {
        let text = r#"{"taskId":"t","status":"paused","createdAt":"c","lastUpdatedAt":"u","ttl":60000,"pollInterval":0,"_meta":{"x":1}}"#;
        let task: Task = serde_json::from_str(text).unwrap();
        assert!(!task.status.is_terminal());
        assert_eq!(serde_json::to_string(&task).unwrap(), text);
    }
}
