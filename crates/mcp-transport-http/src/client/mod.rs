//! An HTTP/1.1 client over TCP and TLS that reuses connections.

mod body;
mod dial;
mod pool;
mod tls;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderValue, Request, Response, Uri, header, uri::PathAndQuery};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tower_service::Service;

pub use body::ResponseBody;
use dial::Target;
use pool::{Connection, Key, NotAnswered, Pool};
use tls::Tls;

use crate::RequestBody;

/// HTTP/1.1 over TCP and TLS: what [`Http`](crate::Http) stands on unless it is given another service.
///
/// Connections are reused, and clones share them; they end when the last clone is dropped and no response is being read.
/// A response that is dropped before its end closes its connection, which is how a request is abandoned. Nothing is sent
/// twice, no redirect is followed, no proxy is asked. Requests need an absolute URI.
///
/// Connections that carried different `Authorization` fields are kept apart.
#[derive(Clone)]
pub struct HttpClient {
    settings: Arc<Settings>,
    pool: Arc<Pool>,
}

#[derive(Clone)]
struct Settings {
    connect_timeout: Duration,
    keep_idle: Duration,
    max_head: usize,
    tls: Tls,
}

impl HttpClient {
    /// How long making a connection may take, unless it is set: 10 s for name lookup, TCP and TLS together.
    pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    /// How long an idle connection is used again, unless it is set or the server says otherwise (`Keep-Alive: timeout`):
    /// 4 s. Many servers close theirs after 5 s, and a request that meets the close may not be repeated.
    pub const DEFAULT_KEEP_IDLE: Duration = Duration::from_secs(4);
    /// How many bytes the head of a response may have, unless it is set: 64 KiB, in at most 100 fields.
    pub const DEFAULT_MAX_HEAD: usize = 64 * 1024;

    /// A client that trusts the roots of the platform (`SSL_CERT_FILE` and `SSL_CERT_DIR` count). They are read when the
    /// first TLS connection is made.
    pub fn new() -> Self {
        let settings = Settings {
            connect_timeout: Self::DEFAULT_CONNECT_TIMEOUT,
            keep_idle: Self::DEFAULT_KEEP_IDLE,
            max_head: Self::DEFAULT_MAX_HEAD,
            tls: Tls::platform(),
        };
        Self { settings: Arc::new(settings), pool: Arc::default() }
    }

    /// Sets [`DEFAULT_CONNECT_TIMEOUT`](Self::DEFAULT_CONNECT_TIMEOUT).
    pub fn connect_timeout(self, limit: Duration) -> Self {
        self.change(|settings| settings.connect_timeout = limit)
    }

    /// Sets [`DEFAULT_KEEP_IDLE`](Self::DEFAULT_KEEP_IDLE). Zero: each request has a connection of its own.
    pub fn keep_idle(self, limit: Duration) -> Self {
        self.change(|settings| settings.keep_idle = limit)
    }

    /// Sets [`DEFAULT_MAX_HEAD`](Self::DEFAULT_MAX_HEAD), in bytes.
    pub fn max_head(self, limit: usize) -> Self {
        self.change(|settings| settings.max_head = limit)
    }

    /// Trusts the certificates in `pem` too, as roots.
    ///
    /// # Errors
    /// [`TransportErrorKind::Configuration`] when `pem` holds no certificate, or one that cannot be read.
    pub fn add_root_certificates(self, pem: &[u8]) -> Result<Self, TransportError> {
        let roots = tls::certificates(pem)?;
        Ok(self.change(|settings| settings.tls = settings.tls.with_roots(roots)))
    }

    /// The same with other settings, and no connections yet.
    fn change(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self.pool = Arc::default();
        self
    }

    async fn perform(self, request: Request<RequestBody>) -> Result<Response<ResponseBody>, TransportError> {
        let target = Target::of(request.uri())?;
        let key = Key { target, authorization: request.headers().get(header::AUTHORIZATION).cloned() };
        let mut request = origin_form(request, &key.target)?;
        // A connection may have ended while it was idle. What never left on it goes on the next one.
        while let Some(mut connection) = self.pool.take(&key) {
            if !connection.ready().await {
                continue;
            }
            match connection.send(request).await {
                Ok(answer) => return Ok(self.lease(connection, key, answer)),
                Err(NotAnswered::NeverSent(returned, _)) => request = *returned,
                Err(NotAnswered::MaybeSent(error)) => return Err(error),
            }
        }
        // On the heap: rare, and larger than all the rest.
        let mut connection = Box::pin(dial::dial(&key.target, &self.settings)).await?;
        match connection.send(request).await {
            Ok(answer) => Ok(self.lease(connection, key, answer)),
            Err(NotAnswered::NeverSent(_, error) | NotAnswered::MaybeSent(error)) => Err(error),
        }
    }

    /// The response; its body gives the connection back at its end.
    fn lease(
        &self,
        connection: Connection,
        key: Key,
        answer: Response<hyper::body::Incoming>,
    ) -> Response<ResponseBody> {
        let keep = pool::keep_alive(answer.headers()).unwrap_or(self.settings.keep_idle);
        let lease = pool::Lease::new(connection, key, keep, &self.pool);
        answer.map(|incoming| ResponseBody::new(incoming, lease))
    }
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("connect_timeout", &self.settings.connect_timeout)
            .field("keep_idle", &self.settings.keep_idle)
            .field("max_head", &self.settings.max_head)
            .finish_non_exhaustive()
    }
}

impl Service<Request<RequestBody>> for HttpClient {
    type Response = Response<ResponseBody>;
    type Error = TransportError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, TransportError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    /// Dropping the future abandons the request, and closes its connection.
    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        Box::pin(self.clone().perform(request))
    }
}

/// The request as an HTTP/1.1 server wants it: the path alone, and the host in a field.
fn origin_form(
    mut request: Request<RequestBody>,
    target: &Target,
) -> Result<Request<RequestBody>, TransportError> {
    let path = request.uri().path_and_query().cloned();
    let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    let host = HeaderValue::from_str(target.host_field()).map_err(|_| {
        TransportError::new(
            TransportErrorKind::Configuration,
            Delivery::NeverSent,
            "the host of the URL cannot stand in a header field",
        )
    })?;
    request.headers_mut().insert(header::HOST, host);
    Ok(request)
}
