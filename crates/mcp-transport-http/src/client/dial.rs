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
    let connect = async {
        let stream = tcp(target, deadline).await?;
        if !target.is_tls() {
            return begin(stream, settings.version.is_http2_alone(), target, settings).await;
        }
        secure(stream, target, settings).await
    };
    timeout_at(deadline, connect).await.unwrap_or_else(|_| {
        let what = format!("not within {:?}", settings.connect_timeout);
        Err(target.error(TransportErrorKind::Timeout, &what))
    })
}

#[cfg(feature = "tls")]
async fn secure<S>(stream: S, target: &Target, settings: &Settings) -> Result<Dialed, TransportError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = settings.tls.wrap(target, stream).await?;
    let agreed = stream.get_ref().1.alpn_protocol() == Some(super::version::HTTP2_NAME);
    begin(stream, agreed || settings.version.is_http2_alone(), target, settings).await
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unused_async, reason = "it takes the place of one that waits")]
async fn secure<S>(_: S, target: &Target, _: &Settings) -> Result<Dialed, TransportError> {
    Err(target.error(TransportErrorKind::Configuration, "TLS was not built in; the feature is `tls`"))
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

async fn tcp(target: &Target, deadline: Instant) -> Result<TcpStream, TransportError> {
    let found = lookup_host((target.bare_host(), target.port())).await.map_err(|error| {
        let what = format!("no such host: {error}");
        target.error(TransportErrorKind::NotFound, &what).with_source(error)
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
    let Some(error) = last else {
        return Err(target.error(TransportErrorKind::NotFound, "the name has no address"));
    };
    Err(target.error(TransportErrorKind::Connect, &error.to_string()).with_source(error))
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
