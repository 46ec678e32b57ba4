//! The tools, a file each.

mod add;
mod bump;
mod contents;
mod disconnect;
mod echo;
mod fail;
mod greet;
mod slow;

use mcp_types::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorCode, InputRequiredResult, JsonRpcError,
    JsonSchema, List, ListToolsResult, LoggingLevel, PaginatedRequestParams, Revision, Tool,
};
use serde::{Serialize, Serializer, de::DeserializeOwned};

use super::{caller::Caller, page::page};

fn all() -> [Tool; 9] {
    [
        echo::tool(),
        add::tool(),
        slow::tool(),
        greet::tool(),
        bump::tool(),
        disconnect::tool(),
        contents::tool(),
        fail::tool(),
        fail::protocol_tool(),
    ]
}

/// The schema of the arguments of the tool `name`.
pub(super) fn input_schema(name: &str) -> Option<JsonSchema> {
    all().into_iter().find(|tool| tool.name == name).map(|tool| tool.input_schema)
}

pub(super) fn list(
    caller: &Caller,
    params: &PaginatedRequestParams,
) -> Result<ListToolsResult, JsonRpcError> {
    let tools = all().into_iter().map(|tool| fit_tool(tool, caller.revision())).collect();
    let (tools, next) = page("tools", tools, caller.demo().page_size, params.cursor.as_ref())?;
    let mut result = ListToolsResult::new(tools);
    result.next_cursor = next;
    Ok(result)
}

pub(super) async fn call(caller: &Caller, params: CallToolRequestParams) -> Result<Outcome, JsonRpcError> {
    caller.log(LoggingLevel::Debug, "tools", format!("calling {}", params.name));
    let done = match params.name.as_str() {
        "echo" => echo::call(&params),
        "add" => add::call(&params),
        "slow" => slow::call(caller, &params).await,
        "bump" => Ok(bump::call(caller)),
        "disconnect" => Ok(disconnect::call(caller).await),
        "contents" => Ok(contents::call()),
        "fail" => fail::call(&params),
        "fail_protocol" => return Err(fail::protocol_call(&params)),
        "greet" => return greet::call(caller, &params).await,
        name => {
            return Err(JsonRpcError::new(ErrorCode::INVALID_PARAMS, format!("Unknown tool: {name}")));
        }
    };
    Ok(Outcome::Done(fit_result(done.unwrap_or_else(failed), caller.revision())))
}

/// What a call of a tool came to.
pub(super) enum Outcome {
    Done(CallToolResult),
    InputRequired(InputRequiredResult),
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Done(result) => result.serialize(serializer),
            Self::InputRequired(result) => result.serialize(serializer),
        }
    }
}

/// What a tool gives: a result, or why it failed.
type Answer = Result<CallToolResult, String>;

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::new([ContentBlock::text(text)])
}

fn failed(why: String) -> CallToolResult {
    text(why).with_is_error(true)
}

/// The arguments of a call. The text of an error says what is wrong with them.
fn arguments<T: DeserializeOwned>(params: &CallToolRequestParams) -> Result<T, String> {
    let invalid = |why: String| format!("Invalid arguments for the tool `{}`: {why}", params.name);
    let arguments = match &params.arguments {
        None => "{}",
        Some(arguments) if arguments.is_object() => arguments.as_str(),
        // A struct could be read from an array.
        Some(_) => return Err(invalid("not an object".into())),
    };
    serde_json::from_str(arguments).map_err(|error| invalid(error.to_string()))
}

fn schema(text: &str) -> JsonSchema {
    JsonSchema::from_text(text).expect("a constant that is a JSON object")
}

fn fit_tool(mut tool: Tool, revision: Revision) -> Tool {
    if revision < Revision::V2025_06_18 {
        tool.title = None;
        tool.output_schema = None;
    }
    if revision < Revision::V2025_03_26 {
        tool.annotations = None;
    }
    tool
}

fn fit_result(mut result: CallToolResult, revision: Revision) -> CallToolResult {
    if revision < Revision::V2025_06_18 {
        result.structured_content = None;
    }
    let content = std::mem::replace(&mut result.content, List::new());
    result.content = content.into_vec().into_iter().filter(|block| fits(block, revision)).collect();
    result
}

fn fits(block: &ContentBlock, revision: Revision) -> bool {
    match block {
        ContentBlock::Audio(_) => revision >= Revision::V2025_03_26,
        ContentBlock::ResourceLink(_) => revision >= Revision::V2025_06_18,
        _ => true,
    }
}
