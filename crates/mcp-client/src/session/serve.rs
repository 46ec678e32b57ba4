use std::sync::Arc;

use bytes::Bytes;
use mcp_protocol::connection::ServeId;
use mcp_types::{Era, ErrorCode, JsonRpcError, RequestId, jsonrpc::MethodName};

use super::{Session, lock};
use crate::{diagnostic::Diagnostic, handlers::RequestContext};

impl Session {
    /// Runs the handler of a request of the server, in a task of its own: the reader waits for nobody.
    pub(super) fn serve(
        &self,
        id: ServeId,
        request_id: RequestId,
        method: MethodName,
        params: Option<Bytes>,
    ) {
        let modern = self.lock().connection.revision().is_some_and(|revision| revision.era() == Era::Modern);
        if modern {
            // Modern servers have no requests, and modern clients must not write responses.
            self.with(|core| core.connection.disregard(id));
            self.mailbox.push_diagnostic(Diagnostic::RequestInModernEra { method: method.into_owned() });
            return;
        }
        let (Some(handler), Some(session)) = (self.handlers.request(&method), self.this.upgrade()) else {
            self.with(|core| core.connection.respond(id, Err(JsonRpcError::method_not_found(&method))));
            return;
        };
        let context = RequestContext::new(method, request_id, self.client());
        let mut running = lock(&self.running);
        if running.over {
            return;
        }
        let answer = Answer { session, id, given: false };
        let task = tokio::spawn(async move { answer.give(handler(params, context).await) });
        running.serving.insert(id, task.abort_handle());
    }

    /// Ends every task of the session beside the I/O task, and lets none start after.
    pub(super) fn end_tasks(&self) {
        let mut running = lock(&self.running);
        running.over = true;
        let serving = std::mem::take(&mut running.serving).into_values();
        let exchanges = std::mem::take(&mut running.exchanges).into_values();
        for task in serving.chain(exchanges) {
            task.abort();
        }
    }
}

/// Sees to it that a request is answered, also when its handler panics.
struct Answer {
    session: Arc<Session>,
    id: ServeId,
    given: bool,
}

impl Answer {
    fn give(mut self, outcome: Result<Bytes, JsonRpcError>) {
        self.given = true;
        self.session.with(|core| core.connection.respond(self.id, outcome));
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        lock(&self.session.running).serving.remove(&self.id);
        if !self.given {
            let error = JsonRpcError::new(ErrorCode::INTERNAL_ERROR, "The handler failed");
            self.session.with(|core| core.connection.respond(self.id, Err(error)));
        }
    }
}
