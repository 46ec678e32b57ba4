use std::{borrow::Cow, future::IntoFuture, time::Duration};

use mcp_types::{CallToolRequest, CallToolRequestParams, Json, jsonrpc::scan};
use serde::Serialize;

use super::{Call, CallFuture, ProgressCall, Reply, encode};
use crate::{Client, Error, Result, error::Cause};

/// A call of a tool: made when it is awaited.
///
/// Section: [Calling Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
#[must_use = "a call is made when it is awaited"]
pub struct ToolCall {
    call: Call<CallToolRequest>,
    params: CallToolRequestParams,
}

impl ToolCall {
    pub(crate) fn new(client: Client, name: String) -> Self {
        let params = CallToolRequestParams::new(name);
        Self { call: Call::new(client, &params), params }
    }

    /// The arguments: anything that serializes to a JSON object. Numbers go out with every digit.
    ///
    /// # Errors
    /// When `args` cannot be written as JSON, or not as an object.
    pub fn args<T: Serialize + ?Sized>(mut self, args: &T) -> Result<Self> {
        let args = Json::encode(args).map_err(|error| Error::new(Cause::Arguments(error.to_string())))?;
        if scan::Members::of(args.as_str().as_bytes()).is_err() {
            return Err(Error::new(Cause::Arguments("a tool's arguments must be an object".into())));
        }
        self.params.arguments = Some(args);
        Ok(self)
    }

    /// See [`Call::timeout`].
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.call = self.call.timeout(limit);
        self
    }

    /// See [`Call::total`].
    pub fn total(mut self, limit: Duration) -> Self {
        self.call = self.call.total(limit);
        self
    }

    /// See [`Call::extend_on_progress`].
    pub fn extend_on_progress(mut self) -> Self {
        self.call = self.call.extend_on_progress();
        self
    }

    /// See [`Call::meta`].
    pub fn meta(mut self, key: impl Into<String>, value: Json) -> Self {
        self.call = self.call.meta(key, value);
        self
    }

    /// See [`Call::header`].
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.call = self.call.header(name, value);
        self
    }

    /// See [`Call::with_progress`].
    pub fn with_progress(self) -> ProgressCall<CallToolRequest> {
        self.finish().with_progress()
    }

    fn finish(mut self) -> Call<CallToolRequest> {
        self.call.raw_mut().params = encode(&self.params);
        self.call
    }
}

impl IntoFuture for ToolCall {
    type Output = Result<Reply<mcp_types::CallToolResult>>;
    type IntoFuture = CallFuture<CallToolRequest>;

    fn into_future(self) -> Self::IntoFuture {
        self.finish().into_future()
    }
}
