use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
    time::Instant,
};

use bytes::Bytes;
use mcp_types::{ProgressToken, jsonrpc::MethodName};

use super::{CallId, Deadlines, Expired, clock::Clock, places::Places};

/// A request to send.
#[derive(Debug, Clone)]
pub struct OutgoingCall {
    /// The method.
    pub method: MethodName,
    /// Raw params, complete.
    pub params: Option<Bytes>,
    /// The progress token that stands in `params`, if any; unique among open calls.
    pub progress_token: Option<i64>,
    /// How long it may take.
    pub deadlines: Deadlines,
    /// How the peer learns that it was given up.
    pub cancel: CancelMode,
    /// A further request of a call that was begun before: it goes out also after
    /// [`Connection::stop`](super::Connection::stop), and takes no place of its own.
    pub continues: bool,
    /// It takes no place among the requests that may be open: see
    /// [`Connection::limit_open_calls`](super::Connection::limit_open_calls).
    pub exempt: bool,
}

/// How the peer learns that a call was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelMode {
    /// In the way of era and binding.
    Notify,
    /// Not at all: `initialize` must not be cancelled, an abandoned probe sends nothing.
    Silent,
}

/// The open calls.
#[derive(Debug)]
pub(super) struct Table<P> {
    pending: HashMap<i64, Pending<P>, Numbers>,
    tokens: HashMap<i64, i64, Numbers>,
    last: i64,
    /// Requests leave in the order of their ids, so one number tells which have: but for those that wait.
    left_through: i64,
    /// The last one that was put into the outbox.
    queued_through: i64,
    /// Those in the outbox that waited until later ones had left.
    overtaken: Vec<CallId>,
    pub(super) places: Places,
    /// Not later than the first deadline.
    wake_at: Option<Instant>,
}

/// Both keys are numbers that we count up ourselves: a peer cannot choose them, so one multiplication spreads them well.
type Numbers = BuildHasherDefault<Spread>;

#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(u64::from_ne_bytes(number.to_ne_bytes()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[derive(Debug)]
pub(super) struct Pending<P> {
    pub(super) payload: P,
    pub(super) method: MethodName,
    pub(super) cancel: CancelMode,
    /// As long as the request may have to be sent again: where sessions are renewed, until the peer takes it.
    pub(super) kept: Option<Kept>,
    pub(super) word: Word,
    /// The peer does not have it, whatever left after it: it waits for a place or for the next session, was overtaken while it
    /// did, or the link failed before it.
    pub(super) waits: bool,
    /// It takes a place.
    pub(super) placed: bool,
    token: Option<i64>,
    clock: Clock,
}

/// What the peer said of a request so far, over exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    None,
    /// It refused it once, because it had lost the session.
    Refused,
    /// It took it.
    Taken,
}

/// What a reply is to.
pub(super) enum Answered<P> {
    /// An open call, which is over now.
    Call(Pending<P>),
    /// One that was over before.
    Late,
    /// None that the peer can have.
    Foreign,
}

/// A request that may have to be sent again.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) params: Option<Bytes>,
    /// The session that it was sent in last.
    pub(super) generation: u64,
}

impl<P> Table<P> {
    pub(super) fn new() -> Self {
        Self {
            pending: HashMap::default(),
            tokens: HashMap::default(),
            last: 0,
            left_through: 0,
            queued_through: 0,
            overtaken: Vec::new(),
            places: Places::default(),
            wake_at: None,
        }
    }

    /// Also whether it may go out: otherwise it waits for a place.
    pub(super) fn insert(&mut self, now: Instant, call: OutgoingCall, payload: P) -> (CallId, bool) {
        self.last += 1;
        let exempt = call.exempt || call.continues;
        let placed = !exempt && self.places.take();
        let waits = !exempt && !placed;
        let clock = Clock::start(now, call.deadlines);
        self.wake_by(clock.due());
        if let Some(token) = call.progress_token {
            self.tokens.insert(token, self.last);
        }
        // Whoever sends it: `initialize` must not be cancelled.
        let cancel = if call.method == "initialize" { CancelMode::Silent } else { call.cancel };
        let pending = Pending {
            payload,
            method: call.method,
            cancel,
            kept: None,
            word: Word::None,
            waits,
            placed,
            token: call.progress_token,
            clock,
        };
        self.pending.insert(self.last, pending);
        (CallId(self.last), !waits)
    }

    /// An id for a request that is in no table.
    pub(super) fn reserve(&mut self) -> CallId {
        self.last += 1;
        let id = CallId(self.last);
        self.left(id);
        id
    }

    pub(super) fn get(&self, id: CallId) -> Option<&Pending<P>> {
        self.pending.get(&id.0)
    }

    /// Sees to it that the request `id` can be sent again.
    pub(super) fn keep(&mut self, id: CallId, params: Option<Bytes>, generation: u64) {
        if let Some(pending) = self.get_mut(id) {
            pending.kept = Some(Kept { params, generation });
        }
    }

    /// Makes `id` wait.
    pub(super) fn wait(&mut self, id: CallId) {
        if let Some(pending) = self.get_mut(id) {
            pending.waits = true;
        }
    }

    /// The open calls whose request the peer took, oldest first.
    pub(super) fn accepted(&self) -> Vec<CallId> {
        self.pick(&mut |pending| pending.word == Word::Taken)
    }

    /// The open calls that are `wanted`, oldest first.
    fn pick(&self, wanted: &mut dyn FnMut(&Pending<P>) -> bool) -> Vec<CallId> {
        let mut ids = Vec::new();
        for (id, pending) in &self.pending {
            if wanted(pending) {
                ids.push(*id);
            }
        }
        in_order(ids)
    }

