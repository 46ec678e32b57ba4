//! From a target to a connection.

use std::{io, net::SocketAddr, time::Duration};

use hyper::rt;
use hyper_util::rt::TokioIo;
use mcp_transport::{TransportError, TransportErrorKind};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
    time::{Instant, timeout, timeout_at},
};

#[cfg(feature = "http2")]
use super::http2;
#[cfg(feature = "proxy")]
use super::proxy::{Forward, Hop};
use super::{Settings, http1, target::Target};

/// The least time that one of several addresses is given before the next is tried.
const ADDRESS_LEAST: Duration = Duration::from_secs(1);

/// A connection of the version that both sides speak.
pub(super) enum Dialed {
    Http1(http1::Connection),
    #[cfg(feature = "http2")]
    Http2(http2::Connection),
}

/// Makes a connection.
pub(super) async fn dial(target: &Target, settings: &Settings) -> Result<Dialed, TransportError> {
    let deadline = Instant::now() + settings.connect_timeout;
    timeout_at(deadline, connect(target, settings, deadline)).await.unwrap_or_else(|_| {
        let what = format!("not within {:?}", settings.connect_timeout);
        Err(target.error(TransportErrorKind::Timeout, &what))
    })
}

async fn connect(target: &Target, settings: &Settings, deadline: Instant) -> Result<Dialed, TransportError> {
    #[cfg(unix)]
    if let Some(path) = &settings.unix_socket {
        let stream = tokio::net::UnixStream::connect(path).await.map_err(|error| {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => TransportErrorKind::NotFound,
                _ => TransportErrorKind::Connect,
            };
            target.error(kind, &format!("{}: {error}", path.display())).with_source(error)
        })?;
        return over(stream, target, settings).await;
    }
    #[cfg(feature = "proxy")]
    if let Some(hop) = settings.proxy.hop(target)? {
        // On the heap: rare, and larger than all the rest.
        return Box::pin(through(hop, target, settings, deadline)).await;
    }
    let stream = tcp(target, deadline).await.map_err(|failure| failure.into_error(target))?;
    over(stream, target, settings).await
}

/// Speaks to the target over `stream`, which leads there.
async fn over<S>(stream: S, target: &Target, settings: &Settings) -> Result<Dialed, TransportError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if !target.is_tls() {
        return begin(stream, settings.version.is_http2_alone(), target, settings).await;
    }
    #[cfg(feature = "tls")]
    {
        let stream = settings.tls.wrap(target, stream).await?;
        let agreed = stream.get_ref().1.alpn_protocol() == Some(super::version::HTTP2_NAME);
        begin(stream, agreed || settings.version.is_http2_alone(), target, settings).await
    }
    #[cfg(not(feature = "tls"))]
    Err(without_tls(target))
}

/// Speaks to the target through a proxy: in a tunnel, or where that is not needed by its forwarding.
#[cfg(feature = "proxy")]
async fn through(
    hop: Hop,
    target: &Target,
    settings: &Settings,
    deadline: Instant,
) -> Result<Dialed, TransportError> {
    let failed = |failure: Unreachable| hop.error(target, &format!("cannot be reached: {}", failure.what));
    let stream = tcp(&hop.target, deadline).await.map_err(failed)?;
    if !hop.target.is_tls() {
        return by(stream, hop, target, settings).await;
    }
    #[cfg(feature = "tls")]
    {
        let stream = settings.tls.to_proxy().wrap(&hop.target, stream).await?;
        by(stream, hop, target, settings).await
    }
    #[cfg(not(feature = "tls"))]
    Err(without_tls(&hop.target))
}

#[cfg(feature = "proxy")]
async fn by<S>(stream: S, hop: Hop, target: &Target, settings: &Settings) -> Result<Dialed, TransportError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if target.is_tls() || settings.version.is_http2_alone() {
        let stream = hop.tunnel(stream, target).await?;
        return over(stream, target, settings).await;
    }
    let begun = http1::Connection::begin(stream, settings).await;
    let connection = begun.map_err(|error| hop.error(target, "failed").with_source(error))?;
    Ok(Dialed::Http1(connection.forwarded(Forward::new(hop, target.clone()))))
}

#[cfg(not(feature = "tls"))]
fn without_tls(target: &Target) -> TransportError {
    target.error(TransportErrorKind::Configuration, "TLS was not built in; the feature is `tls`")
}

async fn begin<S>(
    stream: S,
    http2: bool,
    target: &Target,
    settings: &Settings,
) -> Result<Dialed, TransportError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    TokioIo<S>: rt::Read + rt::Write,
{
    let failed = |what| target.error(TransportErrorKind::Connect, what);
    #[cfg(feature = "http2")]
    if http2 {
        let begun = http2::Connection::begin(stream, settings).await;
        return begun.map(Dialed::Http2).map_err(|error| failed("HTTP/2 failed").with_source(error));
    }
    debug_assert!(!http2, "it was not offered");
    let begun = http1::Connection::begin(stream, settings).await;
    begun.map(Dialed::Http1).map_err(|error| failed("HTTP failed").with_source(error))
}

/// Why there is no TCP connection.
struct Unreachable {
    kind: TransportErrorKind,
    what: String,
    source: Option<io::Error>,
}

impl Unreachable {
    fn into_error(self, target: &Target) -> TransportError {
        let error = target.error(self.kind, &self.what);
        match self.source {
            Some(source) => error.with_source(source),
            None => error,
        }
    }
}

async fn tcp(target: &Target, deadline: Instant) -> Result<TcpStream, Unreachable> {
    let found = lookup_host((target.bare_host(), target.port())).await.map_err(|error| Unreachable {
        kind: TransportErrorKind::NotFound,
        what: format!("no such host: {error}"),
        source: Some(error),
    })?;
    let addresses: Vec<SocketAddr> = found.collect();
    let mut last = None;
    for (tried, address) in addresses.iter().enumerate() {
        // One that swallows packets must not use up the time of the others.
        let left = deadline.saturating_duration_since(Instant::now());
        let rest = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        match timeout((left / rest).max(ADDRESS_LEAST), TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                watch_over(&stream);
                return Ok(stream);
            }
            Ok(Err(error)) => last = Some(error),
            Err(_) => last = Some(io::Error::from(io::ErrorKind::TimedOut)),
        }
    }
    Err(match last {
        Some(error) => {
            Unreachable { kind: TransportErrorKind::Connect, what: error.to_string(), source: Some(error) }
        }
        None => Unreachable {
            kind: TransportErrorKind::NotFound,
            what: "the name has no address".into(),
            source: None,
        },
    })
}

/// Small messages go at once, and a peer that is gone without a word is noticed on streams that are silent for hours.
fn watch_over(stream: &TcpStream) {
    const IDLE: Duration = Duration::from_secs(30);
    const INTERVAL: Duration = Duration::from_secs(10);
    // A socket that has no such options works without them.
    let _ = stream.set_nodelay(true);
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(INTERVAL);
    let _ = SockRef::from(stream).set_tcp_keepalive(&keepalive);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sockets_are_watched_over() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut uri = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let target = Target::take(&mut uri).unwrap();
        let stream = tcp(&target, Instant::now() + Duration::from_secs(5)).await.ok().unwrap();
        assert!(stream.nodelay().unwrap() && SockRef::from(&stream).keepalive().unwrap());
    }
}
