//! Calls: builders that are awaited.

mod list;
mod perform;
mod progress;
mod reply;
mod tool;

use std::{borrow::Cow, future::IntoFuture, marker::PhantomData, sync::Arc, time::Duration};

use mcp_types::{Json, JsonObject, Request, jsonrpc::MethodName};
use serde::Serialize;

pub use list::{ListCall, Listing, PageStream, Paged};
pub use perform::CallFuture;
pub use progress::{CancelHandle, Progress, ProgressCall, Progresses};
pub use reply::Reply;
pub use tool::ToolCall;

use crate::{
    Client, Error, Result,
    error::Cause,
    session::{Headers, Slot},
};

/// A call that is made when it is awaited.
///
/// Awaiting gives the [`Reply`], or an [`Error`]. Dropping the future cancels the call: the server is told, once, in the
/// way of era and transport; a call that has not left yet is taken back.
#[must_use = "a call is made when it is awaited"]
pub struct Call<R: Request> {
    raw: RawCall,
    method: PhantomData<fn() -> R>,
}

/// What a call is, whatever its types.
pub(crate) struct RawCall {
    pub(crate) client: Client,
    pub(crate) method: MethodName,
    pub(crate) params: Result<Vec<u8>>,
    pub(crate) meta: Option<JsonObject>,
    pub(crate) headers: Headers,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    pub(crate) extend_on_progress: bool,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(client: Client, params: &R::Params) -> Self {
        let params = encode(params);
        Self { raw: RawCall::new(client, Cow::Borrowed(R::METHOD), params), method: PhantomData }
    }

    pub(crate) fn raw_mut(&mut self) -> &mut RawCall {
        &mut self.raw
    }

    /// How long the call may take without a sign of life: an answer, or progress if
    /// [`extend_on_progress`](Self::extend_on_progress) is set.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.raw.idle = limit;
        self
    }

    /// How long the call may take in total.
    pub fn total(mut self, limit: Duration) -> Self {
        self.raw.total = limit;
        self
    }

    /// Asks the server for progress, and takes each report for a sign of life: the idle limit begins anew. The total
    /// limit stays.
    pub fn extend_on_progress(mut self) -> Self {
        self.raw.extend_on_progress = true;
        self
    }

    /// Adds a member to the `_meta` of the request.
    pub fn meta(mut self, key: impl Into<String>, value: Json) -> Self {
        self.raw.meta.get_or_insert_default().insert(key, value);
        self
    }

    /// Adds a header field, on transports that have headers.
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.raw.headers.push((name.into(), value.into()));
        self
    }

    /// The same call with a stream of its progress, and a handle to cancel it. Implies
    /// [`extend_on_progress`](Self::extend_on_progress).
    pub fn with_progress(mut self) -> ProgressCall<R> {
        self.raw.extend_on_progress = true;
        ProgressCall::new(self.raw)
    }
}

impl<R: Request> IntoFuture for Call<R> {
    type Output = Result<Reply<R::Result>>;
    type IntoFuture = CallFuture<R>;

    fn into_future(self) -> CallFuture<R> {
        CallFuture::new(self.raw, Arc::new(Slot::default()), false)
    }
}

impl RawCall {
    pub(crate) fn new(client: Client, method: MethodName, params: Result<Vec<u8>>) -> Self {
        let options = &client.0.options;
        let idle = if is_metadata(&method) { options.metadata_timeout } else { options.call_timeout };
        let total = options.total_timeout;
        Self {
            client,
            method,
            params,
            meta: None,
            headers: Vec::new(),
            idle,
            total,
            extend_on_progress: false,
        }
    }
}

/// Methods that a server answers from what it knows, without doing anything.
fn is_metadata(method: &str) -> bool {
    method.ends_with("/list") || matches!(method, "ping" | "server/discover" | "logging/setLevel")
}

/// The JSON text of params; empty when there are no members.
pub(crate) fn encode<T: Serialize>(params: &T) -> Result<Vec<u8>> {
    let mut text =
        serde_json::to_vec(params).map_err(|error| Error::new(Cause::Arguments(error.to_string())))?;
    match text.as_slice() {
        b"{}" | b"null" => text.clear(),
        [b'{', ..] => {}
        _ => return Err(Error::new(Cause::Arguments("params must be an object".into()))),
    }
    Ok(text)
}
