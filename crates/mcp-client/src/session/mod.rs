//! One link and its protocol core, shared between the callers and the task that does the I/O.

mod exchange;
mod io;
mod mailbox;
mod receive;
mod serve;
mod slot;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use mcp_protocol::connection::{
    Binding, CallId, CancelMode, Connection, Deadlines, NotStarted, OutgoingCall, Output, Refused, ServeId,
    Started,
};
use mcp_transport::{BoxExchanges, Diagnosis, Link, OutboundMessage, Skipped, TransportError};
use mcp_types::{Revision, jsonrpc::MethodName};
use tokio::{
    sync::{Notify, watch},
    task::AbortHandle,
    time::timeout_at,
};

pub(crate) use mailbox::{Mail, Mailbox};
pub(crate) use slot::{CallOutcome, Report, ReportStep, Slot};

use crate::{
    client::WeakClient,
    handlers::Handlers,
    state::{State, StateSender},
};

/// Why nothing can be sent on a link any more.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// The transport says why.
    Transport(TransportError),
    /// It was closed from this side.
    ClosedHere,
}

/// What bounds a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of messages that may wait to be sent.
    pub(crate) queued_bytes: usize,
    /// How long a close waits for what it has to send, and for the end of the link where nothing else bounds it.
    pub(crate) close: Duration,
}

