//! Proposals for the arguments of the prompts and of the resource template.

use mcp_types::{
    CompleteRequestParams, CompleteResult, Completion, CompletionReference, ErrorCode, JsonRpcError,
};

use super::{prompts, resources};

const LANGUAGES: [&str; 10] =
    ["c", "cpp", "go", "java", "javascript", "kotlin", "python", "ruby", "rust", "typescript"];

pub(super) fn complete(params: &CompleteRequestParams) -> Result<CompleteResult, JsonRpcError> {
    let argument = &params.argument;
    let all: Vec<String> = match (&params.reference, argument.name.as_str()) {
        (CompletionReference::Prompt(prompt), "language") if prompt.name == prompts::REVIEW => {
            LANGUAGES.map(String::from).into()
        }
        (CompletionReference::Prompt(prompt), "code") if prompt.name == prompts::REVIEW => Vec::new(),
        (CompletionReference::Resource(resource), "number") if resource.uri == resources::SQUARES => {
            (0..=10_u32).map(|number| number.to_string()).collect()
        }
        _ => {
            return Err(JsonRpcError::new(ErrorCode::INVALID_PARAMS, "Nothing has such an argument"));
        }
    };
    let values: Vec<String> = all.into_iter().filter(|value| value.starts_with(&argument.value)).collect();
    let total = values.len() as u64;
    Ok(CompleteResult::new(Completion::new(values).with_total(total).with_has_more(false)))
}
