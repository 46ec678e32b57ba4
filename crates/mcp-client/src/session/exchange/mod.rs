//! What is done where each request is an exchange of its own.

mod tasks;

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Output};
use mcp_transport::{BoxExchanges, ExchangeEnd, Inbound, RawMessage, SinkTarget, TransportError};

use super::{CallOutcome, Failure, Headers, Session, Slot, step::News};
pub(crate) use tasks::make_exchanging;

/// The code for exchanges, and what runs of them. Reached by way of this alone, which comes with the transport
/// ([`Connect::EXCHANGES`](mcp_transport::Connect::EXCHANGES)): a program that has pipes only does not carry it.
pub(crate) trait Exchanging: Send + Sync {
    /// The exchange of a call, which is begun when it is polled.
    fn begin(
        &self,
        session: &Session,
        id: CallId,
        message: RawMessage,
        headers: &Headers,
        shared: bool,
    ) -> OwnExchange;

    /// See [`OwnExchange::poll`].
    fn poll(
        &self,
        own: &mut OwnExchange,
        session: &Session,
        slot: &Slot,
        cx: &mut Context<'_>,
    ) -> Poll<CallOutcome>;

    /// Runs the exchange of a call in a task of its own.
    fn post(&self, session: &Session, id: CallId, message: RawMessage, slot: &Slot);

    /// Does what the core only gives out over exchanges.
    fn deliver(&self, session: &Session, output: Output<Arc<Slot>, Failure>);

    /// The call is over; what is left of its exchange may linger for a moment.
    fn replied(&self, id: CallId);

    /// Ends every task, and lets none start after.
    fn end(&self);

    /// From here on a session that the server lost is started anew, with these params of `initialize`, within `limit`.
    fn keep_handshake(&self, session: &Session, params: Bytes, limit: Duration);

    /// The server does not know the session any more, as it said to no request.
    fn session_lost(&self, session: &Session, error: TransportError);

    /// A message beside the exchanges could not be delivered. Whether it will be sent again.
    fn undelivered(&self, session: &Session, message: &RawMessage, error: &TransportError) -> bool;
}

/// Makes it, for one link.
pub(crate) type MakeExchanging = fn(BoxExchanges) -> Box<dyn Exchanging>;

type Exchange = Pin<Box<dyn Future<Output = ExchangeEnd> + Send>>;

/// The exchange of a call, while the call's own future runs it. Dropping it abandons the request.
pub(crate) struct OwnExchange {
    /// `None` once it is over, or in a task of its own.
    running: Option<Exchange>,
    target: Arc<Target>,
    turns: u32,
    shared: bool,
}

impl OwnExchange {
    /// Runs it, and waits for the end of its call, which has `slot`.
    ///
    /// A plain call runs its exchange itself, until the peer took the request: what may last long, and what somebody
    /// else may wait for (`shared`), goes on in a task, whether or not the caller polls.
    pub(crate) fn poll(&mut self, session: &Session, slot: &Slot, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        match &session.exchanging {
            Some(exchanging) => exchanging.poll(self, session, slot, cx),
            None => slot.poll_outcome(cx),
        }
    }
}

impl Session {
    /// The exchange of a call, which is begun when it is polled. `None` over a transport without them.
    pub(crate) fn exchange(
        &self,
        id: CallId,
        message: RawMessage,
        headers: &Headers,
        shared: bool,
    ) -> Option<OwnExchange> {
        Some(self.exchanging()?.begin(self, id, message, headers, shared))
    }

    /// What is done with exchanges, where there are any.
    pub(crate) fn exchanging(&self) -> Option<&dyn Exchanging> {
        self.exchanging.as_deref()
    }
}

/// Where the exchange of a call delivers.
struct Target {
    /// Not weak: each upgrade and its end are a write to what all calls share. `None`: it is over.
    session: Option<Arc<Session>>,
    /// The peer took the request, or somebody beside the caller waits for what comes.
    accepted: AtomicBool,
    id: CallId,
    /// The request may have to be repeated, until the peer took it.
    renews: bool,
}

impl SinkTarget for Target {
    fn deliver(&self, inbound: Inbound) {
        if let Some(session) = &self.session {
            session.receive(&mut std::iter::once(inbound), &mut News::default());
        }
    }

    fn accepted(&self) {
        if self.renews
            && let Some(session) = &self.session
        {
            session.step().connection.accepted(self.id);
        }
        self.accepted.store(true, Ordering::Release);
    }

    fn refused(&self, error: &TransportError) {
        let (Some(session), Some(http)) = (&self.session, error.http()) else { return };
        let slot = session.lock().connection.payload(self.id).cloned();
        if let Some(slot) = slot {
            slot.keep_http(http.clone());
        }
    }
}
