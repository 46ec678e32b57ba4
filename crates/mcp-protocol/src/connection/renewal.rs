//! A session that the peer lost, and the one that is started in its place. Of the legacy era, over exchanges.
//!
//! One handshake is shared by all who need it. A request that the peer refused because it does not know the session goes
//! out once more in the next one; so does what was held meanwhile. What the peer had taken is never repeated: it may have
//! been executed, and its answer would come in a session that is gone.
//!
//! Section: [Session Management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management), 4.

use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_types::{
    ProtocolVersion, Revision,
    jsonrpc::{JsonRpcMessage, scan},
    read,
};

use super::{
    CallId, Connection, Dropped, Event, NotRenewed, Outcome, Outgoing, Output, outgoing::Word, weight,
};

/// What a session is started anew with, and where that stands.
#[derive(Debug)]
pub(super) struct Renewal<P, F> {
    /// [`Connection::take_turn`]. Reached by way of this alone: where no session can be lost, a program does not carry it.
    take_turn: fn(&mut Connection<P, F>, Turn<F>),
    /// The params of `initialize`, as they were sent the first time.
    handshake: Bytes,
    /// How long it may take.
    limit: Duration,
    /// How many sessions there were before this one.
    generation: u64,
    stage: Stage,
    /// Calls that wait for the next session, oldest first. Some of them may be over.
    waiting: Vec<CallId>,
    held: Vec<Held>,
    /// Notifications that went out a second time in this session.
    repeated: Vec<JsonRpcMessage<Bytes>>,
}

/// What goes on in a renewal.
pub(super) enum Turn<F> {
    /// A call needs a session, and there is none.
    Needed(Instant),
    /// The handshake is answered.
    Answered(CallId, Result<Bytes, Bytes>),
    /// The handshake came to nothing.
    Failed(NotRenewed<F>),
    /// It is this late.
    Later(Instant),
}

#[derive(Debug)]
enum Stage {
    Live,
    /// The handshake with this id is under way.
    Renewing {
        id: CallId,
        until: Option<Instant>,
    },
    /// There is no session, and the last handshake failed. The next call begins another one.
    Lost,
}

/// A notification that waits for the next session.
#[derive(Debug)]
struct Held {
    message: JsonRpcMessage<Bytes>,
    /// The peer refused it before.
    refused: bool,
}

impl<P, F> Renewal<P, F> {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.stage, Stage::Live)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Renewing { until, .. } => until,
            _ => None,
        }
    }

    pub(super) fn is_handshake(&self, call: CallId) -> bool {
        matches!(self.stage, Stage::Renewing { id, .. } if id == call)
    }

    pub(super) fn wait(&mut self, id: CallId) {
        self.waiting.push(id);
    }

    pub(super) fn hold(&mut self, message: JsonRpcMessage<Bytes>) {
        self.held.push(Held { message, refused: false });
    }
}

impl<P: Clone, F: Clone> Connection<P, F> {
    /// From here on a session that the peer lost is started anew: `handshake` are the params of `initialize`, as they
    /// were sent, and `limit` is how long that may take.
    pub fn keep_handshake(&mut self, handshake: Bytes, limit: Duration) {
        self.renewal = Some(Renewal {
            take_turn: Self::take_turn,
            handshake,
            limit,
            generation: 0,
            stage: Stage::Live,
            waiting: Vec::new(),
            held: Vec::new(),
            repeated: Vec::new(),
        });
    }

    /// How many times a lost session was started anew.
    pub fn generation(&self) -> u64 {
        self.renewal.as_ref().map_or(0, Renewal::generation)
    }

    /// Goes on with the renewal, where sessions are renewed.
    pub(super) fn turn(&mut self, turn: Turn<F>) {
        if let Some(renewal) = &self.renewal {
            (renewal.take_turn)(self, turn);
        }
    }

    fn take_turn(&mut self, turn: Turn<F>) {
        match turn {
            Turn::Needed(now) => self.renew(now, None),
            Turn::Answered(id, outcome) => self.handshake_answered(id, outcome),
            Turn::Failed(why) => self.not_renewed(&why),
            Turn::Later(now) => self.expire_handshake(now),
        }
    }

    /// The peer took the request of this call: its response headers came. It will not be repeated.
    pub fn accepted(&mut self, id: CallId) {
        if let Some(pending) = self.calls.get_mut(id) {
            pending.word = Word::Taken;
            pending.kept = None;
        }
    }

    /// Begins the handshake of the next session, unless one is under way. `failure`: why the present one is lost.
    fn renew(&mut self, now: Instant, failure: Option<F>) {
        let Some(renewal) = &mut self.renewal else { return };
        if let Stage::Renewing { .. } = renewal.stage {
            return;
        }
        let id = self.calls.reserve();
        renewal.stage = Stage::Renewing { id, until: now.checked_add(renewal.limit) };
        let message = JsonRpcMessage::request(id.0, "initialize", Some(renewal.handshake.clone()));
        self.give(Output::Event(Event::SessionLost));
        self.give(Output::Handshake { id, message });
        self.forget_the_peers_requests();
        self.hold_outbox();
        // Their streams are of the old session: they may never say another word.
        let Some(failure) = failure else { return };
        for id in self.calls.accepted() {
            if let Some(pending) = self.calls.remove(id) {
                self.give(Output::Abandon(id));
                self.finish(id, pending, Outcome::Orphaned(failure.clone()));
            }
        }
        self.fill_places();
    }

