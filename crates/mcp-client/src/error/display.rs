//! Errors in words.

use std::fmt;

use mcp_protocol::connection::Expired;
use mcp_types::Json;

use super::{Cause, Error, Limit};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = &self.0.method {
            write!(f, "{method}: ")?;
        }
        self.fmt_cause(f)?;
        match &self.0.context {
            Some(context) => write!(f, " ({context})"),
            None => Ok(()),
        }
    }
}

impl Error {
    fn fmt_cause(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match &self.0.cause {
            Cause::Transport(error) => return fmt::Display::fmt(error, f),
            Cause::Rpc(error) => {
                write!(f, "the server answered: {error}")?;
                let data = error.missing_required_client_capability();
                return match data.and_then(|data| Json::encode(&data.required_capabilities).ok()) {
                    Some(required) => write!(f, "; it wants the client to declare {required}"),
                    None => Ok(()),
                };
            }
            Cause::Timeout(limit) => return fmt::Display::fmt(limit, f),
            Cause::Cancelled(reason) if reason.is_empty() => "cancelled",
            Cause::Cancelled(reason) => return write!(f, "cancelled: {reason}"),
            Cause::Closed => "the client is closed",
            Cause::Negotiation(error) => return fmt::Display::fmt(error, f),
            Cause::Revision(revision) => {
                let listens = matches!(self.method(), Some("resources/subscribe" | "resources/unsubscribe"));
                let instead = if listens { "; use `Client::listen`" } else { "" };
                return write!(f, "no such method in revision {revision}, which the server speaks{instead}");
            }
            Cause::Capability(name) => {
                return write!(f, "the server did not declare the capability `{name}`");
            }
            Cause::Direction => "a method that clients do not send",
            Cause::QueueFull => "too much waits to be sent",
            Cause::Arguments(why) => return write!(f, "the arguments cannot be sent: {why}"),
            Cause::Decode(error, _) => return write!(f, "the server's result does not fit: {error}"),
            Cause::ResultType(kind, _) => {
                return write!(f, "the server's result is of an unknown type: `{kind}`");
            }
            Cause::InputRequired(_) => "the server wants input first",
            Cause::Tool(text, _) if text.is_empty() => "the tool failed",
            Cause::Tool(text, _) => return write!(f, "the tool failed: {text}"),
            Cause::Output { tool, why, .. } => return write!(f, "the structured result of `{tool}`: {why}"),
            Cause::TooManyPages(limit) => return write!(f, "the list has more than {limit} pages"),
            Cause::NoReply => "the exchange ended without a reply",
        };
        f.write_str(text)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, limit, why) = match self {
            Self::Call(Expired::Idle(limit)) => ("no answer", limit, ""),
            Self::Call(Expired::Total(limit)) | Self::Total(limit) => ("not finished", limit, ""),
            Self::Waiting(limit) => ("not sent", limit, ": too much waits before it"),
            Self::Connect(limit) => ("not connected", limit, ""),
        };
        write!(f, "{what} within {limit:?}{why}")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("method", &self.0.method)
            .field("cause", &self.0.cause)
            .field("may_have_executed", &self.may_have_executed())
            .field("context", &self.0.context)
            .finish()
    }
}
