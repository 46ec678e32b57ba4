//! Responses that refuse, or that are none.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{StatusCode, header, response::Parts};
use mcp_transport::{Delivery, HttpFailure, RawMessage, TransportError, TransportErrorKind};
use mcp_types::{
    RequestId,
    jsonrpc::{self, Incoming, JsonRpcMessage, JsonRpcResponse, scan},
};

use crate::{body, redirect::NotFollowed, retry_after::retry_after, service::Answer};

/// How much is read of a body that explains a refusal.
const BODY_LIMIT: usize = 64 * 1024;
/// How long that may take.
const BODY_WITHIN: Duration = Duration::from_secs(5);
/// How much of it is kept in the error.
const EXCERPT: usize = 1024;

/// A response whose status says no, with the beginning of its body.
pub(crate) struct Refusal {
    parts: Parts,
    body: Bytes,
    in_session: bool,
}

impl Refusal {
    /// `in_session`: the request named a session.
    pub(crate) async fn read(answer: Answer, in_session: bool) -> Self {
        let (parts, body) = answer.into_parts();
        let body = body::beginning(body, BODY_LIMIT, BODY_WITHIN).await;
        Self { parts, body, in_session }
    }

    /// The JSON-RPC error in the body, as the answer to the request `id`: a refusal answers the POST that it came on,
    /// whatever its id. `None` when the status itself is what the caller must see.
    pub(crate) fn rpc_error(&self, id: &RequestId) -> Option<RawMessage> {
        let status = self.parts.status;
        let challenged = status == StatusCode::UNAUTHORIZED
            || (status == StatusCode::FORBIDDEN && self.parts.headers.contains_key(header::WWW_AUTHENTICATE));
        if challenged || status == StatusCode::TOO_MANY_REQUESTS || self.loses_session() {
            return None;
        }
        let mut response = self.rpc_response()?;
        response.id = Some(id.clone());
        Some(JsonRpcMessage::Response(response).map(Bytes::copy_from_slice))
    }

    fn rpc_response(&self) -> Option<JsonRpcResponse<&[u8]>> {
        match jsonrpc::parse(&self.body) {
            Ok(Incoming::Single(JsonRpcMessage::Response(response))) => {
                Some(response).filter(|response| response.outcome.is_err())
            }
            _ => None,
        }
    }

    /// Whether the URL may be one of the transport of 2024-11-05, which takes no POST there. Section:
    /// [HTTP+SSE Transport](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#http-sse-transport-2024-11-05).
    pub(crate) fn may_be_http_sse(&self) -> bool {
        matches!(self.parts.status.as_u16(), 400 | 404 | 405) && self.rpc_response().is_none()
    }

    /// Whether the server does not know the session: 404, unless it is about the method; or 400 with an explanation that
    /// names the session or an `initialize` that is missing, and is about no request in particular or about the transport.
    pub(crate) fn loses_session(&self) -> bool {
        match self.parts.status {
            _ if !self.in_session => false,
            StatusCode::NOT_FOUND => !self.rpc_response().is_some_and(|response| lacks_method(&response)),
            StatusCode::BAD_REQUEST => {
                let of_a_call = self.rpc_response().is_some_and(|response| is_of_a_call(&response));
                let why = String::from_utf8_lossy(&self.body).to_lowercase();
                !of_a_call && (why.contains("session") || why.contains("not initialized"))
            }
            _ => false,
        }
    }

    pub(crate) fn into_error(self) -> TransportError {
        let status = self.parts.status;
        let mut kind = TransportErrorKind::Http;
        let what = if self.loses_session() {
            kind = TransportErrorKind::SessionLost;
            "the server does not know the session any more".into()
        } else if let Some(target) = redirect_target(&self.parts) {
            let why = self.parts.extensions.get::<NotFollowed>().map_or("", |why| why.why());
            format!("the server redirects to {target}, which is not followed{why}")
        } else {
            "the server refused the request".into()
        };
        TransportError::new(kind, delivery(status), what).with_http(failure(&self.parts, &self.body))
    }
}

/// Whether a response is about what its request asked for: it has the id of one of ours, which are numbers, and not a code by
/// which SDKs refuse requests before they look into them.
fn is_of_a_call(response: &JsonRpcResponse<&[u8]>) -> bool {
    let Err(error) = &response.outcome else { return true };
    let code = scan::member(error, "code").map(|range| &error[range]);
    let of_the_transport = matches!(code, Some(b"-32000" | b"-32001"));
    !of_the_transport && response.id.as_ref().is_some_and(|id| id.answers_to().is_some())
}

/// Whether a response says of its own request that there is no such method.
fn lacks_method(response: &JsonRpcResponse<&[u8]>) -> bool {
    let Err(error) = &response.outcome else { return false };
    let code = scan::member(error, "code").map(|range| &error[range]);
    response.id.is_some() && code == Some(b"-32601")
}

/// The response to a request was good, but held no message.
pub(crate) fn no_message(parts: &Parts, body: &[u8], what: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Protocol, Delivery::MaybeSent, what)
        .with_http(failure(parts, body))
}

