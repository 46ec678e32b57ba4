//! Calls: builders that are awaited.

mod direct;
mod encode;
mod list;
mod long;
mod methods;
mod mirror;
mod once;
mod options;
mod perform;
mod progress;
mod reply;
mod retrying;
mod rounds;

use std::{borrow::Cow, fmt, future::IntoFuture, time::Duration};

use bytes::Bytes;
use mcp_types::{ClientCapabilities, Json, LoggingLevel, Request, jsonrpc::MethodName, meta::key};

pub use list::{ListCall, Listing, PageStream, Paged};
pub use methods::TakesInput;
pub use once::{InputRequired, Once, Round};
pub use perform::CallFuture;
pub use progress::{CancelHandle, Progress, ProgressCall, Progresses};
pub use reply::Reply;

pub(crate) use encode::encode;
pub(crate) use options::CallOptions;
pub(crate) use perform::Mode;
pub(crate) use retrying::{Again, go_on};
pub(crate) use rounds::{Mend, mend};

use crate::{Client, Error, Result, error::Cause, retry::Retry};

/// A call that is made when it is awaited.
///
/// Awaiting gives the [`Reply`], or an [`Error`]. When the server asks for input first (modern era), the handlers of the
/// client give it, and the call goes on: see [`max_rounds`](Self::max_rounds) and [`once`](Self::once).
///
/// Dropping the future cancels the call: the server is told, once, in the way of era and transport; a call that has not
/// left yet is taken back.
#[must_use = "a call is made when it is awaited"]
pub struct Call<R: Request> {
    params: R::Params,
    options: CallOptions,
}

/// What a call is, whatever its types.
pub(crate) struct RawCall {
    pub(crate) method: MethodName,
    /// Empty when there are none.
    pub(crate) params: Result<Bytes>,
    pub(crate) options: CallOptions,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(client: Client, params: R::Params) -> Self {
        Self { params, options: CallOptions::of(client, R::METHOD) }
    }

    /// How long the call may take without a sign of life: an answer, or progress if
    /// [`extend_on_progress`](Self::extend_on_progress) is set. The clock stands still while a handler of the client
    /// answers an elicitation or a sampling request.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.idle = limit;
        self
    }

    /// How long the call may take in total, over all rounds. Time in which the client's handlers answer does not count.
    pub fn total(mut self, limit: Duration) -> Self {
        self.options.total = limit;
        self
    }

    /// Asks the server for progress, and takes each report for a sign of life: the idle limit begins anew. The total
    /// limit stays.
    pub fn extend_on_progress(mut self) -> Self {
        self.options.rare().extend_on_progress = true;
        self
    }

    /// How many requests the call may take, when the server asks for input again and again. A result that comes on the
    /// last one is returned. Default: [`defaults::MAX_ROUNDS`](crate::defaults::MAX_ROUNDS).
    pub fn max_rounds(mut self, limit: usize) -> Self {
        self.options.rare().max_rounds = Some(limit.max(1));
        self
    }

    /// When the call is tried again. Default: what [`ClientBuilder::retry`](crate::ClientBuilder::retry) says; nothing is
    /// tried again where that says nothing.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options.rare().retry = Some(retry);
        self
    }

    /// Vouches that it does no harm when the server executes the call twice, so that [`Retry`] may try it again also where
    /// it may have been executed.
    pub fn idempotent(mut self) -> Self {
        self.options.rare().idempotent = true;
        self
    }

    /// Adds a member to the `_meta` of the request. It wins over what the client puts there.
    pub fn meta(mut self, key: impl Into<String>, value: Json) -> Self {
        self.options.rare().meta.get_or_insert_default().insert(key, value);
        self
    }

    /// The lowest level of log messages that the server should send for this request. Modern era; without it, none are
    /// sent.
    pub fn log_level(self, level: &LoggingLevel) -> Self {
        self.meta(key::LOG_LEVEL, Json::from(level.as_str()))
    }

    /// Declares other capabilities for this request than for the connection: fewer, say. Modern era.
    ///
    /// # Errors
    /// When they cannot be written as JSON.
    pub fn capabilities(self, capabilities: &ClientCapabilities) -> Result<Self> {
        let json =
            Json::encode(capabilities).map_err(|error| Error::new(Cause::Arguments(error.to_string())))?;
        Ok(self.meta(key::CLIENT_CAPABILITIES, json))
    }

    /// Adds a header field, on transports that have headers. Not one of `Mcp-Param-*`, which mirror arguments: the call
    /// fails then, with [`InvalidArguments`](crate::ErrorKind::InvalidArguments), before anything is sent.
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.options.rare().headers.push(name.into(), value.into());
        self
    }

    /// The same call with a stream of its progress, and a handle to cancel it. Progress alone does not extend the idle
    /// limit: see [`extend_on_progress`](Self::extend_on_progress).
    pub fn with_progress(mut self) -> ProgressCall<R> {
        self.options.rare().wants_progress = true;
        ProgressCall::new(self.into_raw())
    }

    /// The same call, one request only: when the server asks for input, that is the outcome, and the application goes on
    /// from there, in another process perhaps.
    pub fn once(self) -> Once<R> {
        Once::new(self)
    }

    pub(crate) fn into_raw(self) -> RawCall {
        RawCall { method: Cow::Borrowed(R::METHOD), params: encode(&self.params), options: self.options }
    }
}

impl<R: Request> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({})", R::METHOD)
    }
}

impl<R: Request> IntoFuture for Call<R> {
    type Output = Result<Reply<R::Result>>;
    type IntoFuture = CallFuture<R>;

    fn into_future(self) -> CallFuture<R> {
        CallFuture::plain(self.into_raw())
    }
}
