use mcp_types::{CallToolResult, Tool};

use super::{schema, text};
use crate::demo::caller::Caller;

pub(super) fn tool() -> Tool {
    Tool::new("bump", schema(r#"{"type":"object","additionalProperties":false}"#))
        .with_title("Bump")
        .with_description("Adds one to the counter, which is a resource, and tells those who watch it.")
}

pub(super) fn call(caller: &Caller) -> CallToolResult {
    text(caller.counter().bump().to_string())
}
