mod display;
mod ended;

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use mcp_protocol::{connection::Expired, negotiate::NegotiationError};
use mcp_transport::{Delivery, HttpFailure, ProcessFailure, TransportError, TransportErrorKind};
use mcp_types::{ElicitRequestUrlParams, ErrorCode, Json, JsonRpcError, Revision, jsonrpc::MethodName, read};

pub(crate) use ended::{outcome_error, rpc_error, start_error};

use crate::input::checked_url;

/// A `Result` whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why something did not work.
///
/// [`kind`](Self::kind) tells the failures of the transport, of the protocol and of this side apart; the other methods
/// give what is known beside it. A tool's own failure (`isError`) is a result, not an error.
///
/// Cheap to clone: all who waited for one thing can be told.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    cause: Cause,
    method: Option<MethodName>,
    /// Whether the request may have reached the server.
    sent: bool,
    context: Option<String>,
    /// What a JSON-RPC error came with.
    http: Option<Box<HttpFailure>>,
}

/// What kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The transport failed: see [`Error::transport`].
    Transport,
    /// The server answered with a JSON-RPC error: see [`Error::rpc`].
    Rpc,
    /// A deadline passed.
    Timeout,
    /// The caller cancelled the call, through a [`CancelHandle`](crate::CancelHandle).
    Cancelled,
    /// The client is closed, or was while the call was open.
    Closed,
    /// Client and server found no common ground, while connecting.
    Negotiation,
    /// The server's revision or capabilities lack the method. Nothing was sent.
    Unsupported,
    /// More waits to be sent than the limit allows. Nothing was sent.
    QueueFull,
    /// The arguments cannot be written as JSON, or not as an object. Nothing was sent.
    InvalidArguments,
    /// The server's result is not what the method says: see [`Error::raw_result`].
    InvalidResult,
    /// The server wants input before it goes on, and the client cannot give it: no handler, a handler that failed, or too
    /// many rounds. See [`Error::raw_result`], and [`Call::once`](crate::Call::once) to go on by hand.
    InputRequired,
    /// The tool failed, and the caller asked for that to be an error: see [`Error::raw_result`].
    Tool,
    /// The tool's structured result does not fit the schema that it declares, and the caller asked for that to be an error
    /// ([`ClientBuilder::validate_output`](crate::ClientBuilder::validate_output)): see [`Error::raw_result`].
    InvalidOutput,
    /// A list has more pages than the limit allows.
    TooManyPages,
}

#[derive(Debug)]
pub(crate) enum Cause {
    Transport(TransportError),
    Rpc(JsonRpcError),
    Timeout(Limit),
    Cancelled(String),
    Closed,
    Negotiation(NegotiationError),
    /// The method is not in this revision.
    Revision(Revision),
    /// The server did not declare this capability.
    Capability(&'static str),
    /// The method is not sent in this direction.
    Direction,
    Arguments(String),
    QueueFull,
    Decode(read::Error, Raw),
    ResultType(String, Raw),
    InputRequired(Raw),
    /// What the tool says.
    Tool(String, Raw),
    /// Why the structured result does not fit.
    Output {
        tool: String,
        why: String,
        raw: Raw,
    },
    TooManyPages(usize),
    NoReply,
}

/// A server's result. Its debug form shows none of it: results may be large, and may be secret.
pub(crate) struct Raw(pub(crate) Bytes);

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    Call(Expired),
    Waiting(Duration),
    Total(Duration),
    Connect(Duration),
}

impl Error {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(cause: Cause) -> Self {
        Self(Arc::new(Inner { cause, method: None, sent: false, context: None, http: None }))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn of_method(self, method: &MethodName) -> Self {
        self.with(|inner| inner.method = Some(method.clone()))
    }

    pub(crate) fn sent(self, sent: bool) -> Self {
        self.with(|inner| inner.sent = sent)
    }

    pub(crate) fn with_http(self, http: Option<Box<HttpFailure>>) -> Self {
        self.with(|inner| inner.http = http)
    }

