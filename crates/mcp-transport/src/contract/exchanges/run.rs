use std::pin::Pin;

use bytes::Bytes;
use mcp_types::RequestId;
use tokio::sync::mpsc;

use super::{ExchangeRig, FarExchange, FarServer};
use crate::{
    BoxExchanges, ExchangeEnd, Inbound, LinkParts, Origin, OutboundMessage, RawMessage, Sink, SinkTarget,
    contract::{
        Clause, Violation,
        bench::{bounded, same, shown},
    },
};

/// A link and its server.
pub(super) struct Bench<F> {
    pub(super) exchanges: BoxExchanges,
    /// The rest of the link, which keeps it open.
    pub(super) beside: LinkParts,
    pub(super) far: F,
}

/// An exchange that the kit polls as it waits, and what it delivered.
pub(super) struct Running {
    id: RequestId,
    future: Pin<Box<dyn Future<Output = ExchangeEnd> + Send>>,
    end: Option<ExchangeEnd>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

pub(super) enum Seen {
    Accepted,
    Entry(Inbound),
}

struct Recorder(mpsc::UnboundedSender<Seen>);

impl SinkTarget for Recorder {
    fn deliver(&self, inbound: Inbound) {
        // Nobody listens any more: the check is over.
        let _ = self.0.send(Seen::Entry(inbound));
    }

    fn accepted(&self) {
        let _ = self.0.send(Seen::Accepted);
    }
}

pub(super) async fn open<R: ExchangeRig>(rig: &R) -> Result<Bench<R::Far>, Violation> {
    let opened = bounded(Clause::Connect, "opening a link", rig.open()).await?;
    let (link, far) =
        opened.map_err(|error| Violation::new(Clause::Connect, format!("no link was made: {error:?}")))?;
    let parts = link.into_parts();
    let Some(exchanges) = parts.exchanges.clone() else {
        return Err(Violation::new(Clause::Connect, "the link is a pipe, not one of exchanges"));
    };
    Ok(Bench { exchanges, beside: parts, far })
}

impl<F: FarServer> Bench<F> {
    pub(super) fn start(&self, out: OutboundMessage) -> Result<Running, Violation> {
        let Some(id) = out.message.id().cloned() else {
            return Err(Violation::new(Clause::Exchange, "an exchange is for a request"));
        };
        let (to, seen) = mpsc::unbounded_channel();
        let future = self.exchanges.exchange(out, Sink::new(Recorder(to)));
        Ok(Running { id, future, end: None, seen })
    }

