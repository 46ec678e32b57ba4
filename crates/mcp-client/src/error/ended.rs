//! The errors of calls that were not started, or ended without a result.

use std::time::Duration;

use mcp_protocol::connection::Outcome;
use mcp_transport::Delivery;
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
        Outcome::Result(_) | Outcome::CancelledByPeer | Outcome::NoReply => {
            Error::new(Cause::NoReply).sent(true)
        }
    }
}

/// The error object of a reply. One that cannot be read is an internal error in the words it came in.
pub(crate) fn rpc_error(raw: &[u8]) -> JsonRpcError {
    serde_json::from_slice(raw).unwrap_or_else(|_| {
        let text: String = String::from_utf8_lossy(raw).chars().take(256).collect();
        JsonRpcError::new(ErrorCode::INTERNAL_ERROR, format!("unreadable error object: {text}"))
    })
}