    /// Completes an error that nobody else has yet.
    fn with(mut self, complete: impl FnOnce(&mut Inner)) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            complete(inner);
        }
        self
    }

    /// The same, with `total` as the limit that was set where only what was left of it is known.
    pub(crate) fn with_total(self, total: Duration) -> Self {
        self.with(|inner| {
            if let Cause::Timeout(Limit::Call(Expired::Total(limit))) = &mut inner.cause {
                *limit = total;
            }
        })
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn with_context(self, context: String) -> Self {
        self.with(|inner| {
            inner.context = Some(match inner.context.take() {
                Some(before) => format!("{before}; {context}"),
                None => context,
            });
        })
    }

    /// What kind of error.
    pub fn kind(&self) -> ErrorKind {
        match &self.0.cause {
            Cause::Transport(_) | Cause::NoReply => ErrorKind::Transport,
            Cause::Rpc(_) => ErrorKind::Rpc,
            Cause::Timeout(_) => ErrorKind::Timeout,
            Cause::Cancelled(_) => ErrorKind::Cancelled,
            Cause::Closed => ErrorKind::Closed,
            Cause::Negotiation(_) => ErrorKind::Negotiation,
            Cause::Revision(_) | Cause::Capability(_) | Cause::Direction => ErrorKind::Unsupported,
            Cause::Arguments(_) => ErrorKind::InvalidArguments,
            Cause::QueueFull => ErrorKind::QueueFull,
            Cause::Decode(..) | Cause::ResultType(..) => ErrorKind::InvalidResult,
            Cause::InputRequired(_) => ErrorKind::InputRequired,
            Cause::Tool(..) => ErrorKind::Tool,
            Cause::Output { .. } => ErrorKind::InvalidOutput,
            Cause::TooManyPages(_) => ErrorKind::TooManyPages,
        }
    }

    /// The method of the call that failed.
    pub fn method(&self) -> Option<&str> {
        self.0.method.as_deref()
    }

    /// The error that the server answered with.
    pub fn rpc(&self) -> Option<&JsonRpcError> {
        match &self.0.cause {
            Cause::Rpc(error) | Cause::Negotiation(NegotiationError::Refused(error)) => Some(error),
            _ => None,
        }
    }

    /// What the user must do first, at a URL, if the server says so (-32042, 2025-11-25 only). URLs that must not be
    /// opened are left out.
    pub fn url_elicitations(&self) -> Vec<ElicitRequestUrlParams> {
        let required = self.rpc().and_then(JsonRpcError::url_elicitation_required);
        let elicitations = required.map(|data| data.elicitations.into_vec()).unwrap_or_default();
        elicitations.into_iter().filter(|params| checked_url(params).is_ok()).collect()
    }

    /// Why there is no common ground, if that is why.
    pub fn negotiation(&self) -> Option<&NegotiationError> {
        match &self.0.cause {
            Cause::Negotiation(error) => Some(error),
            _ => None,
        }
    }

    /// The failure of the transport.
    pub fn transport(&self) -> Option<&TransportError> {
        match &self.0.cause {
            Cause::Transport(error) => Some(error),
            _ => None,
        }
    }

    /// How the server's process ended, if that is why.
    pub fn process(&self) -> Option<&ProcessFailure> {
        self.transport()?.process()
    }

    /// How the HTTP peer refused: if that is why, and where the server's error ([`rpc`](Self::rpc)) came with a refusal.
    pub fn http(&self) -> Option<&HttpFailure> {
        self.transport().and_then(TransportError::http).or(self.0.http.as_deref())
    }

    /// The result as it came, if it could not be used as it is.
    pub fn raw_result(&self) -> Option<Json> {
        read::bytes(&self.raw_bytes()?).ok()
    }

    pub(crate) fn raw_bytes(&self) -> Option<Bytes> {
        match &self.0.cause {
            Cause::Decode(_, raw)
            | Cause::ResultType(_, raw)
            | Cause::InputRequired(raw)
            | Cause::Tool(_, raw)
            | Cause::Output { raw, .. } => Some(raw.0.clone()),
            _ => None,
        }
    }

    /// Whether the server may have executed the request. `false` is certain.
    pub fn may_have_executed(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(error) => self.0.sent && error.delivery() == Delivery::MaybeSent,
            Cause::Rpc(error) => !REFUSALS.contains(&error.code),
            Cause::Timeout(_) | Cause::Cancelled(_) | Cause::Closed | Cause::NoReply => self.0.sent,
            Cause::Decode(..)
            | Cause::ResultType(..)
            | Cause::InputRequired(_)
            | Cause::Tool(..)
            | Cause::Output { .. } => true,
            Cause::Negotiation(_)
            | Cause::Revision(_)
            | Cause::Capability(_)
            | Cause::Direction
            | Cause::Arguments(_)
            | Cause::QueueFull
            | Cause::TooManyPages(_) => false,
        }
    }

    /// Whether trying again may help and cannot do harm: the request was not executed, or it was a read and the server
    /// says that it failed inside (-32603). After a failure of the link, a new connection is needed.
    pub fn is_retryable(&self) -> bool {
        match &self.0.cause {
            Cause::Rpc(error) => {
                error.code == ErrorCode::INTERNAL_ERROR && self.method().is_some_and(is_read)
            }
            Cause::Transport(error) => !self.may_have_executed() && is_transient(error),
            Cause::NoReply | Cause::Timeout(_) => !self.may_have_executed(),
            Cause::QueueFull => true,
            _ => false,
        }
    }

    /// Whether the same request may succeed in a moment, whatever became of this one.
    pub(crate) fn is_passing(&self) -> bool {
        match &self.0.cause {
            Cause::Rpc(error) => error.code == ErrorCode::INTERNAL_ERROR,
            Cause::Transport(error) => is_transient(error),
            Cause::NoReply | Cause::QueueFull => true,
            _ => false,
        }
    }
}

/// Whether `method` only reads, by what the specification says of it.
pub(crate) fn is_read(method: &str) -> bool {
    method.ends_with("/list")
        || matches!(
            method,
            "resources/read" | "prompts/get" | "completion/complete" | "ping" | "server/discover"
        )
}

/// Whether a failure of the transport may be gone the next time.
fn is_transient(error: &TransportError) -> bool {
    match error.kind() {
        TransportErrorKind::NotFound
        | TransportErrorKind::Configuration
        | TransportErrorKind::NotRepeatable
        | TransportErrorKind::TooLarge => false,
        _ => error
            .http()
            .or(error.proxy())
            .is_none_or(|http| !(400..500).contains(&http.status) || matches!(http.status, 408 | 425 | 429)),
    }
}

/// Codes by which a server says that it did not begin.
const REFUSALS: [ErrorCode; 7] = [
    ErrorCode::PARSE_ERROR,
    ErrorCode::INVALID_REQUEST,
    ErrorCode::METHOD_NOT_FOUND,
    ErrorCode::INVALID_PARAMS,
    ErrorCode::HEADER_MISMATCH,
    ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
    ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
];

impl std::error::Error for Error {
    /// What lies behind what this error says of itself.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            Cause::Transport(error) => error.source(),
            _ => None,
        }
    }
}
