use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};

use mcp_protocol::connection::{CallId, Outgoing};
use mcp_transport::{
    BoxCloser, BoxReceiver, BoxSender, Delivery, Inbound, LinkParts, Outbound, Receiver, Sender,
    TransportError, TransportErrorKind,
};
use mcp_types::jsonrpc::JsonRpcMessage;
use tokio::task::JoinHandle;

use super::{
    Failure, Session,
    branch::Task,
    course::{Course, reached},
    step::News,
};
use crate::{
    state::State,
    task::{either, until, within},
};

type Reading<'a> = Pin<Box<dyn Future<Output = TransportError> + Send + 'a>>;

/// How long a failed write waits for the reading side, which often knows more: an exit status, last words.
const BETTER_REASON: Duration = Duration::from_secs(1);

/// How many messages are taken before their readers, and the writer, may run: far fewer than a reader's queue holds.
const CHUNK: usize = 250;

/// And how many requests: fewer than may be open at once.
const REQUESTS: usize = 100;

/// How long a call that got its reply while the session closes may take to go on to its next round.
const NEXT_ROUND: Duration = Duration::from_millis(50);

/// The I/O task of a session: three plain loops over one link, then the end of the link.
pub(super) async fn run(session: Arc<Session>, parts: LinkParts, mut worker: JoinHandle<()>) {
    // Also when the runtime ends, and this future is dropped wherever it stands.
    let _end = EndOnDrop(&session);
    let LinkParts { sender, receiver, closer, .. } = parts;
    // On the heap, so that each half can be dropped by itself.
    let mut read: Reading<'_> = Box::pin(read_loop(&session, receiver));
    let mut write: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(write_loop(&session, sender));
    let mut read_over = false;
    let failure = {
        let mut deadlines = pin!(deadline_loop(&session));
        let mut drained = pin!(drained(&session));
        let task = Task::default();
        let (reading, writing, timing, draining) =
            (task.branch(), task.branch(), task.branch(), task.branch());
        let first = poll_fn(|cx| {
            task.polled(cx);
            if let Poll::Ready(end) = reading.poll(read.as_mut()) {
                return Poll::Ready(First::Read(end));
            }
            if let Poll::Ready(end) = writing.poll(write.as_mut()) {
                return Poll::Ready(First::Write(end));
            }
            if timing.poll(deadlines.as_mut()).is_ready() || draining.poll(drained.as_mut()).is_ready() {
                return Poll::Ready(First::Closed);
            }
            Poll::Pending
        });
        match first.await {
            First::Read(end) => {
                read_over = true;
                Failure::Transport(end)
            }
            First::Write(error) => {
                let error = error.err().unwrap_or_else(peer_closed);
                let mut better = None;
                within(BETTER_REASON, pin!(async { better = Some(read.as_mut().await) })).await;
                read_over = better.is_some();
                Failure::Transport(better.unwrap_or(error))
            }
            First::Closed => Failure::ClosedHere,
        }
    };
    if matches!(failure, Failure::ClosedHere) {
        session.send_close();
        // A stuck send is dropped at the limit, and the sender with it. Reading goes on: a server that still writes
        // must not block on a full pipe.
        let flushed = async {
            let sent = pin!(async { drop(write.as_mut().await) });
            let ended = pin!(async {
                read.as_mut().await;
                read_over = true;
            });
            either(sent, ended).await;
        };
        within(session.limits.close, pin!(flushed)).await;
    }
    drop(write);
    session.end(&failure);
    session.end_tasks();
    session.set_state(State::Closing);
    close_link(closer, read, read_over, session.limits.close).await;
    session.mailbox.close();
    // Handlers may finish what they have; none is left after.
    if !within(session.limits.close, pin!(async { drop((&mut worker).await) })).await {
        worker.abort();
    }
    session.ended();
    session.set_state(State::Closed);
}

/// Without its I/O task a session is over: nothing may wait for it.
struct EndOnDrop<'a>(&'a Session);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end(&Failure::ClosedHere);
        self.0.end_tasks();
        self.0.mailbox.close();
        self.0.ended();
        self.0.set_state(State::Closed);
    }
}

/// Which part of the I/O task ended first.
enum First {
    Read(TransportError),
    Write(Result<(), TransportError>),
    Closed,
}

/// Ends what stands behind the link. Reading goes on meanwhile: a server that still writes must not block.
async fn close_link(closer: Option<BoxCloser>, read: Reading<'_>, read_over: bool, limit: Duration) {
    let mut read = pin!(async { drop(read.await) });
    let Some(closer) = closer else {
        if !read_over {
            within(limit, read).await;
        }
        return;
    };
    // Errors of a close have no taker: what could be ended was.
    let mut close = pin!(async { drop(closer.close().await) });
    if read_over || !either(close.as_mut(), read.as_mut()).await {
        close.await;
    }
}

/// Reads until the link ends, and says why it did.
async fn read_loop(session: &Session, mut receiver: BoxReceiver) -> TransportError {
    let mut inbound = Vec::new();
    let mut news = News::default();
    loop {
        let more = receiver.recv(&mut inbound).await;
        let mut entries = inbound.drain(..);
        while entries.len() > 0 {
            let count = chunk(entries.as_slice());
            if let Some(slot) = session.receive(&mut entries.by_ref().take(count), &mut news) {
                relieve(|| slot.is_filling()).await;
            } else if session.mailbox.is_filling() {
                relieve(|| session.mailbox.is_filling()).await;
            } else if entries.len() > 0 {
                // Replies to what was just read leave before more of them pile up.
                behind_the_woken().await;
            }
        }
        drop(entries);
        match more {
            Ok(true) => {}
            Ok(false) => return peer_closed(),
            Err(error) => return error,
        }
    }
}

