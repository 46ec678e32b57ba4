//! How many requests may be open at once.

use std::collections::VecDeque;

use bytes::Bytes;
use mcp_types::jsonrpc::JsonRpcMessage;

use super::{Binding, CallId, Connection, Output, renewal::Renewal, weight};

/// The places of open requests, and what waits for one.
#[derive(Debug)]
pub(super) struct Places {
    limit: usize,
    taken: usize,
    /// Oldest first, which is in the order of their ids.
    waiting: VecDeque<Waiting>,
    /// How many in `waiting` were taken back.
    gone: usize,
}

#[derive(Debug)]
struct Waiting {
    id: CallId,
    /// `None` once it was taken back.
    message: Option<JsonRpcMessage<Bytes>>,
}

impl Default for Places {
    fn default() -> Self {
        Self { limit: usize::MAX, taken: 0, waiting: VecDeque::new(), gone: 0 }
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

    /// Keeps the request of the newest call until there is a place.
    pub(super) fn wait(&mut self, id: CallId, message: JsonRpcMessage<Bytes>) {
        self.waiting.push_back(Waiting { id, message: Some(message) });
    }

    /// Takes back what [`wait`](Self::wait) keeps.
    pub(super) fn take_back(&mut self, id: CallId) -> Option<JsonRpcMessage<Bytes>> {
        let at = self.waiting.binary_search_by_key(&id, |waiting| waiting.id).ok()?;
        let message = self.waiting[at].message.take()?;
        self.gone += 1;
        // What is gone is swept out now and then, so that it neither piles up nor costs a shift each.
        if self.gone > self.waiting.len() / 2 {
            self.waiting.retain(|waiting| waiting.message.is_some());
            self.gone = 0;
        }
        Some(message)
    }

    /// Takes back all that waits, oldest first.
    pub(super) fn take_all_back(&mut self) -> impl Iterator<Item = (CallId, JsonRpcMessage<Bytes>)> + use<> {
        self.gone = 0;
        let all = std::mem::take(&mut self.waiting).into_iter();
        all.filter_map(|waiting| Some((waiting.id, waiting.message?)))
    }

    /// Takes a place for the oldest that waits.
    fn next(&mut self) -> Option<(CallId, JsonRpcMessage<Bytes>)> {
        if self.taken >= self.limit {
            return None;
        }
        loop {
            let waiting = self.waiting.pop_front()?;
            if let Some(message) = waiting.message {
                self.taken += 1;
                return Some((waiting.id, message));
            }
            self.gone -= 1;
        }
    }

    /// Every call is over.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.gone = 0;
        self.taken = 0;
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
        while let Some((id, message)) = self.calls.places.next() {
            let Some(pending) = self.calls.get_mut(id) else { continue };
            pending.placed = true;
            if self.binding == Binding::Pipe {
                self.calls.queued_late(id);
                self.held_bytes -= weight(&message);
                self.queue(message);
                continue;
            }
            self.held_bytes -= weight(&message);
            match &mut self.renewal {
                Some(renewal) if !renewal.is_live() => renewal.wait(id),
                renewal => {
                    pending.waits = false;
                    let generation = renewal.as_ref().map_or(0, Renewal::generation);
                    if let Some(kept) = &mut pending.kept {
                        kept.generation = generation;
                    }
                    let payload = pending.payload.clone();
                    self.calls.left(id);
                    self.outputs.push_back(Output::Exchange { id, payload, message });
                }
            }
        }
    }
}
