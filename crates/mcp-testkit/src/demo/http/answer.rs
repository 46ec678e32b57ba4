use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::{Either, Full};
use mcp_types::{ErrorCode, JsonRpcError, RequestId, jsonrpc::JsonRpcMessage};

use super::record::{Events, Reading};
use crate::demo::methods::encode;

pub(super) type Answer = Response<Either<Full<Bytes>, Events>>;

/// A status alone.
pub(super) fn status(status: StatusCode) -> Answer {
    whole(status, Bytes::new())
}

/// A message as JSON.
pub(super) fn json(status: StatusCode, text: Bytes) -> Answer {
    with(whole(status, text), header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
}

/// A JSON-RPC error; without an id where the message cannot be answered.
pub(super) fn error(
    status: StatusCode,
    id: Option<RequestId>,
    code: ErrorCode,
    message: impl Into<String>,
) -> Answer {
    let error = JsonRpcError::new(code, message);
    json(status, JsonRpcMessage::error(id, encode(&error)).to_vec().into())
}

pub(super) fn not_allowed(allowed: &'static str) -> Answer {
    with(status(StatusCode::METHOD_NOT_ALLOWED), header::ALLOW, HeaderValue::from_static(allowed))
}

/// What a reading reads, as a stream of events.
pub(super) fn stream(reading: Reading) -> Answer {
    events(reading.into_body())
}

/// A stream of events.
pub(super) fn events(events: Events) -> Answer {
    let mut answer = Response::new(Either::Right(events));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    answer
}

pub(super) fn with(mut answer: Answer, name: HeaderName, value: HeaderValue) -> Answer {
    answer.headers_mut().insert(name, value);
    answer
}

fn whole(status: StatusCode, body: Bytes) -> Answer {
    let mut answer = Response::new(Either::Left(Full::new(body)));
    *answer.status_mut() = status;
    answer
}

/// Whether the client takes answers of `kind`.
pub(super) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let (family, _) = kind.split_once('/').unwrap_or_default();
    let ranges = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    ranges.flat_map(|value| value.split(',')).any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        range.eq_ignore_ascii_case(kind)
            || range == "*/*"
            || range.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(family))
    })
}
