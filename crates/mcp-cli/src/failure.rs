//! Why a verb did not work: what is told to people, what to scripts, and the exit status.

use mcp_client::{Error, ErrorKind};
use mcp_transport::{TransportError, TransportErrorKind};
use mcp_types::{Json, JsonObject};

use crate::console;

/// The exit statuses. They are a contract: scripts rest on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Status {
    Success = 0,
    /// The tool reported `isError`.
    Tool = 1,
    /// Wrong use of the command.
    Usage = 2,
    /// The server cannot be started or reached, or died.
    Transport = 3,
    /// A JSON-RPC error, no common revision, an invalid message.
    Protocol = 4,
    /// Authorization is needed, or was refused.
    Authorization = 5,
    /// A deadline passed, or the user interrupted.
    Deadline = 6,
}

impl Status {
    /// The word for it in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Tool => "tool",
            Self::Usage => "usage",
            Self::Transport => "transport",
            Self::Protocol => "protocol",
            Self::Authorization => "authorization",
            Self::Deadline => "deadline",
        }
    }
}

/// Why a verb ended without its result.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// Members of the error in JSON, beside its message.
    details: JsonObject,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None, details: JsonObject::new() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Status::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The document that stands for the result where JSON was asked for.
    pub(crate) fn document(&self) -> Json {
        let mut error = JsonObject::from([
            ("kind", Json::from(self.status.word())),
            ("exitStatus", Json::from(u64::from(self.status as u8))),
            ("message", Json::from(self.message.as_str())),
        ]);
        if let Some(hint) = &self.hint {
            error.insert("hint", hint.as_str().into());
        }
        for (name, detail) in self.details.iter() {
            error.insert(name, detail.clone());
        }
        JsonObject::from([("error", Json::from(error))]).into()
    }

    /// Tells people, on standard error.
    pub(crate) fn tell(&self) {
        console::note(&format!("{} {}", console::err().bad("error:"), console::safe(&self.message)));
        if let Some(hint) = &self.hint {
            console::note(&format!("  {}", console::safe(hint)));
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut message = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message = format!("{message}: {cause_text}");
            }
            source = cause.source();
        }
        let mut failure = Self::new(status(&error), message);
        failure.hint = hint(&error);
        if let Some(method) = error.method() {
            failure.details.insert("method", method.into());
        }
        if let Some(rpc) = error.rpc()
            && let Ok(json) = Json::encode(rpc)
        {
            failure.details.insert("rpc", json);
        }
        if let Some(transport) = error.transport() {
            describe(transport, &mut failure.details);
        }
        if let Some(raw) = error.raw_result() {
            failure.details.insert("result", raw);
        }
        failure
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        let status = match error.kind() {
            TransportErrorKind::Configuration => Status::Usage,
            _ => transport_status(&error),
        };
        let mut failure = Self::new(status, error.to_string());
        describe(&error, &mut failure.details);
        failure
    }
}

/// The exit status that an error of the client leads to.
pub(crate) fn status(error: &Error) -> Status {
    match error.kind() {
        ErrorKind::Transport => error.transport().map_or(Status::Transport, transport_status),
        ErrorKind::Closed | ErrorKind::QueueFull => Status::Transport,
        ErrorKind::Timeout | ErrorKind::Cancelled => Status::Deadline,
        ErrorKind::InvalidArguments => Status::Usage,
        ErrorKind::Tool => Status::Tool,
        _ => Status::Protocol,
    }
}

fn transport_status(error: &TransportError) -> Status {
    match error.http() {
        Some(http) if matches!(http.status, 401 | 403) => Status::Authorization,
        _ if error.kind() == TransportErrorKind::Timeout => Status::Deadline,
        _ => Status::Transport,
    }
}

/// What the user can do, where that can be told from the error alone.
fn hint(error: &Error) -> Option<String> {
    if let Some(transport) = error.transport()
        && let Some(http) = transport.http()
        && matches!(transport_status(transport), Status::Authorization)
    {
        let challenge = match http.www_authenticate.as_slice() {
            [] => "the server sent no challenge".to_owned(),
            challenges => format!("the server's challenge: {}", challenges.join(", ")),
        };
        return Some(format!("{challenge}; give a token with --bearer-env VAR, or a field with --header"));
    }
    let url = error.url_elicitations().into_iter().next()?;
    Some(format!("the server wants you to go to {} first", url.url))
}

fn describe(error: &TransportError, details: &mut JsonObject) {
    if let Some(process) = error.process() {
        let mut json = JsonObject::from([("command", Json::from(process.command.as_str()))]);
        if let Some(code) = process.code {
            json.insert("exitStatus", Json::from(i64::from(code)));
        }
        if let Some(signal) = process.signal {
            json.insert("signal", Json::from(i64::from(signal)));
        }
        json.insert("stderr", process.stderr_tail.as_str().into());
        details.insert("process", json.into());
    }
    if let Some(http) = error.http() {
        let mut json = JsonObject::from([("status", Json::from(u64::from(http.status)))]);
        if let Some(kind) = &http.content_type {
            json.insert("contentType", kind.as_str().into());
        }
        if !http.www_authenticate.is_empty()
            && let Ok(challenges) = Json::encode(&http.www_authenticate)
        {
            json.insert("wwwAuthenticate", challenges);
        }
        if let Some(after) = http.retry_after {
            json.insert("retryAfterSeconds", Json::from(after.as_secs()));
        }
        json.insert("body", http.body_excerpt.as_str().into());
        details.insert("http", json.into());
    }
}
