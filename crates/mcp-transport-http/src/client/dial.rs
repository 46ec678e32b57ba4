use std::{io, net::SocketAddr, time::Duration};

use http::{
    Uri,
    uri::{Authority, Scheme},
};
use hyper::{client::conn::http1, rt};
use hyper_util::rt::TokioIo;
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    net::{TcpStream, lookup_host},
    time::{Instant, timeout, timeout_at},
};

use super::{Settings, pool::Connection};
use crate::RequestBody;

/// How many fields a response may have in its head.
const MAX_FIELDS: usize = 100;

/// The least time that one of several addresses is given before the next is tried.
const ADDRESS_LEAST: Duration = Duration::from_secs(1);

/// Where a connection goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    tls: bool,
    authority: Authority,
}

impl Target {
    pub(super) fn of(uri: &Uri) -> Result<Self, TransportError> {
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let (Some(scheme), Some(authority)) = (uri.scheme(), authority) else {
            return Err(TransportError::new(
                TransportErrorKind::Configuration,
                Delivery::NeverSent,
                "the request has no absolute URI without credentials",
            ));
        };
        Ok(Self { tls: *scheme == Scheme::HTTPS, authority: authority.clone() })
    }

    /// The value of `Host`.
    pub(super) fn host_field(&self) -> &str {
        if self.port() == self.usual_port() { self.authority.host() } else { self.authority.as_str() }
    }

    fn port(&self) -> u16 {
        self.authority.port_u16().unwrap_or(self.usual_port())
    }

    fn usual_port(&self) -> u16 {
        if self.tls { 443 } else { 80 }
    }

    /// The host without the brackets of an IPv6 address.
    pub(super) fn bare_host(&self) -> &str {
        let host = self.authority.host();
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    fn error(&self, kind: TransportErrorKind, what: &str) -> TransportError {
        let message = format!("cannot connect to {}: {what}", self.authority);
        TransportError::new(kind, Delivery::NeverSent, message)
    }
}

/// Makes a connection.
pub(super) async fn dial(target: &Target, settings: &Settings) -> Result<Connection, TransportError> {
    let deadline = Instant::now() + settings.connect_timeout;
    let connect = async {
        let stream = tcp(target, deadline).await?;
        if target.tls {
            let stream = settings.tls.wrap(target.bare_host(), stream).await;
            let stream =
                stream.map_err(|(kind, error)| target.error(kind, &error.to_string()).with_source(error))?;
            handshake(stream, target, settings).await
        } else {
            handshake(stream, target, settings).await
        }
    };
    timeout_at(deadline, connect).await.unwrap_or_else(|_| {
        let what = format!("not within {:?}", settings.connect_timeout);
        Err(target.error(TransportErrorKind::Timeout, &what))
    })
}

async fn handshake<S>(stream: S, target: &Target, settings: &Settings) -> Result<Connection, TransportError>
where
    TokioIo<S>: rt::Read + rt::Write + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_header_size(settings.max_head).max_headers(MAX_FIELDS);
    let (sender, connection) = builder
        .handshake::<_, RequestBody>(TokioIo::new(stream))
        .await
        .map_err(|error| target.error(TransportErrorKind::Connect, "HTTP failed").with_source(error))?;
    // Its errors reach the request that they hit.
    let task = tokio::spawn(async move { drop(connection.await) });
    Ok(Connection::new(sender, task.abort_handle()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_off_the_uri() {
        let target = |uri: &str| Target::of(&uri.parse().unwrap()).unwrap();
        assert_eq!(target("http://a.example/x").host_field(), "a.example");
        assert_eq!(target("https://a.example:443/x").host_field(), "a.example");
        assert_eq!(target("http://a.example:443/x").host_field(), "a.example:443");
        assert_eq!(target("https://[::1]:8443/").host_field(), "[::1]:8443");
        assert_eq!(target("https://[::1]:8443/").bare_host(), "::1");
        for uri in ["/x", "http://user:secret@a.example/"] {
            assert!(Target::of(&uri.parse().unwrap()).is_err());
        }
    }
}
