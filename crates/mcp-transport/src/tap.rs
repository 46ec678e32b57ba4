//! A transport that shows what passes through it: the raw messages, in order.

use std::{collections::VecDeque, fmt, pin::Pin, sync::Arc};

use crate::{
    BoxExchanges, BoxReceiver, BoxSender, Connect, ExchangeEnd, Exchanges, Inbound, Link, LinkParts, Origin,
    Outbound, OutboundMessage, RawMessage, Receiver, Sender, Sink, SinkTarget, Skipped, TransportError,
};

/// Connects as another transport does, and shows what passes.
///
/// Messages are shown whole: they may hold secrets. The function runs within the I/O of the link, so it must not block.
///
/// ```
/// use mcp_transport::{Passed, Tap, memory, Single};
///
/// let (near, _far) = memory::pair();
/// let transport = Tap::new(Single::new(near), |passed: &Passed<'_>| eprintln!("{passed}"));
/// ```
pub struct Tap<C> {
    connect: C,
    show: Show,
}

type Show = Arc<dyn Fn(&Passed<'_>) + Send + Sync>;

/// What passes through a [`Tap`]. Its text form is one line a message: `-> {…}` to the peer, `<- {…}` from it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Passed<'a> {
    /// A link was made.
    Connected,
    /// A message to the peer, before it is sent.
    Sent(&'a RawMessage),
    /// A message from the peer.
    Received {
        /// Where it came in.
        origin: &'a Origin,
        /// The message.
        message: &'a RawMessage,
    },
    /// Input that is no message.
    Skipped(&'a Skipped),
    /// The link, or an exchange, ended; with an error if not in order.
    Ended(Option<&'a TransportError>),
}

impl<C: Connect> Tap<C> {
    /// Shows what passes through the links of `connect`.
    pub fn new(connect: C, show: impl Fn(&Passed<'_>) + Send + Sync + 'static) -> Self {
        Self { connect, show: Arc::new(show) }
    }
}

impl<C: Connect> Connect for Tap<C> {
    const EXCHANGES: bool = C::EXCHANGES;

    async fn connect(&self) -> Result<Link, TransportError> {
        let LinkParts { sender, receiver, exchanges, closer, diagnosis, headers } =
            self.connect.connect().await?.into_parts();
        (self.show)(&Passed::Connected);
        let sender = TapSender { sender, show: Arc::clone(&self.show) };
        let receiver = TapReceiver { receiver, show: Arc::clone(&self.show) };
        let mut link = match exchanges {
            None => Link::pipe(sender, receiver),
            Some(exchanges) => {
                let exchanges = TapExchanges { exchanges, show: Arc::clone(&self.show) };
                Link::exchanges(exchanges, sender, receiver)
            }
        };
        link.set_rest(closer, diagnosis, headers);
        Ok(link)
    }

    fn repeatable(&self) -> bool {
        self.connect.repeatable()
    }

    fn label(&self) -> String {
        self.connect.label()
    }

    fn origin(&self) -> Option<String> {
        self.connect.origin()
    }
}

struct TapSender {
    sender: BoxSender,
    show: Show,
}

impl Sender for TapSender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        for entry in batch.iter() {
            if let Outbound::Message(out) = entry {
                (self.show)(&Passed::Sent(&out.message));
            }
        }
        self.sender.send(batch).await
    }
}

struct TapReceiver {
    receiver: BoxReceiver,
    show: Show,
}

impl Receiver for TapReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        let seen = into.len();
        let more = self.receiver.recv(into).await;
        for entry in &into[seen..] {
            show_inbound(&self.show, entry);
        }
        match &more {
            Ok(true) => {}
            Ok(false) => (self.show)(&Passed::Ended(None)),
            Err(error) => (self.show)(&Passed::Ended(Some(error))),
        }
        more
    }
}

struct TapExchanges {
    exchanges: BoxExchanges,
    show: Show,
}

