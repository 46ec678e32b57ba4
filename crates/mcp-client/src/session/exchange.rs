use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use mcp_protocol::connection::{CallId, Outcome};
use mcp_transport::{
    ExchangeEnd, Inbound, OutboundMessage, Sink, SinkTarget, TransportError, TransportErrorKind,
};
use tokio::{runtime::Handle, sync::Notify, time::timeout};

use super::{CallOutcome, Failure, RunningExchange, Session, Slot, lock, step::News};

/// How long an exchange may go on after its reply: long enough to end in order, so that its connection can be used again.
const LINGER: Duration = Duration::from_secs(5);

/// How many turns of the runtime an exchange is given to go on before it gets a task of its own: most of a response is
/// there with its head, and another thread reads it just now.
const TURNS: u32 = 4;

type Exchange = Pin<Box<dyn Future<Output = ExchangeEnd> + Send>>;

impl Session {
    /// Runs the exchange of a call and waits for the call's end.
    ///
    /// A plain call runs its exchange itself, until the peer took the request: what may last long, and what somebody
    /// else may wait for (`shared`), goes on in a task, whether or not the caller polls.
    pub(crate) async fn exchange(
        &self,
        id: CallId,
        out: OutboundMessage,
        slot: &Slot,
        shared: bool,
    ) -> CallOutcome {
        let Some(exchanges) = &self.exchanges else { return slot.outcome().await };
        let accepted = Arc::new(AtomicBool::new(shared));
        let mut exchange = Some(exchanges.exchange(out, self.sink(id, &accepted)));
        let (mut turns, mut reply) = (0, None);
        poll_fn(|cx| {
            slot.attended();
            // Deadline and cancel end a call without its exchange: that is dropped then, which abandons it.
            if let Some(running) = &mut exchange
                && !shared
                && let Poll::Ready(end) = running.as_mut().poll(cx)
            {
                exchange = None;
                self.exchange_over(id, end);
            }
            let outcome = reply.take().map_or_else(|| slot.poll_outcome(cx), Poll::Ready);
            let replied =
                matches!(outcome, Poll::Ready(CallOutcome::Core(Outcome::Result(_) | Outcome::Error(_))));
            // A reply is there but its exchange has not ended: let it, so that the connection can be used again.
            if exchange.is_some() && (replied || (outcome.is_pending() && accepted.load(Ordering::Acquire))) {
                if !shared && turns < TURNS {
                    turns += 1;
                    cx.waker().wake_by_ref();
                    if let Poll::Ready(outcome) = outcome {
                        reply = Some(outcome);
                    }
                    return Poll::Pending;
                }
                if let Some(running) = exchange.take() {
                    self.spawn_exchange(id, running, slot);
                }
            }
            outcome
        })
        .await
    }

    /// Runs the exchange of a call in a task of its own.
    pub(super) fn post_exchange(&self, id: CallId, out: OutboundMessage, slot: &Slot) {
        if let Some(exchanges) = &self.exchanges {
            self.spawn_exchange(id, exchanges.exchange(out, self.sink(id, &Arc::default())), slot);
        }
    }

    fn sink(&self, id: CallId, accepted: &Arc<AtomicBool>) -> Sink {
        let renews = self.renews.load(Ordering::Relaxed);
        Sink::new(Target { session: self.this.clone(), accepted: Arc::clone(accepted), id, renews })
    }

    fn spawn_exchange(&self, id: CallId, mut exchange: Exchange, slot: &Slot) {
        // Without a runtime, in the drop of a handle after its end, nothing can run.
        let (Some(session), Ok(runtime)) = (self.this.upgrade(), Handle::try_current()) else { return };
        let replied = Arc::new(Notify::new());
        let waits = Arc::clone(&replied);
        let over = Arc::new(AtomicBool::new(false));
        let tells = Arc::clone(&over);
        // Never under a lock: a runtime that is shutting down drops the future here and now.
        let task = runtime.spawn(async move {
            let end = tokio::select! {
                end = &mut exchange => Some(end),
                () = waits.notified() => timeout(LINGER, exchange).await.ok(),
            };
            {
                let mut running = lock(&session.running);
                tells.store(true, Ordering::Release);
                running.exchanges.remove(&id);
            }
            if let Some(end) = end {
                session.exchange_over(id, end);
            }
        });
        {
            let mut running = lock(&self.running);
            if running.over {
                task.abort();
            } else if !over.load(Ordering::Acquire) {
                let task = task.abort_handle();
                running.exchanges.insert(id, RunningExchange { task, replied: Arc::clone(&replied) });
            }
        }
        // What ended the call meanwhile found no exchange to end.
        if !self.lock().connection.is_open(id) {
            replied.notify_one();
            if slot.ended_without_reply() {
                self.abort_exchange(id);
            }
        }
    }

    pub(super) fn abort_exchange(&self, id: CallId) {
        if let Some(exchange) = lock(&self.running).exchanges.remove(&id) {
            exchange.task.abort();
        }
    }

    /// The call is over; what is left of its exchange may linger for a moment.
    pub(super) fn exchange_replied(&self, id: CallId) {
        if self.exchanges.is_some()
            && let Some(exchange) = lock(&self.running).exchanges.get(&id)
        {
            exchange.replied.notify_one();
        }
    }

    fn exchange_over(&self, id: CallId, end: ExchangeEnd) {
        let failure = match end {
            ExchangeEnd::Failed(error) if error.kind() == TransportErrorKind::SessionLost => {
                return self.session_lost(Some(id), error);
            }
            ExchangeEnd::Failed(error) => Some(Failure::Transport(error)),
            // Only negotiation can go on over another transport.
            ExchangeEnd::Replaced(_) if self.owner.get().is_some() => None,
            ExchangeEnd::Replaced(link) => {
                *lock(&self.replacement) = Some(link);
                None
            }
            _ => None,
        };
        self.with(|core| core.connection.exchange_ended(id, failure));
    }
}

struct Target {
    session: Weak<Session>,
    accepted: Arc<AtomicBool>,
    id: CallId,
    /// The request may have to be repeated, until the peer took it.
    renews: bool,
}

impl SinkTarget for Target {
    fn deliver(&self, inbound: Inbound) {
        if let Some(session) = self.session.upgrade() {
            session.receive(std::iter::once(inbound), &mut News::default());
        }
    }

    fn accepted(&self) {
        if self.renews
            && let Some(session) = self.session.upgrade()
        {
            session.with(|core| core.connection.accepted(self.id));
        }
        self.accepted.store(true, Ordering::Release);
    }

    fn refused(&self, error: &TransportError) {
        if let (Some(session), Some(http)) = (self.session.upgrade(), error.http())
            && let Some(slot) = session.with(|core| core.connection.payload(self.id).cloned())
        {
            slot.keep_http(http.clone());
        }
    }
}
