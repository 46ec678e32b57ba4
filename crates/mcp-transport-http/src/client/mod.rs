//! An HTTP client over TCP and TLS that reuses connections.

mod abort;
mod body;
mod dial;
mod drive;
mod http1;
#[cfg(feature = "http2")]
mod http2;
mod perform;
mod pool;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "http2")]
mod shared;
mod target;
#[cfg(feature = "tls")]
mod tls;
mod version;

#[cfg(unix)]
use std::path::PathBuf;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, Response, header};
use mcp_transport::TransportError;
#[cfg(feature = "http2")]
use mcp_transport::{Delivery, TransportErrorKind};
use tower_service::Service;

pub use body::ResponseBody;
use dial::Dialed;
use http1::NotAnswered;
pub(crate) use perform::Performing;
use pool::{Lease, Pool};
#[cfg(feature = "proxy")]
pub use proxy::Proxy;
#[cfg(feature = "http2")]
use shared::{Opened, Shared};
use target::Key;
#[cfg(feature = "tls")]
use tls::Tls;
pub use version::HttpVersion;

use crate::{
    RequestBody,
    service::{Fetch, Fetching},
};

/// HTTP/1.1 and HTTP/2 over TCP and TLS: what [`Http`](crate::Http) stands on unless it is given another service.
///
/// Connections are reused, and clones share them; they end when the last clone is dropped and no response is being read.
/// A response that is dropped before its end abandons its request: over HTTP/1.1 its connection is closed, over HTTP/2 its
/// stream is reset. Nothing that the server may have seen is sent twice, no redirect is followed.
/// Requests need an absolute URI.
///
/// Over HTTP/2, requests share one connection, as many at once as the server takes; more make another one. What a server
/// says to have left unseen (`REFUSED_STREAM`, or a `GOAWAY` before the stream) is sent once more.
///
/// Requests with different `Authorization` fields never share a connection, of either version: a mistake in a proxy on the
/// way then cannot give the answer of one principal to another.
#[derive(Clone)]
pub struct HttpClient {
    settings: Arc<Settings>,
    pool: Arc<Pool>,
    #[cfg(feature = "http2")]
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Settings {
    version: HttpVersion,
    connect_timeout: Duration,
    keep_idle: Option<Duration>,
    max_head: usize,
    #[cfg(unix)]
    unix_socket: Option<PathBuf>,
    #[cfg(feature = "proxy")]
    proxy: Proxy,
    #[cfg(feature = "tls")]
    tls: Tls,
}

impl HttpClient {
    /// How long making a connection may take, unless it is set: 10 s for name lookup, TCP and TLS together.
    pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    /// How long an idle connection is used again, unless it is set or the server says otherwise (`Keep-Alive: timeout`):
    /// 4 s. Many servers close theirs after 5 s, and a request that meets the close may not be repeated. Over HTTP/2,
    /// where a server can say what it did not look at, it is 30 s: common proxies close theirs after 60 s.
    pub const DEFAULT_KEEP_IDLE: Duration = Duration::from_secs(4);
    /// How many bytes the head of a response may have, unless it is set: 64 KiB, in at most 100 fields.
    pub const DEFAULT_MAX_HEAD: usize = 64 * 1024;

    /// A client that trusts the roots of the platform (`SSL_CERT_FILE` and `SSL_CERT_DIR` count), which are read when the
    /// first TLS connection is made. Its cryptography is what the application chose for the process
    /// (`rustls::crypto::CryptoProvider::install_default`) by then, else ring.
    pub fn new() -> Self {
        let settings = Settings {
            version: HttpVersion::default(),
            connect_timeout: Self::DEFAULT_CONNECT_TIMEOUT,
            keep_idle: None,
            max_head: Self::DEFAULT_MAX_HEAD,
            #[cfg(unix)]
            unix_socket: None,
            #[cfg(feature = "proxy")]
            proxy: Proxy::environment(),
            #[cfg(feature = "tls")]
            tls: Tls::platform(),
        };
        Self {
            settings: Arc::new(settings),
            pool: Arc::default(),
            #[cfg(feature = "http2")]
            shared: Arc::default(),
        }
    }

