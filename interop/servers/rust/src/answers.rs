//! What the contract says, as JSON.

use rmcp::ErrorData;
use serde_json::{Value, json};

use crate::internal;

pub(crate) const QUESTION: &str = "Who are you?";

const README: &str = "Notes, with a letter outside of ASCII: ü.";
const ITEMS: &str = "note:///items/";
const NAMES: [&str; 3] = ["Ada", "Alan", "Grace"];
/// A PNG of one transparent pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// The SDK's type of it.
pub(crate) fn from<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(internal)
}

pub(crate) fn info() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": true}, "resources": {}, "prompts": {}, "completions": {}},
        "serverInfo": {"name": "interop", "version": "1.0.0"},
        "instructions": "A server to try clients on.",
    })
}

pub(crate) fn tools() -> Value {
    let tool = |name: &str, properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|all| all.keys()).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "inputSchema": schema })
    };
    let integer = json!({ "type": "integer" });
    json!({ "tools": [
        // Over HTTP, in the modern era, it is wanted in a header field too.
        tool("echo", json!({ "message": { "type": "string", "x-mcp-header": "Message" } })),
        tool("add", json!({ "a": integer, "b": integer })),
        tool("fail", json!({})),
        tool("picture", json!({})),
        tool("count", json!({ "steps": integer, "pause_ms": integer })),
        tool("stopped", json!({})),
        tool("disconnect", json!({})),
        tool("ask", json!({})),
        tool("touch", json!({})),
    ] })
}

/// The results of tools that depend on their arguments alone.
pub(crate) fn fixed(name: &str, arguments: &Value) -> Result<Value, ErrorData> {
    let number = |name: &str| arguments[name].as_i64().unwrap_or_default();
    match name {
        "add" => {
            let result = json!({ "sum": number("a") + number("b") });
            let mut answer = text(&result.to_string());
            answer["structuredContent"] = result;
            Ok(answer)
        }
        "fail" => {
            let mut answer = text("it failed");
            answer["isError"] = json!(true);
            Ok(answer)
        }
        "picture" => Ok(json!({ "content": [{ "type": "image", "data": PIXEL, "mimeType": "image/png" }] })),
        other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
    }
}

pub(crate) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

pub(crate) fn form() -> Value {
    json!({ "mode": "form", "message": QUESTION, "requestedSchema": {
        "type": "object",
        "properties": { "name": { "type": "string" }, "colour": { "type": "string", "default": "blue" } },
        "required": ["name"],
    } })
}

pub(crate) fn resources() -> Value {
    json!({ "resources": [
        { "uri": "note:///readme", "name": "readme", "mimeType": "text/plain" },
        { "uri": "note:///pixel", "name": "pixel", "mimeType": "image/png" },
    ] })
}

pub(crate) fn templates() -> Value {
    json!({ "resourceTemplates": [{ "uriTemplate": "note:///items/{id}", "name": "item", "mimeType": "text/plain" }] })
}

pub(crate) fn contents(uri: &str) -> Result<Value, ErrorData> {
    let contents = match uri {
        "note:///readme" => json!({ "uri": uri, "mimeType": "text/plain", "text": README }),
        "note:///pixel" => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
        _ => {
            let id = uri.strip_prefix(ITEMS);
            let id = id.ok_or_else(|| ErrorData::resource_not_found(format!("no resource {uri}"), None))?;
            json!({ "uri": uri, "mimeType": "text/plain", "text": format!("item {id}") })
        }
    };
    Ok(json!({ "contents": [contents] }))
}

pub(crate) fn prompts() -> Value {
    json!({ "prompts": [{ "name": "greet", "arguments": [{ "name": "name", "required": true }] }] })
}

pub(crate) fn greeting(arguments: &Value) -> Value {
    let text = format!("Greet {}.", arguments["name"].as_str().unwrap_or_default());
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] })
}

pub(crate) fn completion(prefix: &str) -> Value {
    let values: Vec<&str> = NAMES.into_iter().filter(|name| name.starts_with(prefix)).collect();
    json!({ "completion": { "values": values } })
}
