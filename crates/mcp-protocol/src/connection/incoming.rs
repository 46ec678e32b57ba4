use mcp_types::RequestId;

/// A request of the peer that we serve. Ours alone: the peer's ids are its own, and need not be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServeId(u64);

/// The open requests of the peer.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// Oldest first; few.
    open: Vec<(ServeId, RequestId)>,
    next: u64,
    replies_queued: usize,
}

/// What to do with one more request.
pub(super) enum Admission {
    Serve(ServeId),
    /// Too many are open: say so.
    Refuse,
    /// Even the refusals pile up: the peer does not read.
    Drop,
}

impl Incoming {
    /// Open requests beyond these are answered with an error.
    pub(super) const MAX_OPEN: usize = 128;
    /// Requests are dropped while more replies than these wait to be sent.
    pub(super) const MAX_REPLIES: usize = 1024;

    pub(super) fn admit(&mut self, id: RequestId) -> Admission {
        if self.replies_queued >= Self::MAX_REPLIES {
            Admission::Drop
        } else if self.open.len() >= Self::MAX_OPEN {
            Admission::Refuse
        } else {
            let key = ServeId(self.next);
            self.next += 1;
            self.open.push((key, id));
            Admission::Serve(key)
        }
    }

    /// Whether a reply that needs no serving may be queued.
    pub(super) fn may_reply(&self) -> bool {
        self.replies_queued < Self::MAX_REPLIES
    }

    pub(super) fn remove(&mut self, id: ServeId) -> Option<RequestId> {
        let at = self.open.iter().position(|(key, _)| *key == id)?;
        Some(self.open.remove(at).1)
    }

    /// Takes the oldest open request with the peer's id `id` out.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<ServeId> {
        let at = self.open.iter().position(|(_, open)| open == id)?;
        Some(self.open.remove(at).0)
    }

    pub(super) fn drain(&mut self) -> Vec<ServeId> {
        self.open.drain(..).map(|(key, _)| key).collect()
    }

    pub(super) fn reply_queued(&mut self) {
        self.replies_queued += 1;
    }

    pub(super) fn replies_left(&mut self) {
        self.replies_queued = 0;
    }

    /// One of them will never leave.
    pub(super) fn reply_dropped(&mut self) {
        self.replies_queued = self.replies_queued.saturating_sub(1);
    }
}
