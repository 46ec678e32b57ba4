use mcp_types::{
    CallToolRequestParams, ClientCapabilities, ElicitAction, ElicitRequestFormParams, ElicitRequestParams,
    ElicitResult, ElicitationCapability, ElicitationSchema, Era, ErrorCode, InputRequest, InputRequests,
    InputRequiredResult, JsonObject, JsonRpcError, MissingRequiredClientCapabilityErrorData, Revision,
    StringSchema, Tool, ToolAnnotations,
};
use serde::Deserialize;

use super::{Answer, Outcome, arguments, failed, fit_result, schema, text};
use crate::demo::caller::Caller;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Arguments {
    greeting: String,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { greeting: "Hello".into() }
    }
}

pub(super) fn tool() -> Tool {
    let input = r#"{"type":"object","properties":{"greeting":{"type":"string","description":"The word to greet with","default":"Hello","x-mcp-header":"Greeting"}},"additionalProperties":false}"#;
    Tool::new("greet", schema(input))
        .with_title("Greet")
        .with_description("Asks the user for a name, and greets.")
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true))
}

pub(super) async fn call(caller: &Caller, params: &CallToolRequestParams) -> Result<Outcome, JsonRpcError> {
    let done = match caller.era() {
        Era::Legacy => legacy(caller, params).await,
        Era::Modern => match modern(caller, params)? {
            Round::Ask => return Ok(Outcome::InputRequired(input_required())),
            Round::Answered(answer) => greet(params, &answer),
        },
    };
    Ok(Outcome::Done(fit_result(done.unwrap_or_else(failed), caller.revision())))
}

/// In the legacy era the call stays open while the client is asked.
async fn legacy(caller: &Caller, params: &CallToolRequestParams) -> Answer {
    arguments::<Arguments>(params)?;
    if caller.revision() < Revision::V2025_06_18 || !can_ask(caller.capabilities()) {
        return Err("The client cannot ask its user".into());
    }
    let answer = caller.elicit(&question()).await?;
    greet(params, &answer)
}

/// Where a call of the modern era stands.
enum Round {
    Ask,
    Answered(ElicitResult),
}

/// Says that the question was asked. Nothing depends on it, so it is not protected.
const STATE: &str = "greet: asked for the name";

/// Under which the question is asked.
const NAME: &str = "name";

/// In the modern era the call is made again, with the answer.
fn modern(caller: &Caller, params: &CallToolRequestParams) -> Result<Round, JsonRpcError> {
    let invalid = |message: String| JsonRpcError::new(ErrorCode::INVALID_PARAMS, message);
    if !can_ask(caller.capabilities()) {
        let form = ElicitationCapability::new().with_form(JsonObject::new());
        let required = ClientCapabilities::new().with_elicitation(form);
        return Err(MissingRequiredClientCapabilityErrorData::new(required).into());
    }
    match (params.request_state.as_deref(), &params.input_responses) {
        (None, None) => Ok(Round::Ask),
        (Some(STATE), responses) => match responses.as_ref().and_then(|responses| responses.get(NAME)) {
            None => Ok(Round::Ask),
            Some(response) => match response.decode() {
                Ok(answer) => Ok(Round::Answered(answer)),
                Err(error) => Err(invalid(format!("Invalid response `{NAME}`: {error}"))),
            },
        },
        _ => Err(invalid("`requestState` is not what it was".into())),
    }
}

fn can_ask(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(ElicitationCapability::supports_form)
}

fn input_required() -> InputRequiredResult {
    let requests = InputRequests::from([(NAME, InputRequest::Elicit(question()))]);
    InputRequiredResult::new().with_input_requests(requests).with_request_state(STATE)
}

fn question() -> ElicitRequestParams {
    let name = StringSchema::new().with_title("Name").with_description("Whom to greet").with_min_length(1);
    let form = ElicitationSchema::new([(NAME, name)]).with_required([NAME.to_owned()]);
    ElicitRequestParams::Form(ElicitRequestFormParams::new("What is your name?", form))
}

fn greet(params: &CallToolRequestParams, answer: &ElicitResult) -> Answer {
    let Arguments { greeting } = arguments(params)?;
    match &answer.action {
        ElicitAction::Accept => {
            let name = answer.content.as_ref().and_then(|content| content.get(NAME)?.as_string());
            let name = name.filter(|name| !name.is_empty()).ok_or("The form came back without a name")?;
            Ok(text(format!("{greeting}, {name}!")))
        }
        ElicitAction::Decline => Ok(text(format!("{greeting}, whoever you are!"))),
        _ => Err("The user gave no answer".into()),
    }
}
