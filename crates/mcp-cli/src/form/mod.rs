//! A form on the terminal: one question a member, checked before it is sent, and nothing sent without consent.

mod field;
mod input;

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ErrorCode, JsonObject, JsonRpcError,
};

use crate::console;

/// How often a member is asked for again.
const TRIES: usize = 10;

/// Asks the user. What was not understood is asked again; the end of the input cancels.
pub(crate) async fn ask(params: ElicitRequestParams) -> Result<ElicitResult, JsonRpcError> {
    match params {
        ElicitRequestParams::Form(params) => ask_form(&params).await,
        ElicitRequestParams::Url(params) => Ok(ask_url(&params).await),
        other => {
            let why = format!("elicitation: unknown mode `{}`", other.mode());
            Err(JsonRpcError::new(ErrorCode::INVALID_PARAMS, why))
        }
    }
}

async fn ask_form(params: &ElicitRequestFormParams) -> Result<ElicitResult, JsonRpcError> {
    let form = params
        .form()
        .map_err(|error| JsonRpcError::new(ErrorCode::INVALID_PARAMS, format!("elicitation: {error}")))?;
    heading(&params.message);
    let mut content = JsonObject::new();
    for (name, member) in form.properties.iter() {
        let is_required = form.is_required(name);
        let mut tries = 0;
        loop {
            console::ask(&field::question(name, member, is_required));
            let Some(line) = input::line().await else { return Ok(ElicitResult::cancel()) };
            match field::read(member, is_required, &line) {
                Ok(Some(value)) => content.insert(name, value),
                Ok(None) => {}
                Err(why) => {
                    console::note(&format!("  {why}"));
                    tries += 1;
                    if tries == TRIES {
                        return Ok(ElicitResult::cancel());
                    }
                    continue;
                }
            }
            break;
        }
    }
    Ok(match consent("Send this to the server? [Y/n]", true).await {
        Some(true) => ElicitResult::accept(content),
        Some(false) => ElicitResult::decline(),
        None => ElicitResult::cancel(),
    })
}

/// The URL is shown whole, and neither opened nor fetched here.
async fn ask_url(params: &ElicitRequestUrlParams) -> ElicitResult {
    heading(&params.message);
    console::note(&format!("  Go to {}", console::safe_line(&params.url)));
    match consent("Do you agree, and open it yourself? [y/N]", false).await {
        Some(true) => ElicitResult::new(ElicitAction::Accept),
        Some(false) => ElicitResult::decline(),
        None => ElicitResult::cancel(),
    }
}

fn heading(message: &str) {
    let style = console::err();
    console::note(&format!("{} {}", style.bold("The server asks:"), console::safe(message)));
    console::note(&style.dim("  (Enter takes what stands in brackets, Ctrl-D cancels)"));
}

/// What the user says; `None` at the end of the input.
async fn consent(question: &str, default: bool) -> Option<bool> {
    loop {
        console::ask(&format!("  {question} "));
        match input::line().await?.trim().to_lowercase().as_str() {
            "" => return Some(default),
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => {}
        }
    }
}
