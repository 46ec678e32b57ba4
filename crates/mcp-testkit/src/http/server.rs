use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use mcp_transport::contract::patiently;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinHandle,
};

#[cfg(feature = "http2")]
use super::http2;
use super::{HttpExchange, http1};

/// A server on loopback that a test plays. Dropping it closes every connection.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    scheme: &'static str,
    requests: mpsc::UnboundedReceiver<HttpExchange>,
    waiting: VecDeque<HttpExchange>,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

/// What is spoken on a connection.
#[derive(Clone)]
enum Wire {
    Http1,
    #[cfg(feature = "http2")]
    Http2,
    #[cfg(feature = "tls")]
    Tls(tokio_rustls::TlsAcceptor),
}

impl Wire {
    async fn serve(self, stream: TcpStream, to: mpsc::UnboundedSender<HttpExchange>) {
        match self {
            Self::Http1 => {
                let (reader, writer) = stream.into_split();
                http1::serve(reader, http1::Writer::Tcp(writer), to).await;
            }
            #[cfg(feature = "http2")]
            Self::Http2 => http2::serve(stream, to).await,
            #[cfg(feature = "tls")]
            Self::Tls(acceptor) => {
                // A client that does not trust the server goes away.
                let Ok(stream) = acceptor.accept(stream).await else { return };
                #[cfg(feature = "http2")]
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    return http2::serve(stream, to).await;
                }
                let (reader, writer) = tokio::io::split(stream);
                http1::serve(reader, http1::Writer::Tls(Box::new(writer)), to).await;
            }
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

impl HttpServer {
    /// Listens on a free port, and speaks HTTP/1.1.
    ///
    /// # Panics
    /// When there is none.
    pub async fn start() -> Self {
        Self::listen("http", Wire::Http1).await
    }

    /// As [`start`](Self::start), over HTTP/2 that the client must know of.
    #[cfg(feature = "http2")]
    pub async fn start_http2() -> Self {
        Self::listen("http", Wire::Http2).await
    }

    /// As [`start`](Self::start), over TLS: HTTP/2 where that was agreed on (ALPN), else HTTP/1.1.
    #[cfg(feature = "tls")]
    pub async fn start_tls(config: Arc<tokio_rustls::rustls::ServerConfig>) -> Self {
        Self::listen("https", Wire::Tls(config.into())).await
    }

    async fn listen(scheme: &'static str, wire: Wire) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port on loopback");
        let address = listener.local_addr().expect("the address of a bound socket");
        let (to, requests) = mpsc::unbounded_channel();
        let counts = Arc::<Counts>::default();
        let counted = Arc::clone(&counts);
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.accepted.fetch_add(1, Ordering::Relaxed);
                let open = counted.open.fetch_add(1, Ordering::Relaxed) + 1;
                counted.most_open.fetch_max(open, Ordering::Relaxed);
                let (wire, to, open) = (wire.clone(), to.clone(), OpenConnection(Arc::clone(&counted)));
                connections.spawn(async move {
                    // A socket without the option is slower.
                    let _ = stream.set_nodelay(true);
                    wire.serve(stream, to).await;
                    drop(open);
                });
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, scheme, requests, waiting: VecDeque::new(), counts, task }
    }

    /// The URL of its endpoint.
    pub fn url(&self) -> String {
        format!("{}://{}/mcp", self.scheme, self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next request, in the order in which they came.
    ///
    /// # Panics
    /// When none comes.
    pub async fn next(&mut self) -> HttpExchange {
        patiently(self.recv()).await.flatten().expect("a request")
    }

    /// As [`next`](Self::next), without a limit; `None` when the server ended.
    pub async fn recv(&mut self) -> Option<HttpExchange> {
        match self.waiting.pop_front() {
            Some(exchange) => Some(exchange),
            None => self.requests.recv().await,
        }
    }

    /// The next request, if one has come.
    pub fn try_next(&mut self) -> Option<HttpExchange> {
        self.waiting.pop_front().or_else(|| self.requests.try_recv().ok())
    }

    /// The next POST of a message of `method`, or request of the HTTP method `method`. Other requests keep waiting.
    ///
    /// # Panics
    /// When none comes.
    pub async fn expect(&mut self, method: &str) -> HttpExchange {
        let is_wanted = |exchange: &HttpExchange| {
            exchange.request.method == method || exchange.request.rpc_method().as_deref() == Some(method)
        };
        if let Some(at) = self.waiting.iter().position(is_wanted) {
            return self.waiting.remove(at).expect("it was just found");
        }
        loop {
            let next = patiently(self.requests.recv()).await.flatten();
            let Some(exchange) = next else {
                panic!("expected `{method}`; what came instead: {:?}", self.waiting);
            };
            if is_wanted(&exchange) {
                return exchange;
            }
            self.waiting.push_back(exchange);
        }
    }

    /// How many connections were made.
    pub fn accepted(&self) -> usize {
        self.counts.accepted.load(Ordering::Relaxed)
    }

    /// How many connections are open.
    pub fn open(&self) -> usize {
        self.counts.open.load(Ordering::Relaxed)
    }

    /// How many connections were open at once, at most.
    pub fn most_open(&self) -> usize {
        self.counts.most_open.load(Ordering::Relaxed)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct OpenConnection(Arc<Counts>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
