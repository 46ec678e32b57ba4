use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bytes::Bytes;
use mcp_protocol::{
    connection::{CallId, Origin, ServeId},
    input::may_require_input,
};
use mcp_types::{Era, ErrorCode, JsonRpcError, RequestId, jsonrpc::MethodName};
use tokio::task::AbortHandle;

use super::{Running, Session, lock};
use crate::{
    diagnostic::Diagnostic,
    handlers::{CallInfo, RequestContext},
    task::boxed,
};

impl Session {
    /// Runs the handler of a request of the server, in a task of its own: the reader waits for nobody.
    pub(super) fn serve(
        &self,
        id: ServeId,
        request_id: RequestId,
        method: MethodName,
        params: Option<Bytes>,
        origin: Origin,
    ) {
        let modern = self.lock().connection.revision().is_some_and(|revision| revision.era() == Era::Modern);
        if modern {
            // Modern servers have no requests, and modern clients must not write responses.
            self.step().connection.disregard(id);
            self.mailbox.push_diagnostic(Diagnostic::RequestInModernEra { method: method.into_owned() });
            return;
        }
        let (Some(handler), Some(session)) = (self.handlers.request(&method), self.this.upgrade()) else {
            let error = JsonRpcError::method_not_found(&method);
            self.step().connection.respond(id, Err(error));
            return;
        };
        let call = match origin {
            Origin::Exchange(call) => {
                let method = self.lock().connection.method(call).cloned();
                method.map(|method| CallInfo::new(Some(call), &method, None))
            }
            Origin::Shared => None,
        };
        let paused = if asks_a_person(&method) { self.pause(origin) } else { Vec::new() };
        let context = RequestContext::new(method, Some(request_id), call, self.client());
        let over = Arc::new(AtomicBool::new(false));
        let answer = Answer { session, id, given: false, paused, over: Arc::clone(&over) };
        // Never under a lock: a runtime that is shutting down drops the future here and now.
        let task = mcp_transport::spawn(boxed(async move { answer.give(handler(params, context).await) }));
        let mut running = lock(&self.running);
        if running.over {
            task.abort();
        } else if !over.load(Ordering::Acquire) {
            running.serving.push((id, task.abort_handle()));
        }
    }

    /// Stops the clocks of the calls that a request may belong to: over exchanges that is known, over a pipe it is any
    /// that may ask for input.
    fn pause(&self, origin: Origin) -> Vec<CallId> {
        let now = tokio::time::Instant::now().into_std();
        let mut core = self.step();
        let calls = match origin {
            Origin::Exchange(call) => vec![call],
            Origin::Shared => core.connection.calls_that(&may_require_input),
        };
        for call in &calls {
            core.connection.pause(now, *call);
        }
        calls
    }

    fn resume(&self, calls: &[CallId]) {
        if calls.is_empty() {
            return;
        }
        let now = tokio::time::Instant::now().into_std();
        let mut core = self.step();
        for call in calls {
            core.connection.resume(now, *call);
        }
    }

    /// Ends every task of the session beside the I/O task, and lets none start after.
    pub(super) fn end_tasks(&self) {
        let mut running = lock(&self.running);
        running.over = true;
        for (_, task) in std::mem::take(&mut running.serving) {
            task.abort();
        }
        drop(running);
        if let Some(exchanging) = self.exchanging() {
            exchanging.end();
        }
    }
}

impl Running {
    /// The task that serves a request; it is no longer known then.
    pub(super) fn take_serving(&mut self, id: ServeId) -> Option<AbortHandle> {
        let place = self.serving.iter().position(|(serving, _)| *serving == id)?;
        Some(self.serving.swap_remove(place).1)
    }
}

/// Requests that wait for a person, or for a model that a person watches.
fn asks_a_person(method: &str) -> bool {
    matches!(method, "elicitation/create" | "sampling/createMessage")
}

/// Sees to it that a request is answered, also when its handler panics.
struct Answer {
    session: Arc<Session>,
    id: ServeId,
    given: bool,
    /// Calls whose clocks stand still until then.
    paused: Vec<CallId>,
    /// Told under the lock of `running`, so that an entry is not made for a task that is over.
    over: Arc<AtomicBool>,
}

impl Answer {
    fn give(mut self, outcome: Result<Bytes, JsonRpcError>) {
        self.given = true;
        self.session.step().connection.respond(self.id, outcome);
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.session.resume(&self.paused);
        {
            let mut running = lock(&self.session.running);
            self.over.store(true, Ordering::Release);
            running.take_serving(self.id);
        }
        if !self.given {
            let error = JsonRpcError::new(ErrorCode::INTERNAL_ERROR, "The handler failed");
            self.session.step().connection.respond(self.id, Err(error));
        }
    }
}
