//! What a server asks its client for: elicitation, sampling, roots. The same handlers serve the requests of legacy
//! servers and the input requests of modern ones.

mod elicit;
mod format;
mod roots;

use bytes::Bytes;
use mcp_types::{
    Json, JsonObject,
    read::{self, Read, Reader},
};

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

#[derive(Default)]
struct Wanted {
    input_requests: Option<JsonObject>,
    request_state: Option<Json>,
}

impl Read for Wanted {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let mut wanted = Self::default();
        reader.entries("a result", &mut |name, reader| {
            match &*name {
                "inputRequests" => wanted.input_requests = Read::read(reader)?,
                "requestState" => wanted.request_state = Read::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(wanted)
    }
}

struct InputRequest {
    method: String,
    params: Option<Json>,
}

impl Read for InputRequest {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let (mut method, mut params) = (None, None);
        reader.entries("a request", &mut |name, reader| {
            match &*name {
                "method" => method = Some(String::read(reader)?),
                "params" => params = Read::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let method = method.ok_or_else(|| reader.error("missing field `method`"))?;
        Ok(Self { method, params })
    }
}

impl Inner {
    /// Answers what `result` asks for, one request after the other, in the server's order: a person can look at one
    /// dialog at a time.
    pub(crate) fn answer<'a>(&'a self, call: CallInfo, result: &'a Bytes) -> Later<'a, Result<Answers>> {
        Box::pin(self.answer_in_order(call, result))
    }

    async fn answer_in_order(&self, call: CallInfo, result: &Bytes) -> Result<Answers> {
        let wanted: Wanted =
            read::bytes(result).map_err(|error| Error::new(Cause::Decode(error, Raw(result.clone()))))?;
        let Some(requests) = wanted.input_requests else {
            return Ok(Answers { responses: None, state: wanted.request_state });
        };
        if requests.len() > MAX_REQUESTS {
            let error = Error::new(Cause::InputRequired(Raw(result.clone())));
            return Err(error.with_context(format!("more than {MAX_REQUESTS} requests at once")));
        }
        let mut responses = JsonObject::new();
        for (name, request) in requests.iter() {
            let request: InputRequest = read::text(request.as_str())
                .map_err(|error| Error::new(Cause::Decode(error, Raw(result.clone()))))?;
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
            let response: Json = read::bytes(&response).map_err(|error| refuse(error.to_string()))?;
            responses.insert(name, response);
        }
        Ok(Answers { responses: Some(responses), state: wanted.request_state })
    }
}