    /// Starts the request `id`, and waits until the server has it, intact.
    pub(super) async fn request(&mut self, id: i64) -> Result<(Running, F::Exchange), Violation> {
        let message = RawMessage::request(id, "tools/call", Some(format!(r#"{{"name":"n{id}"}}"#).into()));
        self.send(message.into()).await
    }

    /// Starts `out`, and waits until the server has it, intact.
    pub(super) async fn send(&mut self, out: OutboundMessage) -> Result<(Running, F::Exchange), Violation> {
        let expected = out.message.to_vec();
        let mut running = self.start(out)?;
        let arrives = async {
            tokio::select! {
                biased;
                exchange = self.far.next_exchange() => exchange,
                // It goes on in the other branch, or is over.
                () = running.drive() => None,
            }
        };
        let exchange = bounded(Clause::Exchange, "the server receiving a request", arrives).await?;
        let Some(exchange) = exchange else {
            let what = format!("a request ended before the server had it: {:?}", running.end);
            return Err(Violation::new(Clause::Exchange, what));
        };
        // A request that comes twice, or again after its end, is not the one expected here.
        let clause = if jsonrpc_id(&exchange.request()) == Some(running.id.clone()) {
            Clause::SameJson
        } else {
            Clause::Once
        };
        same(clause, &expected, &exchange.request())?;
        Ok((running, exchange))
    }
}

impl<F: FarServer> Bench<F> {
    /// The end of `running`, whose request must not come again before.
    pub(super) async fn ends_once(
        &mut self,
        running: &mut Running,
        what: &str,
    ) -> Result<ExchangeEnd, Violation> {
        let again = async {
            match self.far.next_exchange().await {
                Some(exchange) => exchange.request(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            again = again => {
                let what = format!("a request came again after {what}: {}", shown(&again));
                Err(Violation::new(Clause::Once, what))
            }
            end = running.end(Clause::Exchange, what) => end,
        }
    }
}

fn jsonrpc_id(frame: &[u8]) -> Option<RequestId> {
    match mcp_types::jsonrpc::parse(frame) {
        Ok(mcp_types::jsonrpc::Incoming::Single(message)) => message.id().cloned(),
        _ => None,
    }
}

impl Running {
    /// Polls the exchange until it ends.
    async fn drive(&mut self) {
        if self.end.is_none() {
            self.end = Some(self.future.as_mut().await);
        }
    }

    /// Runs `step` of the server while the exchange is polled. Unbounded.
    pub(super) async fn during<T>(&mut self, step: impl Future<Output = T>) -> T {
        let mut step = std::pin::pin!(step);
        tokio::select! {
            biased;
            output = &mut step => output,
            () = self.drive() => step.await,
        }
    }

    /// The next thing that the exchange tells; `None` when it ended first.
    pub(super) async fn next(&mut self, clause: Clause, what: &str) -> Result<Option<Seen>, Violation> {
        let next = async {
            let mut listening = true;
            while self.end.is_none() {
                tokio::select! {
                    biased;
                    seen = self.seen.recv(), if listening => match seen {
                        Some(seen) => return Some(seen),
                        None => listening = false,
                    },
                    end = self.future.as_mut() => self.end = Some(end),
                }
            }
            self.seen.try_recv().ok()
        };
        bounded(clause, what, next).await
    }

    pub(super) async fn expect_accepted(&mut self) -> Result<(), Violation> {
        let wrong = match self.next(Clause::Accepted, "`accepted` after the response began").await? {
            Some(Seen::Accepted) => return Ok(()),
            Some(Seen::Entry(entry)) => format!("delivered before `accepted`: {entry:?}"),
            None => format!("the exchange ended without `accepted`: {:?}", self.end),
        };
        Err(Violation::new(Clause::Accepted, wrong))
    }

    /// The message that the server sent as `frame`, while the exchange goes on.
    pub(super) async fn expect(&mut self, clause: Clause, frame: &Bytes) -> Result<(), Violation> {
        let wrong = match self.next(clause, "a message that the server sent in an exchange").await? {
            Some(Seen::Entry(Inbound::Message { origin, message })) => {
                if origin != Origin::Exchange(self.id.clone()) {
                    let what = format!("a message in the exchange of {} came with {origin:?}", self.id);
                    return Err(Violation::new(Clause::Exchange, what));
                }
                return same(clause, frame, &message.to_vec());
            }
            Some(Seen::Entry(other)) => format!("expected a message, delivered {other:?}"),
            Some(Seen::Accepted) => String::from("`accepted` was told twice"),
            None => format!("expected a message, but the exchange ended: {:?}", self.end),
        };
        Err(Violation::new(clause, wrong))
    }

    /// The end; nothing more may be delivered.
    pub(super) async fn end(&mut self, clause: Clause, what: &str) -> Result<ExchangeEnd, Violation> {
        match self.next(clause, what).await? {
            None => {}
            Some(Seen::Accepted) => {
                return Err(Violation::new(Clause::Accepted, "`accepted` was told twice"));
            }
            Some(Seen::Entry(entry)) => {
                return Err(Violation::new(clause, format!("delivered behind the last message: {entry:?}")));
            }
        }
        self.end.take().ok_or_else(|| Violation::new(clause, "the end of the exchange was taken before"))
    }
}