/// How many of `entries` are taken together.
fn chunk(entries: &[Inbound]) -> usize {
    let mut requests = 0;
    let within = |entry: &&Inbound| {
        let is_request = matches!(
            entry,
            Inbound::Message { message: JsonRpcMessage::Request(_), .. } | Inbound::Batch { .. }
        );
        requests += usize::from(is_request);
        requests <= REQUESTS
    };
    entries.iter().take(CHUNK).take_while(within).count()
}

/// Lets a reader of reports catch up who kept up so far: gives way, for a bounded time. Once it has lost something it is
/// not waited for again.
async fn relieve(is_filling: impl Fn() -> bool) {
    for round in 0..100 {
        if !is_filling() {
            return;
        }
        if round < 8 {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Sends what is queued, as much at once as there is. Returns after the end of our direction was sent.
async fn write_loop(session: &Session, mut sender: BoxSender) -> Result<(), TransportError> {
    let mut taken = VecDeque::new();
    let mut batch = VecDeque::new();
    loop {
        let last = session.take_outbox(&mut taken);
        if taken.is_empty() && !last {
            session.outbox_filled.notified().await;
            // Callers that were woken together send together: one write for all of them.
            if session.completed_by_last_read.load(Ordering::Relaxed) >= 2 {
                behind_the_woken().await;
            }
            continue;
        }
        batch.extend(taken.drain(..).map(|entry| match entry {
            Outgoing::Message(message) => Outbound::from(message),
            Outgoing::Settled(revision) => Outbound::Settled(revision),
            Outgoing::Abandon(id) => Outbound::Abandon(id.into()),
        }));
        if last {
            batch.push_back(Outbound::Close);
        }
        let sent = sender.send(&mut batch).await;
        session.outbox_emptied.notify_waiters();
        if let Err(error) = sent {
            session.never_left(&batch);
            return Err(error);
        }
        if last {
            return Ok(());
        }
    }
}

/// Ends calls whose time is up. One timer a connection, armed for the earliest.
async fn deadline_loop(session: &Session) {
    loop {
        let next = {
            let mut core = session.step();
            core.armed = core.connection.next_deadline();
            core.armed
        };
        let moved = session.deadline_moved.notified();
        match next {
            Some(at) => {
                until(Some(at.into()), pin!(moved)).await;
                let now = tokio::time::Instant::now().into_std();
                session.step().connection.timeout(now);
            }
            None => moved.await,
        }
    }
}

/// Waits until the session is to be closed and its calls are over, or their time is.
async fn drained(session: &Session) {
    let mut course = session.course.subscribe();
    reached(session.course.subscribe(), Course::is_closing).await;
    let begun = tokio::time::Instant::now();
    session.drains.store(true, Ordering::Release);
    let mut waited = false;
    loop {
        let call_ended = session.call_ended.notified();
        let idle =
            || session.lock().connection.open_calls() == 0 && session.answering.load(Ordering::Acquire) == 0;
        if idle() {
            // A reply may ask for input, and be on its way to its caller.
            if waited && within(NEXT_ROUND, pin!(call_ended)).await {
                continue;
            }
            if idle() {
                break;
            }
            continue;
        }
        waited = true;
        let limit = course.borrow_and_update().closing.unwrap_or_default();
        let step = async {
            let changed = pin!(async { drop(course.changed().await) });
            either(pin!(call_ended), changed).await;
        };
        // A limit beyond the end of time is none.
        if !until(begun.checked_add(limit), pin!(step)).await {
            break;
        }
    }
    session.give_up(&Failure::ClosedHere);
    session.step().connection.abandon_that(&|_| true, &Failure::ClosedHere, Some("client closed"));
}

impl Session {
    /// Moves the outbox to `taken`; whether the end of our direction is to follow.
    fn take_outbox(&self, taken: &mut VecDeque<Outgoing>) -> bool {
        let mut core = self.lock();
        core.connection.take_outbox(taken);
        core.writer_waits = taken.is_empty() && !core.send_close;
        core.send_close
    }

    /// Nothing is left.
    fn ended(&self) {
        self.go_on(&|course| !std::mem::replace(&mut course.over, true));
    }

    fn send_close(&self) {
        let waits = {
            let mut core = self.lock();
            core.send_close = true;
            std::mem::take(&mut core.writer_waits)
        };
        if waits {
            self.outbox_filled.notify_one();
        }
    }

    fn never_left(&self, batch: &VecDeque<Outbound>) {
        let mut core = self.lock();
        for entry in batch {
            if let Outbound::Message(out) = entry
                && let JsonRpcMessage::Request(request) = &out.message
                && let Some(id) = request.id.as_i64()
            {
                core.connection.never_left(CallId(id));
            }
        }
    }
}

fn peer_closed() -> TransportError {
    TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent, "the server closed the connection")
}

/// Goes to the end of the queue of tasks that are ready. `yield_now` waits for the drivers too, which costs a system call.
async fn behind_the_woken() {
    let mut woken = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut woken, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
