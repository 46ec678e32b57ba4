use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use mcp_protocol::connection::CallId;
use mcp_transport::{
    ExchangeEnd, Inbound, OutboundMessage, RawMessage, Sink, SinkTarget, TransportError, TransportErrorKind,
};
use tokio::{runtime::Handle, sync::Notify};

use super::{CallOutcome, Failure, Headers, RunningExchange, Session, Slot, lock, step::News};
use crate::task::{boxed, either, within};

/// How long an exchange may go on after its reply: long enough to end in order, so that its connection can be used again.
const LINGER: Duration = Duration::from_secs(5);

/// How many turns of the runtime an exchange is given to go on before it gets a task of its own: most of a response is
/// there with its head, and another thread reads it just now.
const TURNS: u32 = 4;

type Exchange = Pin<Box<dyn Future<Output = ExchangeEnd> + Send>>;

/// The exchange of a call, while the call's own future runs it. Dropping it abandons the request.
pub(crate) struct OwnExchange {
    /// `None` once it is over, or in a task of its own.
    running: Option<Exchange>,
    target: Arc<Target>,
    turns: u32,
    shared: bool,
}

impl OwnExchange {
    /// Runs it, and waits for the end of its call, which has `slot`.
    ///
    /// A plain call runs its exchange itself, until the peer took the request: what may last long, and what somebody
    /// else may wait for (`shared`), goes on in a task, whether or not the caller polls.
    pub(crate) fn poll(&mut self, session: &Session, slot: &Slot, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        slot.attended();
        // Deadline and cancel end a call without its exchange: that is dropped then, which abandons it.
        if let Some(running) = &mut self.running {
            if !self.shared
                && let Poll::Ready(end) = running.as_mut().poll(cx)
            {
                self.running = None;
                // In order, and with the reply: the core knows no more of it.
                if !(matches!(end, ExchangeEnd::Complete) && slot.is_replied()) {
                    session.exchange_over(self.target.id, end);
                }
            } else {
                return self.poll_unfinished(session, slot, cx);
            }
        }
        slot.poll_outcome(cx)
    }

    fn poll_unfinished(&mut self, session: &Session, slot: &Slot, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        // A reply is there but its exchange has not ended: let it, so that the connection can be used again.
        if slot.is_replied() || (self.target.accepted.load(Ordering::Acquire) && !slot.ended_without_reply())
        {
            if !self.shared && self.turns < TURNS {
                self.turns += 1;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(running) = self.running.take() {
                session.spawn_exchange(self.target.id, running, slot);
            }
        }
        slot.poll_outcome(cx)
    }
}

impl Session {
    /// The exchange of a call, which is begun when it is polled. `None` over a transport without them.
    pub(crate) fn exchange(
        &self,
        id: CallId,
        message: RawMessage,
        headers: &Headers,
        shared: bool,
    ) -> Option<OwnExchange> {
        let exchanges = self.exchanges.as_ref()?;
        let mut out = OutboundMessage::from(message);
        out.headers = headers.to_vec();
        let target = self.target(id, shared);
        let running = Some(exchanges.exchange(out, Sink::shared(&target)));
        Some(OwnExchange { running, target, turns: 0, shared })
    }

    /// Runs the exchange of a call in a task of its own.
    pub(super) fn post_exchange(&self, id: CallId, out: OutboundMessage, slot: &Slot) {
        if let Some(exchanges) = &self.exchanges {
            self.spawn_exchange(id, exchanges.exchange(out, Sink::shared(&self.target(id, true))), slot);
        }
    }

    fn target(&self, id: CallId, accepted: bool) -> Arc<Target> {
        let renews = self.renews.load(Ordering::Relaxed);
        let (session, accepted) = (self.this.upgrade(), AtomicBool::new(accepted));
        Arc::new(Target { session, accepted, id, renews })
    }

    fn spawn_exchange(&self, id: CallId, exchange: Exchange, slot: &Slot) {
        // Without a runtime, in the drop of a handle after its end, nothing can run.
        let (Some(session), Ok(_)) = (self.this.upgrade(), Handle::try_current()) else { return };
        let replied = Arc::new(Notify::new());
        let waits = Arc::clone(&replied);
        let over = Arc::new(AtomicBool::new(false));
        let tells = Arc::clone(&over);
        // Never under a lock: a runtime that is shutting down drops the future here and now.
        let task = mcp_transport::spawn(boxed(async move {
            let mut end = None;
            {
                let mut run = pin!(async { end = Some(exchange.await) });
                if !either(run.as_mut(), pin!(waits.notified())).await {
                    within(LINGER, run).await;
                }
            }
            {
                let mut running = lock(&session.running);
                tells.store(true, Ordering::Release);
                running.exchanges.remove(&id);
            }
            if let Some(end) = end {
                session.exchange_over(id, end);
            }
        }));
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
        self.step().connection.exchange_ended(id, failure);
    }
}

struct Target {
    /// Not weak: each upgrade and its end are a write to what all calls share. `None`: it is over.
    session: Option<Arc<Session>>,
    /// The peer took the request, or somebody beside the caller waits for what comes.
    accepted: AtomicBool,
    id: CallId,
    /// The request may have to be repeated, until the peer took it.
    renews: bool,
}

impl SinkTarget for Target {
    fn deliver(&self, inbound: Inbound) {
        if let Some(session) = &self.session {
            session.receive(&mut std::iter::once(inbound), &mut News::default());
        }
    }

    fn accepted(&self) {
        if self.renews
            && let Some(session) = &self.session
        {
            session.step().connection.accepted(self.id);
        }
        self.accepted.store(true, Ordering::Release);
    }

    fn refused(&self, error: &TransportError) {
        let (Some(session), Some(http)) = (&self.session, error.http()) else { return };
        let slot = session.lock().connection.payload(self.id).cloned();
        if let Some(slot) = slot {
            slot.keep_http(http.clone());
        }
    }
}
