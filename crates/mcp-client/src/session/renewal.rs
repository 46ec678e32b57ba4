//! What a session that the server lost means for the client.

use mcp_protocol::connection::CallId;
use mcp_transport::{Delivery, RawMessage, TransportError};
use mcp_types::jsonrpc::JsonRpcMessage;

use super::{Failure, Session};
use crate::{Diagnostic, State};

impl Session {
    /// The server does not know the session any more, as it said to the request of `call`, or otherwise.
    pub(super) fn session_lost(&self, call: Option<CallId>, error: TransportError) {
        let now = tokio::time::Instant::now().into_std();
        self.step().connection.session_lost(now, call, Failure::Transport(error));
    }

    /// A message beside the exchanges could not be delivered.
    pub(super) fn undelivered(&self, message: &RawMessage, error: TransportError) {
        if self.exchanging().is_some_and(|exchanging| exchanging.undelivered(self, message, &error)) {
            return;
        }
        // Where the server may have taken a request, its answer may still come on the stream.
        let is_over = error.delivery() != Delivery::MaybeSent || error.http().is_some();
        if let JsonRpcMessage::Request(request) = message
            && let Some(id) = request.id.as_i64()
            && is_over
        {
            let failure = Failure::Transport(error.clone());
            self.step().connection.exchange_ended(CallId(id), Some(failure));
        }
        let method = message.method().map(str::to_owned);
        self.mailbox.push_diagnostic(Diagnostic::Undelivered { method, error });
    }

    /// A message beside the exchanges could not be delivered, because the server does not know the session any more. Whether it
    /// will be sent again.
    pub(super) fn undelivered_in_lost_session(&self, message: &RawMessage, error: &TransportError) -> bool {
        let now = tokio::time::Instant::now().into_std();
        let failure = Failure::Transport(error.clone());
        self.step().connection.undelivered_in_lost_session(now, message.clone(), failure)
    }

    pub(super) fn renewing(&self) {
        self.set_state(State::Reconnecting);
        self.mailbox.push_diagnostic(Diagnostic::SessionLost);
    }

    /// The server knows nothing of what was set in the session before.
    pub(super) fn renewed(&self) {
        self.set_state(State::Ready);
        self.mailbox.push_diagnostic(Diagnostic::SessionRenewed);
        self.tell_feeds_of_renewal();
        if let Some(client) = self.client().and_then(|client| client.upgrade()) {
            client.0.set_again();
        }
    }
}