    /// Sets which version of HTTP is spoken: [`Negotiated`](HttpVersion::Negotiated) unless it is set.
    pub fn version(self, version: HttpVersion) -> Self {
        self.change(|settings| {
            settings.version = version;
            #[cfg(feature = "tls")]
            settings.tls.set_version(version);
        })
    }

    /// Sets [`DEFAULT_CONNECT_TIMEOUT`](Self::DEFAULT_CONNECT_TIMEOUT).
    pub fn connect_timeout(self, limit: Duration) -> Self {
        self.change(|settings| settings.connect_timeout = limit)
    }

    /// Sets [`DEFAULT_KEEP_IDLE`](Self::DEFAULT_KEEP_IDLE), for both versions. Zero: no connection is kept without a
    /// request on it.
    pub fn keep_idle(self, limit: Duration) -> Self {
        self.change(|settings| settings.keep_idle = Some(limit))
    }

    /// Sets [`DEFAULT_MAX_HEAD`](Self::DEFAULT_MAX_HEAD), in bytes.
    pub fn max_head(self, limit: usize) -> Self {
        self.change(|settings| settings.max_head = limit)
    }

    /// Sends everything to the Unix socket at `path`, whatever host the URL names: that is only told to the server. No proxy
    /// is asked.
    #[cfg(unix)]
    pub fn unix_socket(self, path: impl Into<PathBuf>) -> Self {
        self.change(|settings| settings.unix_socket = Some(path.into()))
    }

    /// Sets which proxy is asked: what the [environment](Proxy::environment) says, unless it is set.
    #[cfg(feature = "proxy")]
    pub fn proxy(self, proxy: Proxy) -> Self {
        self.change(|settings| settings.proxy = proxy)
    }

    /// Trusts the certificates in `pem` too, as roots: those of a private authority.
    ///
    /// # Errors
    /// [`TransportErrorKind::Configuration`] when `pem` holds no certificate, or one that cannot be read.
    #[cfg(feature = "tls")]
    pub fn add_root_certificates(self, pem: &[u8]) -> Result<Self, TransportError> {
        self.try_change(|settings| settings.tls.add_roots(pem))
    }

    /// Shows a certificate to servers that ask for one: `chain` in PEM, its own first, and its private key in PEM. A key
    /// that does not belong to it is an error of the first connection.
    ///
    /// # Errors
    /// [`TransportErrorKind::Configuration`] when there is no certificate or no key, or one that cannot be read.
    #[cfg(feature = "tls")]
    pub fn client_certificate(self, chain: &[u8], key: &[u8]) -> Result<Self, TransportError> {
        self.try_change(|settings| settings.tls.set_identity(chain, key))
    }

    /// Sets all of TLS but what is offered in ALPN: trust, identity, cryptography. What was set by
    /// [`add_root_certificates`](Self::add_root_certificates) and [`client_certificate`](Self::client_certificate) does
    /// not count then.
    #[cfg(feature = "tls")]
    pub fn tls_config(self, config: tokio_rustls::rustls::ClientConfig) -> Self {
        self.change(|settings| settings.tls.set_config(config))
    }

    /// The same with other settings, and no connections yet.
    fn change(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self.pool = Arc::default();
        #[cfg(feature = "http2")]
        {
            self.shared = Arc::default();
        }
        self
    }

    #[cfg(feature = "tls")]
    fn try_change(
        self,
        change: impl FnOnce(&mut Settings) -> Result<(), TransportError>,
    ) -> Result<Self, TransportError> {
        let mut changed = Ok(());
        let client = self.change(|settings| changed = change(settings));
        changed.map(|()| client)
    }