    /// What waits to be sent: notifications are for the next session too. Replies and cancellations are of the one that is
    /// gone.
    fn hold_outbox(&mut self) {
        let Some(renewal) = &mut self.renewal else { return };
        for entry in std::mem::take(&mut self.outbox) {
            match entry {
                Outgoing::Message(JsonRpcMessage::Notification(note))
                    if note.method != "notifications/cancelled" =>
                {
                    let message = JsonRpcMessage::Notification(note);
                    self.outbox_bytes -= weight(&message);
                    self.held_bytes += weight(&message);
                    renewal.hold(message);
                }
                Outgoing::Message(message) => {
                    if matches!(message, JsonRpcMessage::Response(_)) {
                        self.serving.reply_dropped();
                    }
                    self.outbox_bytes -= weight(&message);
                }
                other => self.outbox.push_back(other),
            }
        }
    }

    /// The handshake is answered.
    fn handshake_answered(&mut self, id: CallId, outcome: Result<Bytes, Bytes>) {
        let why = match outcome {
            Ok(result) => match revision_of(&result) {
                Ok(revision) if Some(revision) == self.revision => return self.renewed(id),
                Ok(revision) => NotRenewed::Revision(Some(revision.into())),
                Err(version) => NotRenewed::Revision(version),
            },
            Err(error) => NotRenewed::Refused(error),
        };
        self.give(Output::Abandon(id));
        self.not_renewed(&why);
    }

    fn renewed(&mut self, handshake: CallId) {
        let Some(renewal) = &mut self.renewal else { return };
        renewal.stage = Stage::Live;
        renewal.generation += 1;
        let waiting = std::mem::take(&mut renewal.waiting);
        let held = std::mem::take(&mut renewal.held);
        renewal.repeated = held.iter().filter(|held| held.refused).map(|held| held.message.clone()).collect();
        self.queue(JsonRpcMessage::notification("notifications/initialized", None));
        for held in held {
            self.held_bytes -= weight(&held.message);
            self.queue(held.message);
        }
        self.give(Output::Event(Event::SessionRenewed { handshake }));
        for id in waiting {
            self.repeat(id);
        }
    }

    /// There is no next session: whoever waits for it fails.
    fn not_renewed(&mut self, why: &NotRenewed<F>) {
        let Some(renewal) = &mut self.renewal else { return };
        renewal.stage = Stage::Lost;
        let mut waiting = std::mem::take(&mut renewal.waiting);
        for held in std::mem::take(&mut renewal.held) {
            self.held_bytes -= weight(&held.message);
            if let JsonRpcMessage::Notification(note) = held.message {
                self.give(Output::Event(Event::Dropped(Dropped::Notification(note.method))));
            }
        }
        waiting.extend(self.calls.places.take_all_back());
        for id in waiting {
            if let Some(pending) = self.calls.remove(id) {
                self.finish(id, pending, Outcome::NotRenewed(why.clone()));
            }
        }
    }

    /// The time of the handshake is up.
    fn expire_handshake(&mut self, now: Instant) {
        let Some(renewal) = &self.renewal else { return };
        if let Stage::Renewing { id, until: Some(until) } = renewal.stage
            && until <= now
        {
            let limit = renewal.limit;
            self.give(Output::Abandon(id));
            self.not_renewed(&NotRenewed::Expired(limit));
        }
    }
}

impl<P: Clone, F: Clone> Connection<P, F> {
    /// The peer does not know the session any more. It said so to the request of `call`, or to something that belongs to
    /// no call.
    ///
    /// A request that was refused is sent again in the next session: once. One that the peer had taken ends with
    /// `failure`.
    pub fn session_lost(&mut self, now: Instant, call: Option<CallId>, failure: F) {
        let Some(renewal) = &mut self.renewal else {
            if let Some(id) = call {
                self.exchange_ended(id, Some(failure));
            }
            return;
        };
        let generation = renewal.generation;
        if let Some(id) = call {
            let Some(pending) = self.calls.get_mut(id) else { return };
            let sent_in = match &pending.kept {
                Some(kept) if pending.word != Word::Refused => kept.generation,
                _ => return self.exchange_ended(id, Some(failure)),
            };
            pending.word = Word::Refused;
            pending.waits = true;
            if sent_in < generation && renewal.is_live() {
                return self.repeat(id);
            }
            renewal.wait(id);
        }
        self.renew(now, Some(failure));
    }

    /// As [`Self::session_lost`], for a message that belongs to no call. `false` when it will not be sent again.
    pub fn undelivered_in_lost_session(
        &mut self,
        now: Instant,
        message: JsonRpcMessage<Bytes>,
        failure: F,
    ) -> bool {
        let Some(renewal) = &mut self.renewal else { return false };
        if let Some(at) = renewal.repeated.iter().position(|repeated| *repeated == message) {
            renewal.repeated.swap_remove(at);
            return false;
        }
        let again = matches!(&message, JsonRpcMessage::Notification(note)
            if note.method != "notifications/cancelled" && note.method != "notifications/initialized");
        if again {
            self.held_bytes += weight(&message);
            renewal.held.push(Held { message, refused: true });
        }
        self.renew(now, Some(failure));
        again
    }

    /// Sends the request of a call that waited.
    fn repeat(&mut self, id: CallId) {
        let generation = self.generation();
        let Some(pending) = self.calls.get(id) else { return };
        let Some(kept) = &pending.kept else { return };
        let message = JsonRpcMessage::request(id.0, pending.method.clone(), kept.params.clone());
        let payload = pending.payload.clone();
        self.calls.leaves(id, generation);
        self.give(Output::Exchange { id, payload, message });
    }
}

/// The revision that a result of `initialize` names; otherwise what it names.
fn revision_of(result: &[u8]) -> Result<Revision, Option<ProtocolVersion>> {
    let version: Option<ProtocolVersion> =
        scan::member(result, "protocolVersion").and_then(|range| read::bytes(&result[range]).ok());
    match version.as_ref().and_then(ProtocolVersion::known) {
        Some(revision) => Ok(revision),
        None => Err(version),
    }
}
