//! One link and its protocol core, shared between the callers and the task that does the I/O.

mod branch;
mod calls;
mod course;
mod exchange;
mod feeds;
mod headers;
mod io;
mod mailbox;
mod receive;
mod renewal;
mod serve;
mod slot;
mod step;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcp_protocol::connection::{Binding, Connection, ServeId};
use mcp_transport::{
    Delivery, Diagnosis, Link, ParamHeaders, Skipped, SkippedKind, TransportError, TransportErrorKind,
};
use mcp_types::Revision;
use tokio::{
    sync::{Notify, watch},
    task::AbortHandle,
};

pub(crate) use calls::{NotBegun, StartError};
pub(crate) use exchange::{Exchanging, MakeExchanging, OwnExchange, make_exchanging};
pub(crate) use feeds::RENEWED;
pub(crate) use headers::Headers;
pub(crate) use mailbox::{Mail, Mailbox};
pub(crate) use slot::{CallOutcome, Report, ReportStep, Reports, Slot};

use course::{Course, reached};
use step::Guarded;

use crate::{
    client::WeakClient,
    handlers::Handlers,
    state::{State, StateSender},
    task::{Later, boxed},
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

pub(crate) struct Session {
    this: Weak<Self>,
    core: Mutex<Guarded>,
    limits: Limits,
    exchanging: Option<Box<dyn Exchanging>>,
    headers: Option<&'static dyn ParamHeaders>,
    running: Mutex<Running>,
    feeds: Mutex<feeds::Feeds>,
    replacement: Mutex<Option<Link>>,
    handlers: Arc<Handlers>,
    mailbox: Mailbox,
    owner: OnceLock<Owner>,
    first_skipped: OnceLock<Skipped>,
    last_skipped: Mutex<Option<Skipped>>,
    skipped: AtomicU64,
    diagnosis: Option<Diagnosis>,
    course: watch::Sender<Course>,
    /// Calls between two rounds.
    answering: AtomicUsize,
    tokens: AtomicI64,
    completed_by_last_read: AtomicUsize,
    outbox_filled: Notify,
    outbox_emptied: Notify,
    deadline_moved: Notify,
    call_ended: Notify,
    /// Somebody waits for `call_ended`.
    drains: AtomicBool,
}

/// The client that a session ended up with, once connecting is done.
struct Owner {
    client: WeakClient,
    state: StateSender,
}

/// Tasks of this session beside the I/O task and those of exchanges. They end with it.
#[derive(Default)]
struct Running {
    /// Few: the core bounds how many requests are open.
    serving: Vec<(ServeId, AbortHandle)>,
    over: bool,
}

impl Session {
    /// Starts the session of a fresh link; its I/O task runs until the link ends or the session is closed.
    ///
    /// # Errors
    /// When the link has exchanges, and `make_exchanging` is missing.
    pub(crate) fn start(
        link: Link,
        make_exchanging: Option<MakeExchanging>,
        handlers: Arc<Handlers>,
        limits: Limits,
    ) -> Result<Arc<Self>, TransportError> {
        let mut parts = link.into_parts();
        let exchanging = match (parts.exchanges.take(), make_exchanging) {
            (Some(exchanges), Some(make)) => Some(make(exchanges)),
            (Some(_), None) => return Err(not_declared()),
            (None, _) => None,
        };
        // On a pipe none reach the peer.
        let headers = parts.headers.filter(|_| exchanging.is_some());
        let binding = if exchanging.is_some() { Binding::Exchanges } else { Binding::Pipe };
        let session = Arc::new_cyclic(|this| Self {
            this: this.clone(),
            core: Mutex::new(Guarded::new(Connection::new(binding))),
            limits,
            exchanging,
            headers,
            running: Mutex::default(),
            feeds: Mutex::default(),
            replacement: Mutex::default(),
            handlers,
            mailbox: Mailbox::default(),
            owner: OnceLock::new(),
            first_skipped: OnceLock::new(),
            last_skipped: Mutex::default(),
            skipped: AtomicU64::new(0),
            diagnosis: parts.diagnosis.clone(),
            course: watch::Sender::new(Course::default()),
            answering: AtomicUsize::new(0),
            tokens: AtomicI64::new(1),
            completed_by_last_read: AtomicUsize::new(0),
            outbox_filled: Notify::new(),
            outbox_emptied: Notify::new(),
            deadline_moved: Notify::new(),
            call_ended: Notify::new(),
            drains: AtomicBool::new(false),
        });
        let worker = mcp_transport::spawn(boxed(Arc::clone(&session.handlers).work(Arc::clone(&session))));
        mcp_transport::spawn(boxed(io::run(Arc::clone(&session), parts, worker)));
        Ok(session)
    }

    /// A progress token that no other call of this session has.
    pub(crate) fn progress_token(&self) -> i64 {
        self.tokens.fetch_add(1, Ordering::Relaxed)
    }

    /// At most so many calls are in flight at once from here on.
    pub(crate) fn limit_calls(&self, limit: usize) {
        self.step().connection.limit_open_calls(limit);
    }

    pub(crate) fn settle(&self, revision: Revision) {
        self.step().connection.settle(revision);
    }

    /// Connecting is done: the session belongs to `client` from here on.
    pub(crate) fn set_owner(&self, client: WeakClient, state: StateSender) {
        state.set(State::Ready);
        // Only one connect owns a session.
        let _ = self.owner.set(Owner { client, state });
        if self.course.borrow().over {
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

    /// How much input was no message so far.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// The last input that was no message, in words.
    pub(crate) fn last_skipped(&self) -> Option<String> {
        let last = lock(&self.last_skipped);
        let skipped = last.as_ref()?;
        let why = match skipped.kind {
            SkippedKind::NotAMessage(error) => error.to_string(),
            SkippedKind::TooLong => "longer than the limit".to_owned(),
            _ => "not JSON".to_owned(),
        };
        Some(format!("{:?} ({} bytes; {why})", skipped.excerpt, skipped.length))
    }

    /// A link that an exchange found in place of this one.
    pub(crate) fn take_replacement(&self) -> Option<Link> {
        lock(&self.replacement).take()
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    pub(crate) fn has_exchanges(&self) -> bool {
        self.exchanging.is_some()
    }

    /// Where header fields of a call reach the server: which arguments travel in them.
    pub(crate) fn param_headers(&self) -> Option<&'static dyn ParamHeaders> {
        self.headers
    }

    /// Begins to close: no new calls; those in flight have `drain` to finish. A shorter limit later counts.
    pub(crate) fn begin_close(&self, drain: Duration) {
        {
            let mut core = self.step();
            core.connection.stop();
            // A subscription ends only when somebody ends it.
            core.connection.abandon_that(&is_subscription, &Failure::ClosedHere, Some("client closed"));
        }
        self.outbox_emptied.notify_waiters();
        self.set_state(State::Closing);
        self.go_on(&|course| {
            let shorter = course.closing.is_none_or(|limit| drain < limit);
            if shorter {
                course.closing = Some(drain);
            }
            shorter
        });
    }

    /// Waits until nothing of the session is left: link, process, tasks.
    pub(crate) fn closed(&self) -> Later<'static, ()> {
        reached(self.course.subscribe(), Course::is_over)
    }

    /// Waits until closing begins, or the link ends.
    pub(crate) fn closing(&self) -> Later<'static, ()> {
        reached(self.course.subscribe(), Course::is_ending)
    }

    /// Closes; what is returned waits for it. Cancel-safe: the close goes on.
    pub(crate) fn close(&self, drain: Duration) -> Later<'static, ()> {
        self.begin_close(drain);
        self.closed()
    }

    /// What the server said beside the protocol so far.
    pub(crate) fn diagnosis(&self) -> Option<String> {
        let text = (self.diagnosis.as_ref()?)();
        (!text.trim().is_empty()).then(|| text.trim_end().to_owned())
    }

    /// Tells whoever waits for the end of the last call.
    fn call_ended(&self) {
        if self.drains.load(Ordering::Acquire) {
            self.call_ended.notify_waiters();
        }
    }

    /// Why the link has ended, or its calls were given up; `None` as long as neither is so.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.course.borrow().given_up.clone()
    }

    fn give_up(&self, failure: &Failure) {
        self.go_on(&|course| {
            let first = course.given_up.is_none();
            if first {
                course.given_up = Some(failure.clone());
            }
            first
        });
    }

    /// Changes how far the session has come; `change` says whether it did.
    fn go_on(&self, change: &dyn Fn(&mut Course) -> bool) {
        self.course.send_if_modified(change);
    }

    /// The link is over: every open call ends with `failure`.
    fn end(&self, failure: &Failure) {
        self.step().connection.link_ended(failure.clone());
        self.give_up(failure);
        self.outbox_emptied.notify_waiters();
        self.end_feeds();
    }
}

fn not_declared() -> TransportError {
    let message =
        "the transport made a link with exchanges, but its `Connect::EXCHANGES` says that it makes none";
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, message)
}

fn is_subscription(method: &str) -> bool {
    method == "subscriptions/listen"
}

/// Nothing under the locks of a session panics half-way through a change.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