    /// Sends the request on one of the connections that there are, `first` at first, or on a new one.
    async fn later(
        &self,
        first: Option<Lease>,
        key: Key,
        mut request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, TransportError> {
        // A connection may have ended while it was idle. What never left on it goes on the next one.
        let mut next = first;
        while let Some(mut lease) = next.or_else(|| self.pool.take(&key.target, key.authorization.as_ref())) {
            if is_last(&request) {
                lease.set_last();
            }
            if lease.connection().ready().await {
                match lease.connection().send(request).await {
                    Ok(answer) => return Ok(self.leased(lease, answer)),
                    Err(NotAnswered::NeverSent(returned, _)) => request = *returned,
                    Err(NotAnswered::Failed(error)) => return Err(error),
                }
            }
            next = None;
        }
        self.anew(key, request).await
    }

    /// Sends the request on a connection of HTTP/2, or on a new one.
    async fn anew(
        &self,
        key: Key,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, TransportError> {
        #[cfg(feature = "http2")]
        if self.settings.version.may_be_http2(key.target.is_tls()) {
            return self.multiplexed(key, request).await;
        }
        match dial::dial(&key.target, &self.settings).await? {
            Dialed::Http1(connection) => self.alone(connection, key, request).await,
            #[cfg(feature = "http2")]
            Dialed::Http2(_) => unreachable!("it was not offered"),
        }
    }

    /// Sends the request on a new connection of HTTP/1.1.
    async fn alone(
        &self,
        connection: http1::Connection,
        key: Key,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let mut lease = Lease::new(connection, key, &self.pool)?;
        if is_last(&request) {
            lease.set_last();
        }
        match lease.connection().send(request).await {
            Ok(answer) => Ok(self.leased(lease, answer)),
            Err(NotAnswered::NeverSent(_, error) | NotAnswered::Failed(error)) => Err(error),
        }
    }

    /// The response; its body gives the connection back at its end.
    fn leased(&self, mut lease: Lease, answer: Response<hyper::body::Incoming>) -> Response<ResponseBody> {
        let keep = self.settings.keep_idle.unwrap_or(Self::DEFAULT_KEEP_IDLE);
        lease.keep(http1::keep_alive(answer.headers()).unwrap_or(keep));
        answer.map(|incoming| ResponseBody::http1(incoming, lease))
    }

    /// Sends the request beside others, if the server speaks HTTP/2.
    #[cfg(feature = "http2")]
    async fn multiplexed(
        &self,
        key: Key,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let mut again = true;
        loop {
            let share = match self.shared.enter(&key) {
                Some(share) => share,
                None => match self.shared.open(&key, &self.settings).await? {
                    Opened::Http1(connection) => return self.alone(connection, key, request).await,
                    Opened::Http2(share) => share,
                },
            };
            match share.connection().send(&key.target, request.clone()).await {
                Ok(answer) => return Ok(answer.map(|stream| ResponseBody::http2(stream, share))),
                // The server did not look at it, or never got it.
                Err(error) if again && error.delivery() != Delivery::MaybeSent && !is_our_fault(&error) => {
                    again = false;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Marks, among its extensions, a request whose response is a stream that may last: its connection of HTTP/1.1 is not kept
/// after. So when a server refuses to stream, which most do, one connection is left instead of two.
///
/// It may well be one that waited: a server that has something to say before its stream is there may lose it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Last;

fn is_last(request: &Request<RequestBody>) -> bool {
    request.extensions().get::<Last>().is_some()
}

#[cfg(feature = "http2")]
fn is_our_fault(error: &TransportError) -> bool {
    error.kind() == TransportErrorKind::Configuration
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("version", &self.settings.version)
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

    /// Dropping the future abandons the request: it closes its connection, or resets its stream.
    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let client = self.clone();
        Box::pin(async move { client.perform(request).await })
    }
}

impl Fetch for HttpClient {
    fn fetch(&self, request: Request<RequestBody>) -> Fetching<'_> {
        Fetching::Own(self.perform(request))
    }

    fn make_room(&self, fields: &mut HeaderMap) {
        // They are replaced.
        fields.insert(header::HOST, HeaderValue::from_static(""));
        fields.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
}
