//! Calls that are given up on this side.

use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Era, Notification, jsonrpc::JsonRpcMessage,
};

use super::{
    Binding, CallId, CancelMode, Connection, Outcome, Outgoing, Output, encode, outgoing::Pending, weight,
};

impl<P: Clone, F: Clone> Connection<P, F> {
    /// Gives a call up: its payload comes back, the peer is told in the way of era and binding. `None` when it is over.
    ///
    /// A call whose request has not left yet is taken out of the queue, and the peer hears nothing of it.
    pub fn cancel(&mut self, id: CallId, reason: Option<&str>) -> Option<P> {
        let pending = self.calls.remove(id)?;
        self.abandon(id, &pending, reason);
        self.fill_places();
        Some(pending.payload)
    }

    /// Gives the open calls up whose method is one that `wanted` says, oldest first: the peer is told, each call ends
    /// with `failure`.
    pub fn abandon_that(&mut self, wanted: &dyn Fn(&str) -> bool, failure: &F, reason: Option<&str>) {
        for id in self.calls.that(wanted) {
            let Some(pending) = self.calls.remove(id) else { continue };
            let sent = self.is_sent(id, &pending);
            self.abandon(id, &pending, reason);
            self.finish(id, pending, Outcome::Lost { failure: failure.clone(), sent });
        }
        self.fill_places();
    }

    /// Takes back a call over exchanges whose exchange was not begun: the peer never hears of it.
    pub fn take_back(&mut self, id: CallId) -> Option<P> {
        let pending = self.calls.remove(id)?;
        self.fill_places();
        Some(pending.payload)
    }

    /// Tells the peer that nobody waits for the reply to `id` any more.
    pub(super) fn abandon(&mut self, id: CallId, pending: &Pending<P>, reason: Option<&str>) {
        if self.calls.places.take_back(id) {
            return;
        }
        if self.ended.is_some() {
            return;
        }
        if !self.is_sent(id, pending) {
            let is_request = |entry: &Outgoing| matches!(entry, Outgoing::Message(JsonRpcMessage::Request(request)) if request.id.as_i64() == Some(id.0));
            if let Some(at) = self.outbox.iter().position(is_request)
                && let Some(Outgoing::Message(message)) = self.outbox.remove(at)
            {
                self.outbox_bytes -= weight(&message);
            }
            return;
        }
        let legacy = self.revision.is_none_or(|revision| revision.era() == Era::Legacy);
        if pending.cancel == CancelMode::Notify && (self.binding == Binding::Pipe || legacy) {
            let mut cancelled = CancelledNotificationParams::new();
            cancelled.request_id = Some(id.0.into());
            cancelled.reason = reason.map(str::to_owned);
            let params = encode(&cancelled);
            self.queue(JsonRpcMessage::notification(CancelledNotification::METHOD, Some(params)));
        }
        match self.binding {
            Binding::Pipe => self.outbox.push_back(Outgoing::Abandon(id)),
            Binding::Exchanges => self.give(Output::Abandon(id)),
        }
    }
}
