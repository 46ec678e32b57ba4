//! The probe: whether a server is modern, and what it says of itself.

use bytes::Bytes;
use mcp_protocol::{Metadata, ResultKind, connection::Outcome, negotiate::ProbeAnswer, result_kind};
use mcp_transport::TransportError;
use mcp_types::{DiscoverResult, Era, ErrorCode, JsonRpcError, Revision, read};

use super::{Answered, Attempt, json, silent_call};
use crate::{
    Error, Negotiated, Result,
    error::{Cause, Raw, outcome_error, rpc_error, start_error},
    session::Failure,
};

pub(super) struct Probed {
    pub(super) answer: ProbeAnswer,
    pub(super) result: Option<Box<Negotiated>>,
    pub(super) failure: Option<Failure>,
}

impl Attempt<'_> {
    pub(super) async fn probe(&self, revision: Revision) -> Result<Answered<Probed>> {
        let params = self
            .builder
            .stamp(revision)?
            .apply(Bytes::new(), Metadata::default())
            .map_err(|error| Error::new(Cause::Arguments(error.expected.into())))?;
        let session = self.session()?;
        let limit = self.builder.options.probe_timeout;
        let outcome = silent_call(session, "server/discover", params, Some(limit)).await;
        if let Some(link) = session.take_replacement() {
            return Ok(Answered::Replaced(link));
        }
        let answer = match outcome.map_err(start_error)? {
            Outcome::Result(raw) => match discover_result(&raw) {
                Ok(result) => {
                    let supported = result.supported_versions.to_vec();
                    let answer = ProbeAnswer::Discovered(supported);
                    return Ok(Answered::Answer(Probed {
                        answer,
                        result: Some(Negotiated::discovered(result, json(&raw)?)),
                        failure: None,
                    }));
                }
                // An answer, but not of a server that knows the method.
                Err(error) if self.builder.versions.newest(Era::Legacy).is_none() => {
                    return Err(
                        Error::new(Cause::Decode(error, Raw(raw))).of_method(&"server/discover".into())
                    );
                }
                Err(error) => ProbeAnswer::OtherError(JsonRpcError::new(
                    ErrorCode::INVALID_REQUEST,
                    format!("unreadable answer to `server/discover`: {error}"),
                )),
            },
            Outcome::Error(raw) => ProbeAnswer::from_error(rpc_error(&raw)),
            Outcome::Lost { failure: Failure::Transport(error), .. } if refuses_the_request(&error) => {
                ProbeAnswer::OtherError(JsonRpcError::new(ErrorCode::INVALID_REQUEST, error.to_string()))
            }
            // Over HTTP, silence and a lost connection say nothing of the era.
            Outcome::Expired { .. } if !session.has_exchanges() => ProbeAnswer::Silent,
            Outcome::Lost { failure, .. } if !session.has_exchanges() => {
                return Ok(Answered::Answer(Probed {
                    answer: ProbeAnswer::Died,
                    result: None,
                    failure: Some(failure),
                }));
            }
            other => return Err(outcome_error(other)),
        };
        Ok(Answered::Answer(Probed { answer, result: None, failure: None }))
    }
}

fn discover_result(raw: &[u8]) -> read::Result<DiscoverResult> {
    if result_kind(raw) != ResultKind::Complete {
        return Err(serde_core::de::Error::custom("a result of another type"));
    }
    read::bytes(raw)
}

/// Whether an HTTP refusal says that the server does not know modern requests. 401, and 403 with a challenge, say
/// nothing of that.
pub(super) fn refuses_the_request(error: &TransportError) -> bool {
    error.http().is_some_and(|http| match http.status {
        401 => false,
        403 => http.www_authenticate.is_empty(),
        status => (400..500).contains(&status),
    })
}
