use mcp_types::{CallToolRequestParams, JsonObject, Number, Tool, ToolAnnotations};
use serde::Deserialize;

use super::{Answer, arguments, schema, text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    a: Number,
    b: Number,
}

pub(super) fn tool() -> Tool {
    let input = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}"#;
    let output = r#"{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}"#;
    Tool::new("add", schema(input))
        .with_title("Add")
        .with_description("Adds two numbers.")
        .with_output_schema(schema(output))
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true).with_open_world_hint(false))
}

pub(super) fn call(params: &CallToolRequestParams) -> Answer {
    let Arguments { a, b } = arguments(params)?;
    let sum = sum(&a, &b).ok_or("The sum is too large for a number")?;
    let value = JsonObject::from([("sum", sum)]);
    let json = mcp_types::Json::from(value);
    Ok(text(json.as_str()).with_structured_content(json))
}

/// Exact for integers of 64 bits.
fn sum(a: &Number, b: &Number) -> Option<Number> {
    let exact = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    exact.map(Number::from).or_else(|| Number::from_f64(a.as_f64() + b.as_f64()))
}
