//! The demo server over HTTP, on loopback: Streamable HTTP, and the transport of 2024-11-05.
//!
//! Over Streamable HTTP each POST of a request is served by a server of its own: in the modern era it shares nothing with others, in the legacy
//! era the session. What belongs to a request so goes out on its response.

mod answer;
mod endpoint;
mod exchange;
mod http_sse;
mod mirror;
mod post;
mod record;
mod routes;
mod session;
#[cfg(test)]
mod tests;

use std::{
    hash::{BuildHasher, RandomState},
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream, ToSocketAddrs},
    task::{AbortHandle, JoinHandle, JoinSet},
    time::sleep,
};

use super::Demo;
use endpoint::Endpoint;

/// Where a demo server answers.
pub(super) const PATH: &str = "/mcp";

/// Further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 1024;

/// How long the head of a request may take.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// How long accepting pauses after a failure, as when there are no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A demo server that listens on loopback: [`Demo::bind_http`] makes it. Dropping it ends it.
#[derive(Debug)]
pub struct DemoHttp {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl DemoHttp {
    pub(super) async fn bind(demo: Demo, address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            let why = format!(
                "{} is not a loopback address: the demo server asks nobody who they are",
                address.ip()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let accepting = tokio::spawn(accept(listener, Arc::new(Endpoint::new(demo))));
        Ok(Self { address, accepting })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The URL of its endpoint for Streamable HTTP.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// The URL of its endpoint for HTTP+SSE, the transport of 2024-11-05.
    pub fn sse_url(&self) -> String {
        format!("http://{}{}", self.address, http_sse::STREAM)
    }

    /// Ends it: every session and every connection, at once. When this returns, nothing listens any more.
    pub async fn shutdown(mut self) {
        self.accepting.abort();
        // It was aborted, or panicked before.
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for DemoHttp {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, endpoint: Arc<Endpoint>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve(stream, Arc::clone(&endpoint)));
            }
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>) {
    // A socket without the option is slower.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, std::convert::Infallible>(endpoint.answer(request).await) }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
    // However it ends, the client is gone.
    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
}

/// Ends a task when nobody holds it any more.
struct Held(AbortHandle);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// 32 digits, of keys that the system draws.
fn unguessable() -> String {
    let word = |salt: u8| RandomState::new().hash_one(salt);
    format!("{:016x}{:016x}", word(0), word(1))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
