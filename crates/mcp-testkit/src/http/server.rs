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
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
};

use super::{HttpExchange, request};

/// A server on loopback that a test plays. Dropping it closes every connection.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    requests: mpsc::UnboundedReceiver<HttpExchange>,
    waiting: VecDeque<HttpExchange>,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

impl HttpServer {
    /// Listens on a free port.
    ///
    /// # Panics
    /// When there is none.
    pub async fn start() -> Self {
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
                connections.spawn(serve(stream, to.clone(), OpenConnection(Arc::clone(&counted))));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, requests, waiting: VecDeque::new(), counts, task }
    }

    /// The URL of its endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
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

/// Reads requests one after the other, until one is not answered in order or the client closes.
async fn serve(stream: TcpStream, to: mpsc::UnboundedSender<HttpExchange>, _open: OpenConnection) {
    // A socket without the option is slower.
    let _ = stream.set_nodelay(true);
    let (mut reader, mut writer) = stream.into_split();
    let mut buffer = Vec::new();
    while let Ok(Some(request)) = request::read(&mut reader, &mut buffer).await {
        let (finished, mut returned) = oneshot::channel();
        let (gone, seen) = watch::channel(false);
        if to.send(HttpExchange::new(request, writer, finished, seen)).is_err() {
            return;
        }
        loop {
            tokio::select! {
                back = &mut returned => match back {
                    Ok(back) => {
                        writer = back;
                        break;
                    }
                    Err(_) => return,
                },
                read = reader.read_buf(&mut buffer), if !*gone.borrow() => {
                    if !matches!(read, Ok(1..)) {
                        gone.send_replace(true);
                    }
                }
            }
        }
        if *gone.borrow() {
            return;
        }
    }
}
