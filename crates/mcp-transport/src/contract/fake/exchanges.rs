use std::future::poll_fn;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{FakeExchange, FakePipe, exchange, expect};
use crate::{
    Delivery, ExchangeEnd, Exchanges, Link, Outbound, OutboundMessage, RawMessage, Sink, TransportError,
    TransportErrorKind,
};

/// A scripted per-request transport, for tests of whoever drives [`Exchanges`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use mcp_transport::{ExchangeEnd, Inbound, RawMessage, Sink, SinkTarget, contract::FakeExchanges};
///
/// struct Print;
/// impl SinkTarget for Print {
///     fn deliver(&self, inbound: Inbound) {
///         println!("{inbound:?}");
///     }
/// }
///
/// let (link, mut server) = FakeExchanges::link();
/// let exchanges = link.into_parts().exchanges.unwrap();
/// let request = RawMessage::request(1, "tools/list", None);
/// let client = tokio::spawn(exchanges.exchange(request.into(), Sink::new(Print)));
///
/// let mut exchange = server.next_exchange().await;
/// assert_eq!(exchange.method(), "tools/list");
/// exchange.notify("notifications/progress", r#"{"progressToken":1,"progress":0.5}"#);
/// exchange.reply(r#"{"tools":[]}"#);
/// assert!(matches!(client.await.unwrap(), ExchangeEnd::Complete));
/// # });
/// ```
pub struct FakeExchanges {
    requests: mpsc::UnboundedSender<FakeExchange>,
}

/// The far end of [`FakeExchanges`]: the test.
///
/// Dropping it refuses further requests ([`Delivery::NeverSent`]) and ends what is beside.
pub struct FakeServer {
    requests: mpsc::UnboundedReceiver<FakeExchange>,
    /// What belongs to no request: notifications and replies of the client, messages of the server unasked, and the
    /// closer of the link.
    pub beside: FakePipe,
}

impl FakeExchanges {
    /// A link of exchanges with a closer, and its far end.
    pub fn link() -> (Link, FakeServer) {
        let (to, requests) = mpsc::unbounded_channel();
        let (sender, receiver, closer, beside) = FakePipe::halves();
        let link = Link::exchanges(Self { requests: to }, sender, receiver).with_closer(closer);
        (link, FakeServer { requests, beside })
    }
}

impl Exchanges for FakeExchanges {
    fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static {
        let requests = self.requests.clone();
        let mut request = Some((out, sink));
        let mut running = None;
        // A request leaves when its exchange is first polled, not when the future is made.
        poll_fn(move |cx| {
            if let Some((out, sink)) = request.take() {
                let (started, far) = exchange::start(out, sink);
                if requests.send(far).is_err() {
                    return std::task::Poll::Ready(ExchangeEnd::Failed(TransportError::new(
                        TransportErrorKind::Connect,
                        Delivery::NeverSent,
                        "the scripted server is gone",
                    )));
                }
                running = Some(started);
            }
            let running = running.as_mut().expect("an exchange is not polled after its end");
            std::pin::Pin::new(running).poll(cx)
        })
    }
}

impl FakeServer {
    /// The next request of the client.
    ///
    /// # Panics
    /// When none comes, or the client dropped the link.
    pub async fn next_exchange(&mut self) -> FakeExchange {
        let next = expect(|| "a request of the client".into(), self.requests.recv()).await;
        next.expect("expected a request, but the client dropped the link")
    }

    /// As [`next_exchange`](Self::next_exchange), without a limit; `None` once the client dropped the link. Cancel-safe.
    pub async fn recv(&mut self) -> Option<FakeExchange> {
        self.requests.recv().await
    }

    /// The next request of the client, which must be `method`.
    ///
    /// # Panics
    /// As [`next_exchange`](Self::next_exchange), and when it is another method.
    pub async fn expect(&mut self, method: &str) -> FakeExchange {
        let next = self.next_exchange().await;
        assert_eq!(next.method(), method, "expected another request; its params: {:?}", next.params());
        next
    }

    /// The request that is there already, if any.
    pub fn try_next_exchange(&mut self) -> Option<FakeExchange> {
        self.requests.try_recv().ok()
    }

    /// The next entry that the client sent beside its requests; `None` once it dropped the sender.
    ///
    /// # Panics
    /// When none comes.
    pub async fn next_beside(&mut self) -> Option<Outbound> {
        self.beside.next().await
    }

    /// Sends a message that belongs to no request.
    pub fn send_beside(&self, message: RawMessage) {
        self.beside.send(message);
    }

    /// Sends one frame that belongs to no request.
    pub fn send_frame_beside(&self, frame: impl Into<Bytes>) {
        self.beside.send_frame(frame);
    }

    /// Answers every request by a task of its own that runs `answer`, until the client drops the link. What the client
    /// sends beside is thrown away.
    pub fn serve<F, Fut>(mut self, answer: F) -> tokio::task::JoinHandle<()>
    where
        F: Fn(FakeExchange) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        tokio::spawn(async move {
            while let Some(exchange) = self.requests.recv().await {
                tokio::spawn(answer(exchange));
                while self.beside.try_next().is_some() {}
            }
        })
    }
}
