//! What a server asks its client for: elicitation, sampling, roots. The same handlers serve the requests of legacy
//! servers and the input requests of modern ones.

mod elicit;
mod format;
mod roots;

use bytes::Bytes;
use mcp_types::{Json, JsonObject};
use serde::Deserialize;

pub use elicit::check_form_member;
pub(crate) use elicit::{answer_elicitation, checked_url};
pub(crate) use roots::Roots;

use crate::{
    Error, Result,
    client::Inner,
    error::{Cause, Raw},
    handlers::{CallInfo, RequestContext},
    task::Later,
};

/// The most requests for input in one result.
const MAX_REQUESTS: usize = 64;

/// The input for a retry.
pub(crate) struct Answers {
    pub(crate) responses: Option<JsonObject>,
    pub(crate) state: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    #[serde(default)]
    input_requests: Option<JsonObject>,
    #[serde(default)]
    request_state: Option<Json>,
}

#[derive(Deserialize)]
struct InputRequest {
    method: String,
    #[serde(default)]
    params: Option<Json>,
}

impl Inner {
    /// Answers what `result` asks for, one request after the other, in the server's order: a person can look at one
    /// dialog at a time.
    pub(crate) fn answer<'a>(&'a self, call: CallInfo, result: &'a Bytes) -> Later<'a, Result<Answers>> {
        Box::pin(self.answer_in_order(call, result))
    }

    async fn answer_in_order(&self, call: CallInfo, result: &Bytes) -> Result<Answers> {
        let wanted: Wanted = mcp_types::decode(result)
            .map_err(|error| Error::new(Cause::Decode(error, Raw(result.clone()))))?;
        let Some(requests) = wanted.input_requests else {
            return Ok(Answers { responses: None, state: wanted.request_state });
        };
        if requests.len() > MAX_REQUESTS {
            let error = Error::new(Cause::InputRequired(Raw(result.clone())));
            return Err(error.with_context(format!("more than {MAX_REQUESTS} requests at once")));
        }
        let mut responses = JsonObject::new();
        for (name, request) in requests.iter() {
            let request: InputRequest =
                request.decode().map_err(|error| Error::new(Cause::Decode(error, Raw(result.clone()))))?;
            let refuse = |why: String| {
                Error::new(Cause::InputRequired(Raw(result.clone())))
                    .with_context(format!("{}: {why}", request.method))
            };
            let Some(handler) = self.handlers.request(&request.method) else {
                return Err(refuse("the client has no handler for it".into()));
            };
            let context = RequestContext::new(
                request.method.clone().into(),
                None,
                Some(call.clone()),
                self.session.client(),
            );
            let params =
                request.params.as_ref().map(|params| Bytes::copy_from_slice(params.as_str().as_bytes()));
            let response = handler(params, context).await.map_err(|error| refuse(error.to_string()))?;
            let response: Json = mcp_types::decode(&response).map_err(|error| refuse(error.to_string()))?;
            responses.insert(name, response);
        }
        Ok(Answers { responses: Some(responses), state: wanted.request_state })
    }
}