impl Exchanges for TapExchanges {
    fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static {
        (self.show)(&Passed::Sent(&out.message));
        let show = Arc::clone(&self.show);
        let sink = Sink::new(TapSink { sink, show: Arc::clone(&show) });
        let exchange: Pin<Box<dyn Future<Output = ExchangeEnd> + Send>> = self.exchanges.exchange(out, sink);
        async move {
            let end = exchange.await;
            show(&Passed::Ended(match &end {
                ExchangeEnd::Failed(error) => Some(error),
                _ => None,
            }));
            end
        }
    }
}

struct TapSink {
    sink: Sink,
    show: Show,
}

impl SinkTarget for TapSink {
    fn deliver(&self, inbound: Inbound) {
        show_inbound(&self.show, &inbound);
        self.sink.deliver(inbound);
    }

    fn accepted(&self) {
        self.sink.accepted();
    }

    fn refused(&self, error: &TransportError) {
        self.sink.refused(error);
    }
}

fn show_inbound(show: &Show, entry: &Inbound) {
    match entry {
        Inbound::Message { origin, message } => show(&Passed::Received { origin, message }),
        Inbound::Batch { origin, messages } => {
            for message in messages {
                show(&Passed::Received { origin, message });
            }
        }
        Inbound::Skipped(skipped) => show(&Passed::Skipped(skipped)),
        Inbound::Undelivered { error, .. } | Inbound::SessionLost(error) => show(&Passed::Ended(Some(error))),
    }
}

impl fmt::Display for Passed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected => f.write_str("-- connected"),
            Self::Sent(message) => write!(f, "-> {}", String::from_utf8_lossy(&message.to_vec())),
            Self::Received { message, .. } => write!(f, "<- {}", String::from_utf8_lossy(&message.to_vec())),
            Self::Skipped(skipped) => {
                write!(f, "<- no message, {} bytes: {:?}", skipped.length, skipped.excerpt)
            }
            Self::Ended(None) => f.write_str("-- ended"),
            Self::Ended(Some(error)) => write!(f, "-- ended: {error}"),
        }
    }
}

impl<C: fmt::Debug> fmt::Debug for Tap<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("connect", &self.connect).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{HeaderPlan, ParamHeaders, Single, memory};

    #[tokio::test]
    async fn a_tapped_link_has_what_the_link_has() {
        struct Nothing;
        impl ParamHeaders for Nothing {
            fn plan(&self, _: &str) -> Result<Option<Arc<dyn HeaderPlan>>, String> {
                Ok(None)
            }
            fn is_param_field(&self, _: &str) -> bool {
                false
            }
        }
        for headers in [false, true] {
            let (near, _far) = memory::pair();
            let near = near.with_diagnosis(|| "said".into());
            let near = if headers { near.with_headers(&Nothing) } else { near };
            let parts = Tap::new(Single::new(near), |_| {}).connect().await.unwrap().into_parts();
            assert_eq!((parts.headers.is_some(), parts.diagnosis.unwrap()().as_str()), (headers, "said"));
        }
    }

    #[tokio::test]
    async fn what_passes_is_shown_in_order() {
        let (near, far) = memory::pair();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&lines);
        let tap = Tap::new(Single::new(near), move |passed| keep.lock().unwrap().push(passed.to_string()));
        let mut near = tap.connect().await.unwrap().into_parts();
        let mut far = far.into_parts();
        let request = RawMessage::request(1, "ping", None);
        near.sender.send(&mut [request.into(), Outbound::Close].into()).await.unwrap();
        far.sender
            .send(&mut [RawMessage::result(1, "{}".into()).into(), Outbound::Close].into())
            .await
            .unwrap();
        let mut inbound = Vec::new();
        while near.receiver.recv(&mut inbound).await.unwrap() {}
        assert_eq!(inbound.len(), 1);
        assert_eq!(
            *lines.lock().unwrap(),
            [
                "-- connected",
                r#"-> {"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"<- {"jsonrpc":"2.0","id":1,"result":{}}"#,
                "-- ended",
            ]
        );
    }
}
