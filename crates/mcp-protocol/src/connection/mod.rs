//! The state of one connection: two tables of open requests, one queue of what is to be sent.
//!
//! Inputs are method calls; what they lead to is read with [`Connection::poll_output`] (for the application) and
//! [`Connection::take_outbox`] (for the transport). Drain both after every input.

mod abandon;
mod clock;
mod incoming;
mod outgoing;
mod output;
mod places;
mod receive;
mod renewal;
#[cfg(test)]
mod tests;

use std::{collections::VecDeque, time::Instant};

use bytes::Bytes;
use mcp_types::{
    JsonRpcError, Revision,
    jsonrpc::{JsonRpcMessage, MethodName},
};
use serde_core::Serialize;

pub use clock::{Deadlines, Expired};
pub use incoming::ServeId;
pub use outgoing::{CancelMode, OutgoingCall};
pub use output::{
    CallId, Dropped, Event, NotRenewed, NotStarted, Origin, Outcome, Outgoing, Output, Refused, Started,
};

use incoming::Incoming;
use outgoing::{Pending, Table};
use renewal::{Renewal, Turn};

/// How requests travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binding {
    /// One channel that all messages share, as stdio: a request is cancelled by a notification.
    Pipe,
    /// One exchange a request, as Streamable HTTP: a request is cancelled by ending its exchange (in the legacy era,
    /// also by a notification).
    Exchanges,
}

/// One connection. `P` is what the caller keeps with each call, `F` how it describes that the link failed.
#[derive(Debug)]
pub struct Connection<P, F> {
    binding: Binding,
    revision: Option<Revision>,
    calls: Table<P>,
    serving: Incoming,
    /// What a lost session is started anew with.
    renewal: Option<Renewal<P, F>>,
    outbox: VecDeque<Outgoing>,
    outbox_bytes: usize,
    /// Of what waits for the next session, and is no call's.
    held_bytes: usize,
    outputs: VecDeque<Output<P, F>>,
    closing: bool,
    ended: Option<F>,
}

impl<P: Clone, F: Clone> Connection<P, F> {
    /// A connection over a fresh link; nothing is negotiated yet.
    pub fn new(binding: Binding) -> Self {
        Self {
            binding,
            revision: None,
            calls: Table::new(),
            serving: Incoming::default(),
            renewal: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            held_bytes: 0,
            outputs: VecDeque::new(),
            closing: false,
            ended: None,
        }
    }

    /// Sends a request. Over exchanges the message is returned, for the caller to run; over a pipe it is queued. Without a
    /// place, or a session, it waits for the next one, and goes out as [`Output::Exchange`] over exchanges.
    ///
    /// # Errors
    /// When the connection is closing or its link has ended; the payload comes back.
    pub fn call(
        &mut self,
        now: Instant,
        mut call: OutgoingCall,
        payload: P,
    ) -> Result<Started, NotStarted<P, F>> {
        if self.ended.is_some() || (self.closing && !call.continues) {
            return Err(self.refuse(payload));
        }
        let params = call.params.take();
        let method = call.method.clone();
        let (id, placed) = self.calls.insert(now, call, payload);
        if !placed || self.renewal.is_some() {
            return Ok(self.call_later(now, id, method, params, placed));
        }
        Ok(self.dispatch(id, JsonRpcMessage::request(id.0, method, params)))
    }

    fn dispatch(&mut self, id: CallId, message: JsonRpcMessage<Bytes>) -> Started {
        match self.binding {
            Binding::Pipe => {
                self.calls.queued(id);
                self.queue(message);
                Started { id, message: None }
            }
            Binding::Exchanges => {
                self.calls.left(id);
                Started { id, message: Some(message) }
            }
        }
    }

    /// As [`call`](Self::call), where it may have to wait, or to be sent again.
    #[inline(never)]
    fn call_later(
        &mut self,
        now: Instant,
        id: CallId,
        method: MethodName,
        params: Option<Bytes>,
        placed: bool,
    ) -> Started {
        if let Some(renewal) = &mut self.renewal {
            self.calls.keep(id, params.clone(), renewal.generation());
            if placed && !renewal.is_live() {
                self.calls.wait(id);
                renewal.wait(id);
                self.turn(Turn::Needed(now));
                return Started { id, message: None };
            }
        }
        if placed {
            return self.dispatch(id, JsonRpcMessage::request(id.0, method, params));
        }
        self.calls.places.wait(id, params);
        Started { id, message: None }
    }

