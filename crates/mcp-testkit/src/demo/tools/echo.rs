use mcp_types::{CallToolRequestParams, Json, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;

use super::{Answer, arguments, schema, text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    message: String,
    #[serde(default)]
    structured: bool,
}

pub(super) fn tool() -> Tool {
    let input = r#"{"type":"object","properties":{"message":{"type":"string","description":"What to say back"},"structured":{"type":"boolean","description":"Whether to say it in structured content too","default":false}},"required":["message"],"additionalProperties":false}"#;
    Tool::new("echo", schema(input))
        .with_title("Echo")
        .with_description("Says back what it is told.")
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true).with_open_world_hint(false))
}

pub(super) fn call(params: &CallToolRequestParams) -> Answer {
    let Arguments { message, structured } = arguments(params)?;
    let value = structured.then(|| JsonObject::from([("message", Json::from(message.as_str()))]));
    let mut result = text(message);
    result.structured_content = value.map(Json::from);
    Ok(result)
}
