//! The errors of calls that were not started, or ended without a result.

use std::time::Duration;

use mcp_protocol::connection::{NotRenewed, Outcome};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use mcp_types::{ErrorCode, JsonRpcError};

use super::{Cause, Error, Limit};
use crate::session::{Failure, StartError};

/// The error of a call that was not started.
pub(crate) fn start_error(error: StartError) -> Error {
    Error::new(match error {
        StartError::Closing | StartError::Ended(Failure::ClosedHere) => Cause::Closed,
        StartError::Full(Duration::ZERO) => Cause::QueueFull,
        StartError::Full(waited) => Cause::Timeout(Limit::Waiting(waited)),
        StartError::Ended(Failure::Transport(error)) => {
            Cause::Transport(error.with_delivery(Delivery::NeverSent))
        }
    })
}

/// The error of an outcome that is no reply.
pub(crate) fn outcome_error(outcome: Outcome<Failure>) -> Error {
    match outcome {
        Outcome::Expired { limit, sent } => Error::new(Cause::Timeout(Limit::Call(limit))).sent(sent),
        Outcome::Lost { failure: Failure::Transport(error), sent } => {
            let error = if sent { error } else { error.with_delivery(Delivery::NeverSent) };
            Error::new(Cause::Transport(error)).sent(sent)
        }
        Outcome::Lost { failure: Failure::ClosedHere, sent } => Error::new(Cause::Closed).sent(sent),
        Outcome::Error(raw) => Error::new(Cause::Rpc(rpc_error(&raw))).sent(true),
        Outcome::Orphaned(Failure::Transport(error)) => {
            Error::new(Cause::Transport(error.with_delivery(Delivery::MaybeSent))).sent(true)
        }
        Outcome::Orphaned(Failure::ClosedHere) => Error::new(Cause::Closed).sent(true),
        Outcome::NotRenewed(why) => not_renewed(why),
        Outcome::Result(_) | Outcome::CancelledByPeer | Outcome::NoReply => {
            Error::new(Cause::NoReply).sent(true)
        }
    }
}

/// The error of a call that waited for a session, when there is none.
fn not_renewed(why: NotRenewed<Failure>) -> Error {
    let what = match why {
        NotRenewed::Failed(Failure::ClosedHere) => return Error::new(Cause::Closed),
        // What stands in the way now: a challenge, say, or nobody who listens.
        NotRenewed::Failed(Failure::Transport(error)) => {
            return Error::new(Cause::Transport(error.with_delivery(Delivery::NeverSent)))
                .with_context("the server lost the session; this is why no new one was started".into());
        }
        NotRenewed::Refused(error) => format!("it refuses a new one: {}", rpc_error(&error)),
        NotRenewed::Revision(Some(version)) => format!("a new one would be of another revision: {version}"),
        NotRenewed::Revision(None) => "its answer to `initialize` names no revision".into(),
        NotRenewed::Expired(limit) => format!("it did not start a new one within {limit:?}"),
        NotRenewed::NoReply => "the new `initialize` has no reply".into(),
    };
    let what = format!("the server lost the session, and {what}");
    Error::new(Cause::Transport(TransportError::new(
        TransportErrorKind::SessionLost,
        Delivery::NeverSent,
        what,
    )))
}

/// The error object of a reply. One that cannot be read is an internal error in the words it came in.
pub(crate) fn rpc_error(raw: &[u8]) -> JsonRpcError {
    mcp_types::read::bytes(raw).unwrap_or_else(|_| {
        let text: String = String::from_utf8_lossy(raw).chars().take(256).collect();
        JsonRpcError::new(ErrorCode::INTERNAL_ERROR, format!("unreadable error object: {text}"))
    })
}