    #[cold]
    fn refuse(&self, payload: P) -> NotStarted<P, F> {
        let why = self.ended.clone().map_or(Refused::Closing, Refused::Ended);
        NotStarted { why, payload }
    }

    /// Sends a notification. `false` when the link has ended.
    pub fn notify(&mut self, method: impl Into<MethodName>, params: Option<Bytes>) -> bool {
        if self.ended.is_some() {
            return false;
        }
        let message = JsonRpcMessage::notification(method, params);
        match &mut self.renewal {
            Some(renewal) if !renewal.is_live() => {
                self.held_bytes += weight(&message);
                renewal.hold(message);
            }
            _ => self.queue(message),
        }
        true
    }

    /// Ends the calls whose time is up. Call it at [`Self::next_deadline`].
    pub fn timeout(&mut self, now: Instant) {
        for (id, expired) in self.calls.expired(now) {
            let Some(pending) = self.calls.remove(id) else {
                continue;
            };
            let sent = self.is_sent(id, &pending);
            self.abandon(id, &pending, Some("deadline exceeded"));
            self.finish(id, pending, Outcome::Expired { limit: expired, sent });
        }
        self.fill_places();
        self.turn(Turn::Later(now));
    }

    /// When to call [`Self::timeout`]: never later than the next deadline, sometimes earlier.
    pub fn next_deadline(&self) -> Option<Instant> {
        let handshake = self.renewal.as_ref().and_then(Renewal::deadline);
        [self.calls.next_deadline(), handshake].into_iter().flatten().min()
    }

    /// Stops the clock of a call, as while a person answers. Pauses nest.
    pub fn pause(&mut self, now: Instant, id: CallId) {
        self.calls.pause(now, id);
    }

    /// Starts the clock of a call again, as much later as it stood still.
    pub fn resume(&mut self, now: Instant, id: CallId) {
        self.calls.resume(now, id);
    }

    /// Answers a request of the peer. `false` when it is no longer open: cancelled, answered, or the link has ended.
    pub fn respond(&mut self, id: ServeId, outcome: Result<Bytes, JsonRpcError>) -> bool {
        let Some(id) = self.serving.remove(id) else {
            return false;
        };
        self.reply(match outcome {
            Ok(result) => JsonRpcMessage::result(id, result),
            Err(error) => JsonRpcMessage::error(Some(id), encode(&error)),
        });
        true
    }

    /// Forgets a request of the peer without answering it.
    pub fn disregard(&mut self, id: ServeId) {
        self.serving.remove(id);
    }

    /// The revision is settled: from here on messages are of this revision.
    pub fn settle(&mut self, revision: Revision) {
        self.revision = Some(revision);
        self.outbox.push_back(Outgoing::Settled(revision));
    }

    /// The settled revision.
    pub fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// Refuses new calls from here on; those in flight go on.
    pub fn stop(&mut self) {
        self.closing = true;
    }

    /// Whether the request of a call may have left.
    pub fn has_left(&self, id: CallId) -> bool {
        self.calls.has_left(id) && self.calls.get(id).is_none_or(|pending| !pending.waits)
    }

    /// An exchange ended, or a request could not be delivered. If its call is still open, it ends with `failure`, or with
    /// [`Outcome::NoReply`].
    pub fn exchange_ended(&mut self, id: CallId, failure: Option<F>) {
        if self.renewal.as_ref().is_some_and(|renewal| renewal.is_handshake(id)) {
            return self.turn(Turn::Failed(failure.map_or(NotRenewed::NoReply, NotRenewed::Failed)));
        }
        if let Some(pending) = self.calls.remove(id) {
            let outcome = failure.map_or(Outcome::NoReply, |failure| Outcome::Lost { failure, sent: true });
            self.finish(id, pending, outcome);
            self.fill_places();
        }
    }

