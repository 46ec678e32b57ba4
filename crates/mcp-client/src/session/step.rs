//! One step of the core at a time, and what comes of it.

use std::{
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

    /// One step of the core: locks, acts, takes what came of it, unlocks, and only then wakes and delivers.
    pub(super) fn with<R>(&self, act: impl FnOnce(&mut Guarded) -> R) -> R {
        let mut news = News::default();
        let (result, is_news) = {
            let mut core = self.lock();
            let result = act(&mut core);
            (result, core.take_news(&mut news))
        };
        if is_news {
            self.tell(&mut news);
        }
        result
    }

    /// As [`with`](Self::with), with the room of an earlier step. Gives the slot of a reader who keeps up, but is about to be
    /// overtaken.
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
