use std::{
    collections::HashMap,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Event, Output};
use mcp_transport::{
    BoxExchanges, ExchangeEnd, OutboundMessage, RawMessage, Sink, TransportError, TransportErrorKind,
};
use tokio::{runtime::Handle, sync::Notify, task::AbortHandle};

use super::{Exchange, Exchanging, OwnExchange, Target};
use crate::{
    session::{CallOutcome, Failure, Headers, Session, Slot, lock},
    task::{boxed, either, within},
};

/// How long an exchange may go on after its reply: long enough to end in order, so that its connection can be used again.
const LINGER: Duration = Duration::from_secs(5);

/// How many turns of the runtime an exchange is given to go on before it gets a task of its own: most of a response is
/// there with its head, and another thread reads it just now.
const TURNS: u32 = 4;

/// For a link with `exchanges`.
pub(crate) fn make_exchanging(exchanges: BoxExchanges) -> Box<dyn Exchanging> {
    let running = Arc::default();
    Box::new(Exchanges { link: exchanges, renews: AtomicBool::new(false), running })
}

struct Exchanges {
    link: BoxExchanges,
    /// A lost session is started anew: requests that were not taken yet may be repeated.
    renews: AtomicBool,
    /// The exchanges that run in tasks.
    running: Arc<Mutex<Running>>,
}

#[derive(Default)]
struct Running {
    tasks: HashMap<CallId, Task>,
    over: bool,
}

/// An exchange that runs in a task of its own.
struct Task {
    handle: AbortHandle,
    /// Told when the call is over.
    replied: Arc<Notify>,
}

impl Exchanging for Exchanges {
    fn begin(
        &self,
        session: &Session,
        id: CallId,
        message: RawMessage,
        headers: &Headers,
        shared: bool,
    ) -> OwnExchange {
        let mut out = OutboundMessage::from(message);
        out.headers = headers.to_vec();
        let target = self.target(session, id, shared);
        let running = Some(self.link.exchange(out, Sink::shared(&target)));
        OwnExchange { running, target, turns: 0, shared }
    }

    fn poll(
        &self,
        own: &mut OwnExchange,
        session: &Session,
        slot: &Slot,
        cx: &mut Context<'_>,
    ) -> Poll<CallOutcome> {
        slot.attended();
        // Deadline and cancel end a call without its exchange: that is dropped then, which abandons it.
        if let Some(running) = &mut own.running {
            if !own.shared
                && let Poll::Ready(end) = running.as_mut().poll(cx)
            {
                own.running = None;
                // In order, and with the reply: the core knows no more of it.
                if !(matches!(end, ExchangeEnd::Complete) && slot.is_replied()) {
                    session.exchange_over(own.target.id, end);
                }
            } else {
                return self.poll_unfinished(own, session, slot, cx);
            }
        }
        slot.poll_outcome(cx)
    }

    fn post(&self, session: &Session, id: CallId, message: RawMessage, slot: &Slot) {
        self.run(session, id, message.into(), slot);
    }

    fn deliver(&self, session: &Session, output: Output<Arc<Slot>, Failure>) {
        match output {
            Output::Abandon(id) => self.abort(id),
            Output::Exchange { id, payload, message } => {
                let mut out = OutboundMessage::from(message);
                out.headers = payload.headers().to_vec();
                session.outbox_emptied.notify_waiters();
                self.run(session, id, out, &payload);
            }
            Output::Handshake { id, message } => self.post(session, id, message, &Slot::default()),
            Output::Event(Event::SessionLost) => session.renewing(),
            Output::Event(Event::SessionRenewed { handshake }) => {
                self.replied(handshake);
                session.renewed();
            }
            // Given out over every binding.
            Output::Finished { .. }
            | Output::Progress { .. }
            | Output::Subscribed { .. }
            | Output::Event(
                Event::Request { .. }
                | Event::RequestCancelled { .. }
                | Event::Notification { .. }
                | Event::Dropped(_),
            ) => {}
        }
    }

    fn replied(&self, id: CallId) {
        if let Some(task) = lock(&self.running).tasks.get(&id) {
            task.replied.notify_one();
        }
    }

    fn end(&self) {
        let mut running = lock(&self.running);
        running.over = true;
        for task in std::mem::take(&mut running.tasks).into_values() {
            task.handle.abort();
        }
    }

    fn keep_handshake(&self, session: &Session, params: Bytes, limit: Duration) {
        session.step().connection.keep_handshake(params, limit);
        self.renews.store(true, Ordering::Relaxed);
    }

    fn session_lost(&self, session: &Session, error: TransportError) {
        session.session_lost(None, error);
    }

    fn undelivered(&self, session: &Session, message: &RawMessage, error: &TransportError) -> bool {
        error.kind() == TransportErrorKind::SessionLost && session.undelivered_in_lost_session(message, error)
    }
}

impl Exchanges {
    fn poll_unfinished(
        &self,
        own: &mut OwnExchange,
        session: &Session,
        slot: &Slot,
        cx: &mut Context<'_>,
    ) -> Poll<CallOutcome> {
        // A reply is there but its exchange has not ended: let it, so that the connection can be used again.
        if slot.is_replied() || (own.target.accepted.load(Ordering::Acquire) && !slot.ended_without_reply()) {
            if !own.shared && own.turns < TURNS {
                own.turns += 1;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(running) = own.running.take() {
                self.spawn(session, own.target.id, running, slot);
            }
        }
        slot.poll_outcome(cx)
    }

    /// Abandons the request of a call, if a task runs its exchange.
    fn abort(&self, id: CallId) {
        if let Some(task) = lock(&self.running).tasks.remove(&id) {
            task.handle.abort();
        }
    }

    /// Runs the exchange of a call in a task of its own.
    fn run(&self, session: &Session, id: CallId, out: OutboundMessage, slot: &Slot) {
        let sink = Sink::shared(&self.target(session, id, true));
        self.spawn(session, id, self.link.exchange(out, sink), slot);
    }

    fn target(&self, session: &Session, id: CallId, accepted: bool) -> Arc<Target> {
        let renews = self.renews.load(Ordering::Relaxed);
        let (session, accepted) = (session.this.upgrade(), AtomicBool::new(accepted));
        Arc::new(Target { session, accepted, id, renews })
    }

    fn spawn(&self, session: &Session, id: CallId, exchange: Exchange, slot: &Slot) {
        // Without a runtime, in the drop of a handle after its end, nothing can run.
        let (Some(session), Ok(_)) = (session.this.upgrade(), Handle::try_current()) else { return };
        let replied = Arc::new(Notify::new());
        let waits = Arc::clone(&replied);
        let over = Arc::new(AtomicBool::new(false));
        let tells = Arc::clone(&over);
        let (running, of) = (Arc::clone(&self.running), Arc::clone(&session));
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
                let mut running = lock(&running);
                tells.store(true, Ordering::Release);
                running.tasks.remove(&id);
            }
            if let Some(end) = end {
                of.exchange_over(id, end);
            }
        }));
        {
            let mut running = lock(&self.running);
            if running.over {
                task.abort();
            } else if !over.load(Ordering::Acquire) {
                let handle = task.abort_handle();
                running.tasks.insert(id, Task { handle, replied: Arc::clone(&replied) });
            }
        }
        // What ended the call meanwhile found no exchange to end.
        if !session.lock().connection.is_open(id) {
            replied.notify_one();
            if slot.ended_without_reply() {
                self.abort(id);
            }
        }
    }
}

impl Session {
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
