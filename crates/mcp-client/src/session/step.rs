//! One step of the core at a time, and what comes of it.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, MutexGuard},
    time::Instant,
};

use mcp_protocol::connection::{Connection, Output};

use super::{Failure, Session, Slot, lock};

type Core = Connection<Arc<Slot>, Failure>;

/// What the one lock of a session guards. Under it no user code runs, nothing is encoded, nobody is woken.
pub(super) struct Guarded {
    pub(super) connection: Core,
    /// When the deadline loop wakes by itself.
    pub(super) armed: Option<Instant>,
    /// The write loop is to send the end of our direction once the outbox is empty.
    pub(super) send_close: bool,
    /// The write loop found nothing to send, and waits to be told.
    pub(super) writer_waits: bool,
}

/// What came of a step, for beyond the core.
#[derive(Default)]
pub(super) struct News {
    outputs: Vec<Output<Arc<Slot>, Failure>>,
    /// The write loop is to be told that there is something to send.
    wakes_writer: bool,
    /// The deadline loop would wake too late.
    moves_deadline: bool,
}

impl Session {
    pub(super) fn lock(&self) -> MutexGuard<'_, Guarded> {
        lock(&self.core)
    }

    /// Locks the core for one step.
    pub(super) fn step(&self) -> Step<'_> {
        Step { session: self, core: Some(self.lock()) }
    }

    /// As [`step`](Self::step), with the room of an earlier one: for what is done with each message. Gives the slot of a reader
    /// who keeps up, but is about to be overtaken.
    pub(super) fn with_room(&self, news: &mut News, act: impl FnOnce(&mut Guarded)) -> Option<Arc<Slot>> {
        let is_news = {
            let mut core = self.lock();
            act(&mut core);
            core.take_news(news)
        };
        if is_news { self.tell(news) } else { None }
    }

    /// Apart, as [`Guarded::collect`] is: most steps of callers lead to nothing, and should not carry the code for it through
    /// the caches.
    #[inline(never)]
    fn tell(&self, news: &mut News) -> Option<Arc<Slot>> {
        if std::mem::take(&mut news.wakes_writer) {
            self.outbox_filled.notify_one();
        }
        if std::mem::take(&mut news.moves_deadline) {
            self.deadline_moved.notify_one();
        }
        let mut filling = None;
        for output in news.outputs.drain(..) {
            filling = self.deliver(output).or(filling);
        }
        filling
    }
}

/// One step of the core: locked, until it is dropped; then what came of it is taken, and only after the lock is given back are
/// others woken and told. What a step returns is to be bound, so that it is not dropped under the lock.
pub(super) struct Step<'a> {
    session: &'a Session,
    core: Option<MutexGuard<'a, Guarded>>,
}

impl Deref for Step<'_> {
    type Target = Guarded;

    fn deref(&self) -> &Guarded {
        self.core.as_ref().expect("locked until it is dropped")
    }
}

impl DerefMut for Step<'_> {
    fn deref_mut(&mut self) -> &mut Guarded {
        self.core.as_mut().expect("locked until it is dropped")
    }
}

impl Drop for Step<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        let Some(mut core) = self.core.take() else { return };
        let mut news = News::default();
        let is_news = core.take_news(&mut news);
        drop(core);
        if is_news {
            self.session.tell(&mut news);
        }
    }
}

impl Guarded {
    pub(super) fn new(connection: Core) -> Self {
        Self { connection, armed: None, send_close: false, writer_waits: false }
    }

    /// Whether there is any.
    #[inline]
    fn take_news(&mut self, news: &mut News) -> bool {
        let is_news = self.connection.has_outputs() || self.wakes_writer() || self.moves_deadline();
        if is_news {
            self.collect(news);
        }
        is_news
    }

    #[inline(never)]
    fn collect(&mut self, news: &mut News) {
        self.connection.take_outputs(&mut news.outputs);
        news.wakes_writer = self.wakes_writer();
        news.moves_deadline = self.moves_deadline();
        if news.wakes_writer {
            self.writer_waits = false;
        }
    }

    fn wakes_writer(&self) -> bool {
        self.writer_waits && self.connection.has_outgoing()
    }

    fn moves_deadline(&self) -> bool {
        let next = self.connection.next_deadline();
        next.is_some_and(|next| self.armed.is_none_or(|armed| next < armed))
    }
}
