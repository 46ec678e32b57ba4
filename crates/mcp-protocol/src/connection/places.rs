//! How many requests may be open at once.

use std::collections::VecDeque;

use bytes::Bytes;
use mcp_types::jsonrpc::JsonRpcMessage;

use super::{Binding, CallId, Connection, Output, params_weight as weight, renewal::Renewal};

/// The places of open requests, and what waits for one.
#[derive(Debug)]
pub(super) struct Places {
    limit: usize,
    taken: usize,
    /// Oldest first, which is in the order of their ids.
    waiting: VecDeque<Waiting>,
    /// How many in `waiting` were taken back.
    gone: usize,
    bytes: usize,
}

/// A request that waits, less what its call has of it. Small: there may be many.
#[derive(Debug)]
struct Waiting {
    id: CallId,
    params: Option<Bytes>,
    /// It was taken back.
    is_gone: bool,
}

impl Default for Places {
    fn default() -> Self {
        Self { limit: usize::MAX, taken: 0, waiting: VecDeque::new(), gone: 0, bytes: 0 }
    }
}

impl Places {
    /// Takes a place. `false` when there is none.
    pub(super) fn take(&mut self) -> bool {
        let free = self.taken < self.limit;
        self.taken += usize::from(free);
        free
    }

    pub(super) fn leave(&mut self) {
        self.taken -= 1;
    }

    /// Keeps the params of the newest call until there is a place.
    pub(super) fn wait(&mut self, id: CallId, params: Option<Bytes>) {
        self.bytes += weight(params.as_ref());
        self.waiting.push_back(Waiting { id, params, is_gone: false });
    }

    /// Of what waits, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes back what [`wait`](Self::wait) keeps. `false` when it does not wait here.
    pub(super) fn take_back(&mut self, id: CallId) -> bool {
        let Ok(at) = self.waiting.binary_search_by_key(&id, |waiting| waiting.id) else { return false };
        let waiting = &mut self.waiting[at];
        if std::mem::replace(&mut waiting.is_gone, true) {
            return false;
        }
        self.bytes -= weight(waiting.params.take().as_ref());
        self.gone += 1;
        // What is gone is swept out now and then, so that it neither piles up nor costs a shift each.
        if self.gone > self.waiting.len() / 2 {
            self.waiting.retain(|waiting| !waiting.is_gone);
            self.gone = 0;
        }
        true
    }

    /// Takes back all that waits, oldest first.
    pub(super) fn take_all_back(&mut self) -> Vec<CallId> {
        (self.gone, self.bytes) = (0, 0);
        self.waiting.drain(..).filter(|waiting| !waiting.is_gone).map(|waiting| waiting.id).collect()
    }

    /// The oldest that waits, if there is a place.
    fn next(&mut self) -> Option<(CallId, Option<Bytes>)> {
        if self.taken >= self.limit {
            return None;
        }
        loop {
            let waiting = self.waiting.pop_front()?;
            if !waiting.is_gone {
                self.bytes -= weight(waiting.params.as_ref());
                return Some((waiting.id, waiting.params));
            }
            self.gone -= 1;
        }
    }

    /// Every call is over.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        (self.gone, self.bytes, self.taken) = (0, 0, 0);
    }
}

impl<P: Clone, F: Clone> Connection<P, F> {
    /// At most so many requests are open at once from here on, but for those that are exempt: further ones wait for a place,
    /// and their clocks run. Without this, there is no limit.
    pub fn limit_open_calls(&mut self, limit: usize) {
        self.calls.places.limit = limit;
    }

    /// Sends what waits for a place, as far as there are places. To be called after every change that may have freed one.
    pub(super) fn fill_places(&mut self) {
        while let Some((id, params)) = self.calls.places.next() {
            let Some(pending) = self.calls.get_mut(id) else { continue };
            pending.placed = true;
            let message = JsonRpcMessage::request(id.0, pending.method.clone(), params);
            let payload = (self.binding == Binding::Exchanges).then(|| pending.payload.clone());
            self.calls.places.taken += 1;
            let Some(payload) = payload else {
                self.calls.queued_late(id);
                self.queue(message);
                continue;
            };
            match &mut self.renewal {
                Some(renewal) if !renewal.is_live() => renewal.wait(id),
                renewal => {
                    self.calls.leaves(id, renewal.as_ref().map_or(0, Renewal::generation));
                    self.give(Output::Exchange { id, payload, message });
                }
            }
        }
    }
}
