use std::sync::{Arc, atomic::Ordering};

use mcp_protocol::connection::{CallId, Event, Origin, Outcome, Output};
use mcp_transport::Inbound;
use mcp_types::{Notification, ProgressNotification, ToolListChangedNotification};

use super::{CallOutcome, Failure, Session, Slot, lock, slot::Report, step::News};
use crate::diagnostic::Diagnostic;

impl Session {
    /// Takes what the transport received. Gives back the slot of a reader who keeps up, but is about to be overtaken.
    pub(super) fn receive(
        &self,
        inbound: &mut dyn Iterator<Item = Inbound>,
        news: &mut News,
    ) -> Option<Arc<Slot>> {
        let now = tokio::time::Instant::now().into_std();
        let mut aside = Vec::new();
        let filling = self.with_room(news, |core| {
            let open = core.connection.open_calls();
            for entry in inbound {
                match entry {
                    Inbound::Message { origin, message } => {
                        core.connection.receive(now, core_origin(&origin), message);
                    }
                    Inbound::Batch { origin, messages } => {
                        core.connection.receive_batch(now, core_origin(&origin), messages);
                    }
                    other => aside.push(other),
                }
            }
            let completed = open - core.connection.open_calls();
            self.completed_by_last_read.store(completed, Ordering::Relaxed);
        });
        for entry in aside {
            match entry {
                Inbound::Skipped(skipped) => {
                    self.first_skipped.get_or_init(|| skipped.clone());
                    *lock(&self.last_skipped) = Some(skipped.clone());
                    self.skipped.fetch_add(1, Ordering::Relaxed);
                    self.mailbox.push_diagnostic(Diagnostic::Skipped(skipped));
                }
                Inbound::Undelivered { message, error } => self.undelivered(&message, error),
                Inbound::SessionLost(error) => {
                    if let Some(exchanging) = self.exchanging() {
                        exchanging.session_lost(self, error);
                    }
                }
                _ => {}
            }
        }
        filling
    }

    /// Hands on what the core gave out. Called without the lock.
    pub(super) fn deliver(&self, output: Output<Arc<Slot>, Failure>) -> Option<Arc<Slot>> {
        match output {
            Output::Finished { id, payload, outcome } => {
                let replied =
                    matches!(outcome, Outcome::Result(_) | Outcome::Error(_) | Outcome::CancelledByPeer);
                if !replied {
                    // What had not left makes room.
                    self.outbox_emptied.notify_waiters();
                }
                payload.finish(CallOutcome::Core(outcome));
                if replied && let Some(exchanging) = self.exchanging() {
                    exchanging.replied(id);
                }
                self.call_ended();
            }
            Output::Progress { payload, reports, .. } => {
                let method = || ProgressNotification::METHOD.into();
                let mut reports = reports.into_iter().map(|params| Report { method: method(), params });
                let filling = payload.push(&mut reports);
                return filling.then_some(payload);
            }
            Output::Subscribed { payload, method, params, .. } => {
                let filling = payload.push(&mut std::iter::once(Report { method, params }));
                return filling.then_some(payload);
            }
            Output::Event(Event::Request { id, request_id, method, params, origin }) => {
                self.serve(id, request_id, method, params, origin);
            }
            Output::Event(Event::RequestCancelled { id }) => {
                if let Some(task) = lock(&self.running).take_serving(id) {
                    task.abort();
                }
            }
            Output::Event(Event::Notification { method, params, origin: _ }) => {
                if method == ToolListChangedNotification::METHOD {
                    self.tools_changed();
                }
                let filling = self.feed(&method, params.as_ref());
                if self.handlers.wants(&method) {
                    self.mailbox.push_notification(method, params);
                }
                return filling;
            }
            Output::Event(Event::Dropped(dropped)) => {
                self.mailbox.push_diagnostic(Diagnostic::Dropped(dropped));
            }
            Output::Abandon(_)
            | Output::Exchange { .. }
            | Output::Handshake { .. }
            | Output::Event(Event::SessionLost | Event::SessionRenewed { .. }) => {
                if let Some(exchanging) = self.exchanging() {
                    exchanging.deliver(self, output);
                }
            }
        }
        None
    }

    fn tools_changed(&self) {
        if let Some(client) = self.client().and_then(|client| client.upgrade()) {
            client.0.catalogue.changed();
        }
    }
}

fn core_origin(origin: &mcp_transport::Origin) -> Origin {
    match origin {
        mcp_transport::Origin::Shared => Origin::Shared,
        // Our own ids are numbers; another id names no call of ours, and 0 is never used.
        mcp_transport::Origin::Exchange(id) => Origin::Exchange(CallId(id.as_i64().unwrap_or(0))),
    }
}
