//! What is special about single methods.

use mcp_types::{
    CallToolRequest, CompleteRequest, CompletionContext, GetPromptRequest, InputResponses, Json,
    ReadResourceRequest, Request,
};
use serde_core::Serialize;

use super::Call;
use crate::{Error, Result, error::Cause};

impl Call<CallToolRequest> {
    /// The arguments: anything that serializes to a JSON object. Numbers go out with every digit.
    ///
    /// # Errors
    /// When `args` cannot be written as JSON, or not as an object.
    pub fn args<T: Serialize + ?Sized>(mut self, args: &T) -> Result<Self> {
        let args = Json::encode(args).map_err(|error| Error::new(Cause::Arguments(error.to_string())))?;
        if !args.is_object() {
            return Err(Error::new(Cause::Arguments("a tool's arguments must be an object".into())));
        }
        self.params.arguments = Some(args);
        Ok(self)
    }
}

impl Call<GetPromptRequest> {
    /// One argument of the prompt.
    pub fn arg(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.params.arguments.get_or_insert_default().insert(name, value.into());
        self
    }

    /// Several arguments of the prompt.
    pub fn args<K: Into<String>, V: Into<String>>(self, arguments: impl IntoIterator<Item = (K, V)>) -> Self {
        arguments.into_iter().fold(self, |call, (name, value)| call.arg(name, value))
    }
}

impl Call<CompleteRequest> {
    /// An argument that is known already, for servers that complete one by the others. Since 2025-06-18.
    pub fn known(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let context = self.params.context.get_or_insert_with(CompletionContext::new);
        context.arguments.get_or_insert_default().insert(name, value.into());
        self
    }
}

/// A request whose result may be `input_required`.
///
/// Section: [Supported Requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests).
pub trait TakesInput: Request {
    /// Puts the responses to the server's requests, and its state, into the params of a retry.
    fn resume(params: &mut Self::Params, responses: Option<InputResponses>, state: Option<String>);
}

macro_rules! takes_input {
    ($($request:ident)*) => {$(
        impl TakesInput for $request {
            fn resume(params: &mut Self::Params, responses: Option<InputResponses>, state: Option<String>) {
                params.input_responses = responses;
                params.request_state = state;
            }
        }
    )*};
}

takes_input!(CallToolRequest GetPromptRequest ReadResourceRequest);

impl<R: TakesInput> Call<R> {
    /// Goes on from an [`InputRequired`](super::InputRequired), of this process or of another: the same call, with
    /// `responses` under the names of the server's requests, and the server's state as it came.
    pub fn resume(mut self, responses: Option<InputResponses>, state: Option<String>) -> Self {
        R::resume(&mut self.params, responses, state);
        self
    }
}
