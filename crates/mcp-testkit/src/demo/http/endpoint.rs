//! Who may come in, and which method of HTTP is answered by what.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use hyper::body::Incoming;
use mcp_types::{Era, ErrorCode};

use super::{
    PATH,
    answer::{self, Answer},
    http_sse::{self, Streams},
    mirror,
    session::{HttpSession, Sessions},
};
use crate::demo::{Demo, counter::Counter};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) struct Endpoint {
    pub(super) demo: Demo,
    pub(super) counter: Counter,
    pub(super) sessions: Sessions,
    streams: Streams,
}

impl Endpoint {
    pub(super) fn new(demo: Demo) -> Self {
        Self { demo, counter: Counter::default(), sessions: Sessions::default(), streams: Streams::default() }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        if !is_local(request.headers()) {
            let why = "`Host` or `Origin` is of another machine";
            return answer::error(StatusCode::FORBIDDEN, None, ErrorCode::INVALID_REQUEST, why);
        }
        match (request.uri().path(), request.method()) {
            (PATH, _) => {}
            (http_sse::STREAM, &Method::GET) => {
                return self.streams.begin(request.headers(), &self.demo, &self.counter);
            }
            (http_sse::STREAM, _) => return answer::not_allowed("GET"),
            (http_sse::MESSAGES, &Method::POST) => return self.streams.take(request).await,
            (http_sse::MESSAGES, _) => return answer::not_allowed("POST"),
            _ => return answer::status(StatusCode::NOT_FOUND),
        }
        let has_sessions = self.demo.newest(Era::Legacy).is_some();
        match *request.method() {
            Method::POST => self.post(request).await,
            Method::GET if has_sessions => self.get(request.headers()),
            Method::DELETE if has_sessions => self.delete(request.headers()),
            _ => answer::not_allowed(if has_sessions { "POST, GET, DELETE" } else { "POST" }),
        }
    }

    /// The session that a request names.
    pub(super) fn session(&self, headers: &HeaderMap) -> Result<Arc<HttpSession>, Refusal> {
        let refuse = |status, why| Err(Refusal(status, why));
        let Some(id) = headers.get(SESSION_ID) else {
            return refuse(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        };
        let Some(session) = self.sessions.get(id) else {
            return refuse(StatusCode::NOT_FOUND, "There is no such session");
        };
        // Clients before 2025-06-18 do not send it.
        if let (Some(version), Some(revision)) = (headers.get(mirror::VERSION), session.revision())
            && version != revision.as_str()
        {
            return refuse(StatusCode::BAD_REQUEST, "`MCP-Protocol-Version` is not that of the session");
        }
        Ok(session)
    }

    /// Opens the stream of what belongs to no request, or takes another up again.
    fn get(&self, headers: &HeaderMap) -> Answer {
        if !answer::accepts(headers, "text/event-stream") {
            return answer::status(StatusCode::NOT_ACCEPTABLE);
        }
        let session = match self.session(headers) {
            Ok(session) => session,
            Err(refusal) => return refusal.into(),
        };
        let reading = match headers.get(LAST_EVENT_ID).map(HeaderValue::to_str) {
            None => session.listen().ok_or(StatusCode::CONFLICT),
            Some(Ok(id)) => session.resume(id).ok_or(StatusCode::BAD_REQUEST),
            Some(Err(_)) => Err(StatusCode::BAD_REQUEST),
        };
        reading.map_or_else(answer::status, answer::stream)
    }

    fn delete(&self, headers: &HeaderMap) -> Answer {
        if let Err(refusal) = self.session(headers) {
            return refusal.into();
        }
        headers.get(SESSION_ID).map(|id| self.sessions.remove(id));
        answer::status(StatusCode::NO_CONTENT)
    }
}

/// Why a request is not of a session.
pub(super) struct Refusal(StatusCode, &'static str);

impl From<Refusal> for Answer {
    fn from(Refusal(status, why): Refusal) -> Self {
        answer::error(status, None, ErrorCode::INVALID_REQUEST, why)
    }
}

/// Whether a request was meant for this machine, and comes from a page of it if it comes from a page: else a web site
/// could have its visitors call us.
fn is_local(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(HeaderValue::to_str);
    let host = matches!(text(header::HOST), Some(Ok(host)) if is_loopback(host));
    let origin = match text(header::ORIGIN) {
        None => true,
        Some(Ok(origin)) => {
            let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            page.is_some_and(is_loopback)
        }
        Some(Err(_)) => false,
    };
    host && origin
}

/// Whether `authority` is this machine, on whatever port.
fn is_loopback(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<http::uri::Authority>() else { return false };
    let host = authority.host();
    if authority.as_str().contains('@') {
        return false;
    }
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
        || host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .and_then(|host| host.parse().ok())
            .is_some_and(|address: Ipv6Addr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine_are_known() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1:1234", "127.8.9.1", "[::1]:8080", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "127.0.0.1.example.com",
            "localhost@evil",
            "10.0.0.1:1",
            "[::2]",
            "::1",
            "localhost.:1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
