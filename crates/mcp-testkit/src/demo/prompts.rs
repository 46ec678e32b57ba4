//! Two prompts: one that takes nothing, one that takes arguments.

use mcp_types::{
    ContentBlock, ErrorCode, GetPromptRequestParams, GetPromptResult, JsonRpcError, ListPromptsResult,
    PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, Revision, Role,
};

use super::{caller::Caller, page::page};

pub(super) const REVIEW: &str = "review";
const HELLO: &str = "hello";

pub(super) fn list(
    caller: &Caller,
    params: &PaginatedRequestParams,
) -> Result<ListPromptsResult, JsonRpcError> {
    let mut prompts = vec![
        Prompt::new(HELLO).with_title("Hello").with_description("Says hello"),
        Prompt::new(REVIEW)
            .with_title("Review code")
            .with_description("Asks for a review of code")
            .with_arguments([
                PromptArgument::new("code").with_description("The code").with_required(true),
                PromptArgument::new("language").with_description("The language that it is written in"),
            ]),
    ];
    if caller.revision() < Revision::V2025_06_18 {
        for prompt in &mut prompts {
            prompt.title = None;
        }
    }
    let (prompts, next) = page("prompts", prompts, caller.demo().page_size, params.cursor.as_ref())?;
    let mut result = ListPromptsResult::new(prompts);
    result.next_cursor = next;
    Ok(result)
}

pub(super) fn get(params: &GetPromptRequestParams) -> Result<GetPromptResult, JsonRpcError> {
    let invalid = |message: String| JsonRpcError::new(ErrorCode::INVALID_PARAMS, message);
    let argument = |name: &str| params.arguments.as_ref().and_then(|arguments| arguments.get(name));
    let (description, text) = match params.name.as_str() {
        HELLO => ("Says hello", "Say hello.".to_owned()),
        REVIEW => {
            let code = argument("code").ok_or_else(|| invalid("The argument `code` is missing".into()))?;
            let language = argument("language").map_or_else(String::new, |language| format!("{language} "));
            ("Asks for a review of code", format!("Review this {language}code:\n\n{code}"))
        }
        name => return Err(invalid(format!("Unknown prompt: {name}"))),
    };
    let message = PromptMessage::new(Role::User, ContentBlock::text(text));
    Ok(GetPromptResult::new([message]).with_description(description))
}