    pub(super) fn get_mut(&mut self, id: CallId) -> Option<&mut Pending<P>> {
        self.pending.get_mut(&id.0)
    }

    pub(super) fn remove(&mut self, id: CallId) -> Option<Pending<P>> {
        let pending = self.pending.remove(&id.0)?;
        self.removed(&pending);
        Some(pending)
    }

    /// Takes the call out that a reply to `id` is for.
    pub(super) fn answered(&mut self, id: CallId) -> Answered<P> {
        // What has not left cannot have been answered.
        if !self.was_issued(id) || !self.has_left(id) {
            return Answered::Foreign;
        }
        let pending = match self.pending.entry(id.0) {
            Entry::Vacant(_) => return Answered::Late,
            Entry::Occupied(entry) if entry.get().waits => return Answered::Foreign,
            Entry::Occupied(entry) => entry.remove(),
        };
        self.removed(&pending);
        Answered::Call(pending)
    }

    fn removed(&mut self, pending: &Pending<P>) {
        if let Some(token) = pending.token {
            self.tokens.remove(&token);
        }
        if pending.placed {
            self.places.leave();
        }
    }

    /// Takes every call out, oldest first.
    pub(super) fn drain(&mut self) -> Vec<(CallId, Pending<P>)> {
        self.tokens.clear();
        self.places.clear();
        self.wake_at = None;
        let mut all = Vec::with_capacity(self.pending.len());
        for id in self.pick(&mut |_| true) {
            all.extend(self.pending.remove(&id.0).map(|pending| (id, pending)));
        }
        all
    }

    pub(super) fn that(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<CallId> {
        self.pick(&mut |pending| wanted(&pending.method))
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// The open call that `token` belongs to.
    pub(super) fn of_token(&self, token: &ProgressToken) -> Option<CallId> {
        self.tokens.get(&token.answers_to()?).copied().map(CallId)
    }

    /// The open call `id`; its idle limit is extended if it asked for that.
    pub(super) fn progress(&mut self, now: Instant, id: CallId) -> Option<&Pending<P>> {
        let pending = self.pending.get_mut(&id.0)?;
        pending.clock.progress(now);
        Some(pending)
    }

    /// The open subscription `id`, if it is one.
    pub(super) fn subscription(&self, id: CallId) -> Option<&Pending<P>> {
        self.get(id).filter(|pending| pending.method == "subscriptions/listen")
    }

    /// Takes the limits off a call: it may last as long as it likes.
    pub(super) fn lift_deadlines(&mut self, id: CallId) {
        if let Some(pending) = self.pending.get_mut(&id.0) {
            pending.clock = Clock::unlimited();
        }
    }

    pub(super) fn pause(&mut self, now: Instant, id: CallId) {
        if let Some(pending) = self.pending.get_mut(&id.0) {
            pending.clock.pause(now);
        }
    }

    pub(super) fn resume(&mut self, now: Instant, id: CallId) {
        if let Some(pending) = self.pending.get_mut(&id.0) {
            pending.clock.resume(now);
            let due = pending.clock.due();
            self.wake_by(due);
        }
    }

    /// The calls whose time is up, oldest first. Costs a scan of the open calls only when the bound is reached.
    pub(super) fn expired(&mut self, now: Instant) -> Vec<(CallId, Expired)> {
        if self.wake_at.is_none_or(|at| at > now) {
            return Vec::new();
        }
        let mut next: Option<Instant> = None;
        let ids = self.pick(&mut |pending| {
            let expired = pending.clock.expired(now).is_some();
            if !expired {
                next = earlier(next, pending.clock.due());
            }
            expired
        });
        self.wake_at = next;
        let mut expired = Vec::with_capacity(ids.len());
        for id in ids {
            expired
                .extend(self.get(id).and_then(|pending| pending.clock.expired(now)).map(|limit| (id, limit)));
        }
        expired
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.wake_at
    }

    /// It has left, and so has every earlier one that does not wait.
    pub(super) fn left(&mut self, id: CallId) {
        self.left_through = self.left_through.max(id.0);
    }

    /// After it waited, it goes out in this session.
    pub(super) fn leaves(&mut self, id: CallId, generation: u64) {
        if let Some(pending) = self.get_mut(id) {
            pending.waits = false;
            if let Some(kept) = &mut pending.kept {
                kept.generation = generation;
            }
        }
        self.left(id);
    }

    /// All that is in the outbox has left.
    pub(super) fn all_left(&mut self) {
        self.left_through = self.left_through.max(self.queued_through);
        for id in self.overtaken.drain(..) {
            if let Some(pending) = self.pending.get_mut(&id.0) {
                pending.waits = false;
            }
        }
    }

    /// It is in the outbox.
    pub(super) fn queued(&mut self, id: CallId) {
        self.queued_through = self.queued_through.max(id.0);
    }

    /// As [`queued`](Self::queued), after it waited.
    pub(super) fn queued_late(&mut self, id: CallId) {
        self.queued(id);
        let overtaken = self.has_left(id);
        if let Some(pending) = self.get_mut(id) {
            pending.waits = overtaken;
        }
        if overtaken {
            self.overtaken.push(id);
        }
    }

    pub(super) fn has_left(&self, id: CallId) -> bool {
        id.0 <= self.left_through
    }

    pub(super) fn was_issued(&self, id: CallId) -> bool {
        (1..=self.last).contains(&id.0)
    }

    fn wake_by(&mut self, due: Option<Instant>) {
        self.wake_at = earlier(self.wake_at, due);
    }
}

/// Not of the table, so that it is compiled once.
fn in_order(mut ids: Vec<i64>) -> Vec<CallId> {
    ids.sort_unstable();
    ids.into_iter().map(CallId).collect()
}

fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