/// Extra header fields of a request, for transports that have headers.
pub(crate) type Headers = Vec<(Cow<'static, str>, String)>;

type Core = Connection<Arc<Slot>, Failure>;

pub(crate) struct Session {
    this: Weak<Self>,
    core: Mutex<Guarded>,
    limits: Limits,
    exchanges: Option<BoxExchanges>,
    running: Mutex<Running>,
    feeds: Mutex<Vec<Feed>>,
    replacement: Mutex<Option<Link>>,
    handlers: Arc<Handlers>,
    mailbox: Mailbox,
    owner: OnceLock<Owner>,
    first_skipped: OnceLock<Skipped>,
    diagnosis: Option<Diagnosis>,
    /// `Some`: closing, and how long calls in flight may take to finish.
    closing: watch::Sender<Option<Duration>>,
    over: watch::Sender<bool>,
    tokens: AtomicI64,
    completed_by_last_read: AtomicUsize,
    outbox_filled: Notify,
    outbox_emptied: Notify,
    deadline_moved: Notify,
    call_ended: Notify,
}

/// The client that a session ended up with, once connecting is done.
struct Owner {
    client: WeakClient,
    state: StateSender,
}

/// What the one lock of a session guards. Under it no user code runs, nothing is encoded, nobody is woken.
struct Guarded {
    connection: Core,
    /// When the deadline loop wakes by itself.
    armed: Option<Instant>,
    /// The write loop is to send the end of our direction once the outbox is empty.
    send_close: bool,
}

/// Tasks of this session beside the I/O task. They end with it.
#[derive(Default)]
struct Running {
    exchanges: HashMap<CallId, RunningExchange>,
    serving: HashMap<ServeId, AbortHandle>,
    over: bool,
}

/// An exchange that runs in a task of its own.
struct RunningExchange {
    task: AbortHandle,
    /// Told when the call is over.
    replied: Arc<Notify>,
}

/// By method and params.
type Wants = Box<dyn Fn(&str, &Bytes) -> bool + Send + Sync>;

/// A stream that wants some of the server's notifications.
struct Feed {
    slot: Weak<Slot>,
    wants: Wants,
}

/// Why a call was not started.
pub(crate) enum StartError {
    /// More waits to be sent than the limit allows, and did so for this long.
    Full(Duration),
    /// The session is closing.
    Closing,
    /// The link has ended.
    Ended(Failure),
}

impl Session {
    /// Starts the session of a fresh link; its I/O task runs until the link ends or the session is closed.
    pub(crate) fn start(link: Link, handlers: Arc<Handlers>, limits: Limits) -> Arc<Self> {
        let parts = link.into_parts();
        let binding = if parts.exchanges.is_some() { Binding::Exchanges } else { Binding::Pipe };
        let session = Arc::new_cyclic(|this| Self {
            this: this.clone(),
            core: Mutex::new(Guarded {
                connection: Connection::new(binding),
                armed: None,
                send_close: false,
            }),
            limits,
            exchanges: parts.exchanges.clone(),
            running: Mutex::default(),
            feeds: Mutex::default(),
            replacement: Mutex::default(),
            handlers,
            mailbox: Mailbox::default(),
            owner: OnceLock::new(),
            first_skipped: OnceLock::new(),
            diagnosis: parts.diagnosis.clone(),
            closing: watch::Sender::new(None),
            over: watch::Sender::new(false),
            tokens: AtomicI64::new(1),
            completed_by_last_read: AtomicUsize::new(0),
            outbox_filled: Notify::new(),
            outbox_emptied: Notify::new(),
            deadline_moved: Notify::new(),
            call_ended: Notify::new(),
        });
        let worker = tokio::spawn(Arc::clone(&session.handlers).work(Arc::clone(&session)));
        tokio::spawn(io::run(Arc::clone(&session), parts, worker));
        session
    }

    /// A progress token that no other call of this session has.
    pub(crate) fn progress_token(&self) -> i64 {
        self.tokens.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a call and waits for its end. Dropping the future cancels the call, once, in the way of era and binding.
    ///
    /// `shared`: somebody beside the caller waits for what comes, so an exchange goes on when nobody polls. `waiting`:
    /// how long to wait for room in the outbox.
    pub(crate) async fn perform(
        &self,
        call: &OutgoingCall,
        headers: Headers,
        slot: &Arc<Slot>,
        shared: bool,
        waiting: Duration,
    ) -> Result<CallOutcome, StartError> {
        let give_up = tokio::time::Instant::now().checked_add(waiting);
        let Started { id, message } = loop {
            // Made before the attempt, so that space made in between is not missed.
            let emptied = self.outbox_emptied.notified();
            let now = tokio::time::Instant::now().into_std();
            match self.begin(now, call, slot) {
                Err(StartError::Full(_)) => match give_up {
                    Some(at) => {
                        timeout_at(at, emptied).await.map_err(|_| StartError::Full(waiting))?;
                    }
                    None => emptied.await,
                },
                started => break started?,
            }
        };
        let mut guard = CancelOnDrop { session: self, id, armed: true };
        if !slot.started(id) {
            self.cancel(id, None);
        }
        let outcome = match message {
            None => slot.outcome().await,
            Some(message) => {
                let mut out = OutboundMessage::from(message);
                out.headers = headers;
                self.exchange(id, out, slot, shared).await
            }
        };
        guard.armed = false;
        Ok(outcome)
    }

    /// Puts a call into the table. Over a pipe it is queued; over exchanges the caller runs what is returned.
    fn begin(&self, now: Instant, call: &OutgoingCall, slot: &Arc<Slot>) -> Result<Started, StartError> {
        let weight = call.params.as_ref().map_or(0, Bytes::len);
        self.with(|core| {
            let waiting = core.connection.outbox_bytes();
            if waiting > 0 && waiting + weight > self.limits.queued_bytes {
                return Err(StartError::Full(Duration::ZERO));
            }
            core.connection.call(now, call.clone(), Arc::clone(slot)).map_err(|NotStarted { why, .. }| {
                match why {
                    Refused::Closing => StartError::Closing,
                    Refused::Ended(failure) => StartError::Ended(failure),
                }
            })
        })
    }

    /// Makes a call whose answer nobody waits for.
    pub(crate) fn post(&self, method: &'static str, params: Bytes, limit: Duration) {
        let call = OutgoingCall {
            method: method.into(),
            params: Some(params),
            progress_token: None,
            deadlines: Deadlines { idle: Some(limit), ..Deadlines::default() },
            cancel: CancelMode::Silent,
        };
        let now = tokio::time::Instant::now().into_std();
        if let Ok(Started { id, message: Some(message) }) = self.begin(now, &call, &Arc::new(Slot::default()))
        {
            self.post_exchange(id, message.into());
        }
    }

    /// From here on `slot` gets the notifications that `wants` says, by method and params. `wants` must not block.
    pub(crate) fn add_feed(
        &self,
        slot: &Arc<Slot>,
        wants: impl Fn(&str, &Bytes) -> bool + Send + Sync + 'static,
    ) {
        if self.failure().is_some() {
            slot.end();
        }
        lock(&self.feeds).push(Feed { slot: Arc::downgrade(slot), wants: Box::new(wants) });
    }

    /// Why the link has ended, if it has.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.lock().connection.failure().cloned()
    }

    /// Ends the call of `slot` for its caller, and tells the server.
    pub(crate) fn cancel_with_reason(&self, slot: &Slot, reason: &str) {
        // Under the slot's lock nothing tells whether the call will be started yet: a start that comes later sees the
        // outcome and takes the call back.
        let id = slot.id();
        slot.finish(CallOutcome::Cancelled { reason: reason.to_owned(), sent: id.is_some() });
        if let Some(id) = id.or_else(|| slot.id()) {
            self.cancel(id, Some(reason));
        }
    }

    /// Gives a call up, if it is still open. Its slot is not filled.
    pub(crate) fn cancel(&self, id: CallId, reason: Option<&str>) {
        self.with(|core| core.connection.cancel(id, reason));
    }

    pub(crate) fn notify(&self, method: MethodName, params: Option<Bytes>) -> bool {
        self.with(|core| core.connection.notify(method, params))
    }

    pub(crate) fn settle(&self, revision: Revision) {
        self.with(|core| core.connection.settle(revision));
    }

    /// Connecting is done: the session belongs to `client` from here on.
    pub(crate) fn set_owner(&self, client: WeakClient, state: StateSender) {
        state.set(State::Ready);
        // Only one connect owns a session.
        let _ = self.owner.set(Owner { client, state });
        if *self.closing.subscribe().borrow() == Some(Duration::ZERO) || *self.over.subscribe().borrow() {
            self.set_state(State::Closed);
        }
    }

    /// The client, once connecting is done.
    pub(crate) fn client(&self) -> Option<WeakClient> {
        Some(self.owner.get()?.client.clone())
    }

    fn set_state(&self, state: State) {
        if let Some(owner) = self.owner.get() {
            owner.state.set(state);
        }
    }

    /// The first input that was no message: often the reason why a server does not answer.
    pub(crate) fn first_skipped(&self) -> Option<&Skipped> {
        self.first_skipped.get()
    }

    /// A link that an exchange found in place of this one.
    pub(crate) fn take_replacement(&self) -> Option<Link> {
        lock(&self.replacement).take()
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    pub(crate) fn has_exchanges(&self) -> bool {
        self.exchanges.is_some()
    }

    /// Begins to close: no new calls; those in flight have `drain` to finish. A shorter limit later counts.
    pub(crate) fn begin_close(&self, drain: Duration) {
        self.with(|core| core.connection.stop());
        self.set_state(State::Closing);
        self.closing.send_if_modified(|closing| {
            let shorter = closing.is_none_or(|limit| drain < limit);
            if shorter {
                *closing = Some(drain);
            }
            shorter
        });
    }

    /// Waits until nothing of the session is left: link, process, tasks.
    pub(crate) async fn closed(&self) {
        // The sender lives in `self`.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// Closes and waits. Cancel-safe: the close goes on.
    pub(crate) async fn close(&self, drain: Duration) {
        self.begin_close(drain);
        self.closed().await;
    }

    /// What the server said beside the protocol so far.
    pub(crate) fn diagnosis(&self) -> Option<String> {
        let text = (self.diagnosis.as_ref()?)();
        (!text.trim().is_empty()).then(|| text.trim_end().to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        lock(&self.core)
    }

    /// One step of the core: locks, acts, takes what came of it, unlocks, and only then wakes and delivers.
    fn with<R>(&self, act: impl FnOnce(&mut Guarded) -> R) -> R {
        self.with_buffer(&mut Vec::new(), act)
    }

    fn with_buffer<R>(
        &self,
        outputs: &mut Vec<Output<Arc<Slot>, Failure>>,
        act: impl FnOnce(&mut Guarded) -> R,
    ) -> R {
        let (result, filled, moved) = {
            let mut core = self.lock();
            let result = act(&mut core);
            while let Some(output) = core.connection.poll_output() {
                outputs.push(output);
            }
            let next = core.connection.next_deadline();
            let moved = next.is_some_and(|next| core.armed.is_none_or(|armed| next < armed));
            (result, core.connection.has_outgoing(), moved)
        };
        if filled {
            self.outbox_filled.notify_one();
        }
        if moved {
            self.deadline_moved.notify_one();
        }
        for output in outputs.drain(..) {
            self.deliver(output);
        }
        result
    }

    /// The link is over: every open call ends with `failure`.
    fn end(&self, failure: &Failure) {
        self.with(|core| core.connection.link_ended(failure.clone()));
        for slot in lock(&self.feeds).drain(..).filter_map(|feed| feed.slot.upgrade()) {
            slot.end();
        }
    }
}

/// Cancels a call whose future is dropped before its end.
struct CancelOnDrop<'a> {
    session: &'a Session,
    id: CallId,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.session.cancel(self.id, None);
        }
    }
}

/// Nothing under the locks of a session panics half-way through a change.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