    /// The link ended. Every open call ends with `failure`; nothing can be sent any more.
    pub fn link_ended(&mut self, failure: F) {
        if self.ended.is_some() {
            return;
        }
        for (id, pending) in self.calls.drain() {
            let sent = self.is_sent(id, &pending);
            self.finish(id, pending, Outcome::Lost { failure: failure.clone(), sent });
        }
        self.forget_the_peers_requests();
        self.renewal = None;
        self.outbox.clear();
        self.outbox_bytes = 0;
        self.held_bytes = 0;
        self.ended = Some(failure);
    }

    /// Why the link has ended, if it has.
    pub fn failure(&self) -> Option<&F> {
        self.ended.as_ref()
    }

    /// Moves what is to be sent to the end of `batch`. From here on it may have left.
    pub fn take_outbox(&mut self, batch: &mut VecDeque<Outgoing>) {
        self.calls.all_left();
        self.serving.replies_left();
        self.outbox_bytes = 0;
        if batch.is_empty() {
            std::mem::swap(batch, &mut self.outbox);
        } else {
            batch.append(&mut self.outbox);
        }
    }

    /// About how many bytes of messages wait to be sent: in the outbox, for a place, or for a session.
    pub fn outbox_bytes(&self) -> usize {
        self.outbox_bytes + self.held_bytes + self.calls.places.bytes()
    }

    /// Whether [`Self::take_outbox`] would find anything.
    pub fn has_outgoing(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Says that the request `id` was taken from the outbox but never left.
    pub fn never_left(&mut self, id: CallId) {
        self.calls.wait(id);
    }

    /// What happened, for the application, in order.
    pub fn poll_output(&mut self) -> Option<Output<P, F>> {
        self.outputs.pop_front()
    }

    /// Whether [`poll_output`](Self::poll_output) would give anything.
    pub fn has_outputs(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Moves what [`poll_output`](Self::poll_output) would give to the end of `outputs`.
    pub fn take_outputs(&mut self, outputs: &mut Vec<Output<P, F>>) {
        outputs.extend(self.outputs.drain(..));
    }

    /// How many calls are open.
    pub fn open_calls(&self) -> usize {
        self.calls.len()
    }

    /// Whether this request, a call's or a handshake's, is still to be answered.
    pub fn is_open(&self, id: CallId) -> bool {
        self.calls.get(id).is_some() || self.renewal.as_ref().is_some_and(|renewal| renewal.is_handshake(id))
    }

    /// What the caller keeps with an open call.
    pub fn payload(&self, id: CallId) -> Option<&P> {
        self.calls.get(id).map(|pending| &pending.payload)
    }

    /// The method of an open call.
    pub fn method(&self, id: CallId) -> Option<&MethodName> {
        self.calls.get(id).map(|pending| &pending.method)
    }

    /// The open calls whose method is one that `wanted` says, oldest first.
    pub fn calls_that(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<CallId> {
        self.calls.that(wanted)
    }

    #[inline(never)]
    fn queue(&mut self, message: JsonRpcMessage<Bytes>) {
        self.outbox_bytes += weight(&message);
        self.outbox.push_back(Outgoing::Message(message));
    }

    /// Gives something out. In one place: an output is large, and there are many kinds.
    #[inline(never)]
    fn give(&mut self, output: Output<P, F>) {
        self.outputs.push_back(output);
    }

    #[inline(never)]
    fn finish(&mut self, id: CallId, pending: Pending<P>, outcome: Outcome<F>) {
        self.give(Output::Finished { id, payload: pending.payload, outcome });
    }

    fn forget_the_peers_requests(&mut self) {
        for id in self.serving.drain() {
            self.give(Output::Event(Event::RequestCancelled { id }));
        }
    }

    /// Whether the peer may have the request of a call that was just taken out.
    fn is_sent(&self, id: CallId, pending: &Pending<P>) -> bool {
        self.calls.has_left(id) && !pending.waits
    }

    fn reply(&mut self, message: JsonRpcMessage<Bytes>) {
        if self.ended.is_none() {
            self.serving.reply_queued();
            self.queue(message);
        }
    }
}

/// The memory that a queued message takes, about.
fn weight(message: &JsonRpcMessage<Bytes>) -> usize {
    params_weight(message.body())
}

fn params_weight(params: Option<&Bytes>) -> usize {
    const ENVELOPE: usize = 128;
    ENVELOPE + params.map_or(0, Bytes::len)
}

fn encode(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("strings and numbers can be written").into()
}
