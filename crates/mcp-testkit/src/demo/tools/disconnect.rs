use std::time::Duration;

use mcp_types::{CallToolResult, Tool, ToolAnnotations};

use super::{schema, text};
use crate::demo::caller::Caller;

/// How long the answer takes after the connection was ended.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn tool() -> Tool {
    Tool::new("disconnect", schema(r#"{"type":"object","additionalProperties":false}"#))
        .with_title("Disconnect")
        .with_description(
            "Ends the connection before it answers, so that the client must come back for the answer. Only over HTTP, and \
             in revisions that have that; elsewhere it just answers.",
        )
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true).with_open_world_hint(false))
}

pub(super) async fn call(caller: &Caller) -> CallToolResult {
    caller.progress(1, 2, "before the end of the connection");
    caller.hang_up();
    tokio::time::sleep(PAUSE).await;
    caller.progress(2, 2, "after the end of the connection");
    text("Here I am again")
}
