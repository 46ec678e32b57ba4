use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body::Body;
use mcp_transport::{Connect, Link, TransportError};
use tower_service::Service;

use crate::{
    BoxError, HttpClient, RequestBody,
    endpoint::Endpoint,
    headers,
    link::{self, Shared},
    service::{self, Fetch},
};

/// A server that is reached over Streamable HTTP, of any revision that has it.
///
/// Making a link costs nothing: connections are made when something is sent. Links of the same `Http` share no session,
/// and no connection unless they were given a [`service`](Self::service) that shares them.
///
/// Section: [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).
#[derive(Clone)]
pub struct Http {
    endpoint: Endpoint,
    fields: HeaderMap,
    options: Options,
    service: Option<Arc<dyn Fetch>>,
}

/// What bounds a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) max_message: usize,
    pub(crate) max_connections: usize,
    pub(crate) body_idle: Duration,
    pub(crate) stream_idle: Option<Duration>,
    pub(crate) accept_timeout: Duration,
    pub(crate) close_timeout: Duration,
    pub(crate) redirects: usize,
}

impl Http {
    /// How many bytes a message of the server may have, unless it is set: 64 MiB.
    pub const DEFAULT_MAX_MESSAGE: usize = 64 * 1024 * 1024;
    /// How many requests a link has under way at once, over HTTP/1.1 each on a connection of its own, unless it is set: 100.
    pub const DEFAULT_MAX_CONNECTIONS: usize = 100;
    /// How long an answer that is no stream may pause, once it began, unless it is set: 30 s.
    pub const DEFAULT_BODY_IDLE: Duration = Duration::from_secs(30);
    /// How long the server may take to accept a notification or a reply, unless it is set: 10 s.
    pub const DEFAULT_ACCEPT_TIMEOUT: Duration = Duration::from_secs(10);
    /// How long the end of a session may take, unless it is set: 2 s.
    pub const DEFAULT_CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

    /// The server at `url`: http or https, with a host, without credentials.
    ///
    /// # Errors
    /// [`Configuration`](mcp_transport::TransportErrorKind::Configuration) when `url` is no such URL.
    pub fn new(url: &str) -> Result<Self, TransportError> {
        let mut fields = HeaderMap::new();
        let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        fields.insert(header::USER_AGENT, HeaderValue::from_static(agent));
        Ok(Self {
            endpoint: Endpoint::parse(url)?,
            fields,
            options: Options {
                max_message: Self::DEFAULT_MAX_MESSAGE,
                max_connections: Self::DEFAULT_MAX_CONNECTIONS,
                body_idle: Self::DEFAULT_BODY_IDLE,
                stream_idle: None,
                accept_timeout: Self::DEFAULT_ACCEPT_TIMEOUT,
                close_timeout: Self::DEFAULT_CLOSE_TIMEOUT,
                redirects: 0,
            },
            service: None,
        })
    }

    /// Sends the field with every request: an API key, a token. The value is kept out of debug output.
    ///
    /// # Errors
    /// [`Configuration`](mcp_transport::TransportErrorKind::Configuration) when the name is one that the transport sets
    /// itself (`Accept`, `Content-Type`, `Mcp-*`, …), or name or value cannot stand in a header field.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, TransportError> {
        let (name, value) = headers::fixed_field(name, value)?;
        self.fields.insert(name, value);
        Ok(self)
    }

    /// Sends requests with `service` instead of an [`HttpClient`] of its own: another HTTP client, or middleware around
    /// one. It is cloned for each request.
    ///
    /// Requests have an absolute URI. An error that is a [`TransportError`], or has one among its sources, keeps its
    /// [`Delivery`](mcp_transport::Delivery); after any other, the request may have been executed. Dropping the future
    /// of a request, or the body of its response, must abandon the request.
    pub fn service<S, R>(mut self, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<R>> + Clone + Send + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
        R: Body<Data = Bytes> + Send + 'static,
        R::Error: Into<BoxError>,
    {
        self.service = Some(service::erase(service));
        self
    }

    /// Sets [`DEFAULT_MAX_MESSAGE`](Self::DEFAULT_MAX_MESSAGE), in bytes. A request whose answer is longer fails.
    pub fn max_message(mut self, limit: usize) -> Self {
        self.options.max_message = limit;
        self
    }

    /// Sets [`DEFAULT_MAX_CONNECTIONS`](Self::DEFAULT_MAX_CONNECTIONS); at least 1. Further requests wait. Subscriptions
    /// do not count, nor do streams after their first second.
    pub fn max_connections(mut self, limit: usize) -> Self {
        self.options.max_connections = limit.max(1);
        self
    }

    /// Sets [`DEFAULT_BODY_IDLE`](Self::DEFAULT_BODY_IDLE).
    pub fn body_idle(mut self, limit: Duration) -> Self {
        self.options.body_idle = limit;
        self
    }

    /// Ends a stream of the server on which nothing came for this long, not even a comment. Not limited unless it is set:
    /// servers need not send anything on a stream that has nothing to say.
    pub fn stream_idle(mut self, limit: Duration) -> Self {
        self.options.stream_idle = Some(limit);
        self
    }

    /// Sets [`DEFAULT_ACCEPT_TIMEOUT`](Self::DEFAULT_ACCEPT_TIMEOUT).
    pub fn accept_timeout(mut self, limit: Duration) -> Self {
        self.options.accept_timeout = limit;
        self
    }

    /// Sets [`DEFAULT_CLOSE_TIMEOUT`](Self::DEFAULT_CLOSE_TIMEOUT).
    pub fn close_timeout(mut self, limit: Duration) -> Self {
        self.options.close_timeout = limit;
        self
    }

    /// Follows redirects of the server, at most `limit` in a row. Not followed unless it is set: the error names the
    /// target then, so that the URL can be corrected.
    ///
    /// Only on the same origin (scheme, host and port), so that no header, token or message goes to another server; and
    /// only as the same request: 307 and 308, and any redirect of a GET. A POST that 301, 302 or 303 would turn into a
    /// GET fails.
    pub fn follow_redirects(mut self, limit: usize) -> Self {
        self.options.redirects = limit;
        self
    }
}

impl Connect for Http {
    async fn connect(&self) -> Result<Link, TransportError> {
        let service = self.service.clone().unwrap_or_else(|| Arc::new(HttpClient::new()));
        Ok(link::open(Shared::new(self.endpoint.clone(), self.fields.clone(), self.options, service)))
    }

    fn label(&self) -> String {
        self.endpoint.label()
    }

    fn origin(&self) -> Option<String> {
        Some(self.endpoint.origin())
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("endpoint", &self.endpoint.label())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
