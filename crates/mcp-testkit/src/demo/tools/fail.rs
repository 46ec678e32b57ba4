use mcp_types::{CallToolRequestParams, ErrorCode, JsonRpcError, Tool};
use serde::Deserialize;

use super::{Answer, arguments, schema};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Arguments {
    message: String,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { message: "This tool always fails".into() }
    }
}

pub(super) fn tool() -> Tool {
    let input = r#"{"type":"object","properties":{"message":{"type":"string","description":"What to say"}},"additionalProperties":false}"#;
    Tool::new("fail", schema(input)).with_title("Fail").with_description("Fails, with a result that says so.")
}

pub(super) fn call(params: &CallToolRequestParams) -> Answer {
    let Arguments { message } = arguments(params)?;
    Err(message)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProtocolArguments {
    code: i64,
    message: String,
}

impl Default for ProtocolArguments {
    fn default() -> Self {
        Self {
            code: ErrorCode::INTERNAL_ERROR.0,
            message: "This tool always fails, with an error of the protocol".into(),
        }
    }
}

pub(super) fn protocol_tool() -> Tool {
    let input = r#"{"type":"object","properties":{"code":{"type":"integer","description":"The code of the error","default":-32603},"message":{"type":"string","description":"What to say"}},"additionalProperties":false}"#;
    Tool::new("fail_protocol", schema(input))
        .with_title("Fail with an error of the protocol")
        .with_description("Fails, with a JSON-RPC error in place of a result.")
}

pub(super) fn protocol_call(params: &CallToolRequestParams) -> JsonRpcError {
    match arguments::<ProtocolArguments>(params) {
        Ok(ProtocolArguments { code, message }) => JsonRpcError::new(ErrorCode(code), message),
        Err(why) => JsonRpcError::new(ErrorCode::INVALID_PARAMS, why),
    }
}