/// As [`no_message`], for a response whose body was not read yet.
pub(crate) async fn unexpected(answer: Answer, what: &'static str) -> TransportError {
    let (parts, body) = answer.into_parts();
    let body = body::beginning(body, EXCERPT, BODY_WITHIN).await;
    no_message(&parts, &body, what)
}

/// What the status says of the request.
fn delivery(status: StatusCode) -> Delivery {
    match status {
        // Proxies answer 408 for a server that was too slow; 409 may come of what was done before; 303 leads to the result
        // of something that was done.
        StatusCode::REQUEST_TIMEOUT
        | StatusCode::CONFLICT
        | StatusCode::MULTIPLE_CHOICES
        | StatusCode::SEE_OTHER => Delivery::MaybeSent,
        _ if status.is_client_error() || status.is_redirection() => Delivery::Refused,
        _ => Delivery::MaybeSent,
    }
}

/// Where a redirect leads, without its query, which may hold secrets.
fn redirect_target(parts: &Parts) -> Option<String> {
    const LONGEST: usize = 200;
    if !parts.status.is_redirection() {
        return None;
    }
    let location = parts.headers.get(header::LOCATION)?.to_str().ok()?;
    let location = location.split(['?', '#']).next().unwrap_or_default();
    Some(location.chars().take(LONGEST).collect())
}

fn failure(parts: &Parts, body: &[u8]) -> HttpFailure {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut failure = HttpFailure::default();
    failure.status = parts.status.as_u16();
    failure.content_type = parts.headers.get(header::CONTENT_TYPE).map(text);
    failure.retry_after = retry_after(&parts.headers, SystemTime::now());
    failure.www_authenticate = parts.headers.get_all(header::WWW_AUTHENTICATE).iter().map(text).collect();
    failure.body_excerpt = String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]).into_owned();
    failure
}

#[cfg(test)]
mod tests {
    use http::Response;

    use super::*;

    fn refusal(status: u16, in_session: bool, body: &'static str) -> Refusal {
        let parts = Response::builder().status(status).body(()).unwrap().into_parts().0;
        Refusal { parts, body: Bytes::from_static(body.as_bytes()), in_session }
    }

    #[test]
    fn the_status_says_whether_it_may_have_run() {
        for status in [301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 413, 415, 421, 422, 429, 431] {
            assert_eq!(refusal(status, false, "").into_error().delivery(), Delivery::Refused, "{status}");
        }
        for status in [303, 408, 409, 500, 501, 502, 503, 504] {
            assert_eq!(refusal(status, false, "").into_error().delivery(), Delivery::MaybeSent, "{status}");
        }
    }

    /// Quirk 7: a 4xx answers the POST that it came on, whatever its id.
    #[test]
    fn a_json_rpc_error_is_the_answer() {
        for body in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}"#,
        ] {
            let message = refusal(400, false, body).rpc_error(&7.into()).unwrap();
            assert_eq!(message.id(), Some(&7.into()));
            assert_eq!(message.body().unwrap(), r#"{"code":-32000,"message":"no"}"#);
        }
        for body in ["", "<html>", r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, r#"{"error":"x"}"#] {
            assert!(refusal(400, false, body).rpc_error(&7.into()).is_none(), "{body}");
        }
        let challenged = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no"}}"#;
        assert!(refusal(401, false, challenged).rpc_error(&7.into()).is_none());
        assert!(refusal(429, false, challenged).rpc_error(&7.into()).is_none());
    }

    /// Quirk 14: a lost session is a 404, or a 400 that names the session or a missing `initialize`.
    #[test]
    fn a_lost_session_is_told_from_a_refused_request() {
        let named = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
        let by_string = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: No valid session ID provided"}}"#;
        let by_code = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
        // typescript-sdk#1476, roam-research-mcp#18: of a transport that was made for the unknown session.
        let fresh = r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#;
        let mine =
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the engine is not initialized"}}"#;
        let argument = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such session"}}"#;
        let foreign = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}"#;
        for (status, in_session, body, lost) in [
            (404, true, "", true),
            (404, true, r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32005,"message":"gone"}}"#, true),
            (404, true, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#, true),
            (404, true, foreign, false),
            (404, false, "", false),
            (400, true, named, true),
            (400, true, "Session not found", true),
            (400, true, by_string, true),
            (400, true, by_code, true),
            (400, true, fresh, true),
            (400, false, fresh, false),
            (400, true, mine, false),
            (400, false, named, false),
            (400, true, argument, false),
            (400, true, foreign, false),
            (400, true, "bad", false),
            (500, true, named, false),
        ] {
            let refusal = refusal(status, in_session, body);
            assert_eq!(refusal.loses_session(), lost, "{status} {body}");
            assert!(!lost || refusal.rpc_error(&7.into()).is_none());
        }
    }

    /// Field report H-10: the error names the target, not what it was given as secret.
    #[test]
    fn a_redirect_names_its_target() {
        let response =
            Response::builder().status(307).header("location", "https://other.example/mcp?token=x");
        let parts = response.body(()).unwrap().into_parts().0;
        let error = Refusal { parts, body: Bytes::new(), in_session: false }.into_error();
        let text = error.to_string();
        assert!(text.contains("https://other.example/mcp,") && !text.contains("token"), "{text}");
    }
}
