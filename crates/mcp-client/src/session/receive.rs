use std::sync::{Arc, atomic::Ordering};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Event, Origin, Output};
use mcp_transport::Inbound;
use mcp_types::jsonrpc::MethodName;

use super::{CallOutcome, Failure, Session, Slot, lock, slot::Report};
use crate::diagnostic::Diagnostic;

impl Session {
    /// Takes what the transport received.
    pub(super) fn receive(&self, inbound: &mut Vec<Inbound>, outputs: &mut Vec<Output<Arc<Slot>, Failure>>) {
        let now = tokio::time::Instant::now().into_std();
        let mut aside = Vec::new();
        self.with_buffer(outputs, |core| {
            let open = core.connection.open_calls();
            for entry in inbound.drain(..) {
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
                    self.mailbox.push_diagnostic(Diagnostic::Skipped(skipped));
                }
                Inbound::Undelivered { message, error } => {
                    let method = message.method().map(str::to_owned);
                    self.mailbox.push_diagnostic(Diagnostic::Undelivered { method, error });
                }
                _ => {}
            }
        }
    }

    /// Hands on what the core gave out. Called without the lock.
    pub(super) fn deliver(&self, output: Output<Arc<Slot>, Failure>) {
        match output {
            Output::Finished { id, payload, outcome } => {
                payload.finish(CallOutcome::Core(outcome));
                self.exchange_replied(id);
                self.call_ended.notify_waiters();
            }
            Output::Progress { payload, params, .. } => {
                payload.push(Report { method: "notifications/progress".into(), params });
            }
            Output::Subscribed { payload, method, params, .. } => payload.push(Report { method, params }),
            Output::Abandon(id) => self.abort_exchange(id),
            Output::Event(Event::Request { id, request_id, method, params, origin }) => {
                self.serve(id, request_id, method, params, origin);
            }
            Output::Event(Event::RequestCancelled { id }) => {
                if let Some(task) = lock(&self.running).serving.remove(&id) {
                    task.abort();
                }
            }
            Output::Event(Event::Notification { method, params, origin: _ }) => {
                self.feed(&method, params.as_ref());
                if self.handlers.wants(&method) {
                    self.mailbox.push_notification(method, params);
                }
            }
            Output::Event(Event::Dropped(dropped)) => {
                self.mailbox.push_diagnostic(Diagnostic::Dropped(dropped));
            }
        }
    }
}

impl Session {
    /// Gives a notification to the streams that want it, and forgets those that are gone.
    fn feed(&self, method: &MethodName, params: Option<&Bytes>) {
        let mut feeds = lock(&self.feeds);
        if feeds.is_empty() {
            return;
        }
        let params = params.cloned().unwrap_or_else(|| Bytes::from_static(b"{}"));
        feeds.retain(|feed| match feed.slot.upgrade() {
            Some(slot) => {
                if (feed.wants)(method, &params) {
                    slot.push(Report { method: method.clone(), params: params.clone() });
                }
                true
            }
            None => false,
        });
    }
}

fn core_origin(origin: &mcp_transport::Origin) -> Origin {
    match origin {
        mcp_transport::Origin::Shared => Origin::Shared,
        // Our own ids are numbers; another id names no call of ours, and 0 is never used.
        mcp_transport::Origin::Exchange(id) => Origin::Exchange(CallId(id.as_i64().unwrap_or(0))),
    }
}
