use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, CancelMode, Deadlines, NotStarted, OutgoingCall, Refused, Started};
use mcp_types::jsonrpc::MethodName;

use super::{
    CallOutcome, Failure, Headers, OwnExchange, Session, Slot,
    course::{Course, reached},
    step::News,
};
use crate::task::{Later, either, until};

/// Why a call was not started.
pub(crate) enum StartError {
    /// More waits to be sent than the limit allows, and did so for this long.
    Full(Duration),
    /// The session is closing.
    Closing,
    /// The link has ended.
    Ended(Failure),
}

/// Why a call was not put into the table.
pub(crate) enum NotBegun {
    /// More waits to be sent than the limit allows: the call comes back.
    Full(Box<OutgoingCall>),
    Refused(StartError),
}

impl NotBegun {
    #[cold]
    fn full(call: OutgoingCall) -> Self {
        Self::Full(Box::new(call))
    }
}

impl From<NotStarted<Arc<Slot>, Failure>> for NotBegun {
    #[cold]
    fn from(NotStarted { why, .. }: NotStarted<Arc<Slot>, Failure>) -> Self {
        Self::Refused(match why {
            Refused::Closing => StartError::Closing,
            Refused::Ended(failure) => StartError::Ended(failure),
        })
    }
}

/// What became of a call that waited for room.
enum Begun {
    Started(Started),
    /// It was cancelled before.
    Over(CallOutcome),
}

impl Session {
    /// Makes a call and waits for its end. Dropping the future cancels the call, once, in the way of era and binding.
    ///
    /// Takes `call`, which is there. `begun`: from when its deadlines count. `shared`: somebody beside the caller waits for
    /// what comes, so an exchange goes on when nobody polls. `waiting`: how long to wait for room in the outbox.
    pub(crate) fn perform<'a>(
        &'a self,
        begun: Instant,
        call: &'a mut Option<OutgoingCall>,
        headers: &'a Headers,
        slot: &'a Arc<Slot>,
        shared: bool,
        waiting: Duration,
    ) -> Later<'a, Result<CallOutcome, StartError>> {
        Box::pin(async move {
            if let Some(outcome) = slot.take_outcome() {
                return Ok(outcome);
            }
            if !headers.is_empty() {
                slot.keep_headers(headers.clone());
            }
            let started = match self.try_begin(begun, call, slot)? {
                Some(started) => started,
                None => match self.begin_later(begun, call, slot, waiting).await? {
                    Begun::Started(started) => started,
                    Begun::Over(outcome) => return Ok(outcome),
                },
            };
            Ok(self.under_way(started, headers, slot, shared).outcome(slot).await)
        })
    }

    /// What is to be done for a call that is in the table.
    fn under_way<'a>(
        &'a self,
        Started { id, message }: Started,
        headers: &Headers,
        slot: &Slot,
        shared: bool,
    ) -> UnderWay<'a> {
        let guard = CancelOnDrop { session: self, id, armed: true };
        let cancelled = !slot.started(id);
        let exchange = match message {
            Some(message) if !cancelled => self.exchange(id, message, headers, shared),
            Some(_) => {
                // Its exchange was not begun, so the server never hears of it.
                let _back = self.step().connection.take_back(id);
                None
            }
            None => {
                if cancelled {
                    self.cancel(id, None);
                }
                None
            }
        };
        UnderWay { exchange, guard }
    }

    async fn begin_later(
        &self,
        begun: Instant,
        call: &mut Option<OutgoingCall>,
        slot: &Arc<Slot>,
        waiting: Duration,
    ) -> Result<Begun, StartError> {
        let give_up = tokio::time::Instant::now().checked_add(waiting);
        loop {
            // Made before the attempt, so that space made in between is not missed.
            let emptied = self.outbox_emptied.notified();
            if let Some(started) = self.try_begin(begun, call, slot)? {
                return Ok(Begun::Started(started));
            }
            let (mut in_time, mut outcome) = (true, None);
            // Without a limit, or with one beyond the end of time, only the session ends the wait.
            let room = async { in_time = until(give_up, pin!(emptied)).await };
            let over = async { outcome = Some(slot.outcome().await) };
            either(pin!(room), pin!(over)).await;
            match outcome {
                Some(outcome) => return Ok(Begun::Over(outcome)),
                None if !in_time => return Err(StartError::Full(waiting)),
                None => {}
            }
        }
    }

    /// As [`begin`](Self::begin). Takes `call`, which is there; without room, it stays.
    fn try_begin(
        &self,
        begun: Instant,
        call: &mut Option<OutgoingCall>,
        slot: &Arc<Slot>,
    ) -> Result<Option<Started>, StartError> {
        let Some(outgoing) = call.take() else { return Err(StartError::Closing) };
        match self.begin(begun, outgoing, slot) {
            Ok(started) => Ok(Some(started)),
            Err(NotBegun::Full(back)) => {
                *call = Some(*back);
                Ok(None)
            }
            Err(NotBegun::Refused(error)) => Err(error),
        }
    }

    /// Puts a call into the table. Over a pipe it is queued; over exchanges the caller runs what is returned. Whoever drops a
    /// call that is open has to [`cancel`](Self::cancel) it.
    pub(crate) fn begin(
        &self,
        begun: Instant,
        call: OutgoingCall,
        slot: &Arc<Slot>,
    ) -> Result<Started, NotBegun> {
        let weight = call.params.as_ref().map_or(0, Bytes::len);
        let mut started = Err(NotBegun::Refused(StartError::Closing));
        self.with_room(&mut News::default(), |core| {
            let waiting = core.connection.outbox_bytes();
            started = if waiting > 0 && waiting + weight > self.limits.queued_bytes {
                Err(NotBegun::full(call))
            } else {
                core.connection.call(begun, call, Arc::clone(slot)).map_err(NotBegun::from)
            };
        });
        started
    }

    /// Makes a call whose answer nobody waits for.
    pub(crate) fn post(&self, method: &'static str, params: Bytes, limit: Duration) {
        let call = OutgoingCall {
            method: method.into(),
            params: Some(params),
            progress_token: None,
            deadlines: Deadlines { idle: Some(limit), ..Deadlines::default() },
            cancel: CancelMode::Silent,
            continues: false,
            exempt: true,
        };
        let now = tokio::time::Instant::now().into_std();
        let slot = Arc::new(Slot::default());
        if let Ok(Started { id, message: Some(message) }) = self.begin(now, call, &slot)
            && let Some(exchanging) = self.exchanging()
        {
            exchanging.post(self, id, message, &slot);
        }
    }

    /// Ends the call of `slot` for its caller, and tells the server.
    pub(crate) fn cancel_with_reason(&self, slot: &Slot, reason: &str) {
        // A call that is started after this sees the outcome, and is taken back.
        let sent = slot.id().is_some_and(|id| {
            let (left, _slot) = {
                let mut core = self.step();
                (core.connection.has_left(id), core.connection.cancel(id, Some(reason)))
            };
            self.call_ended();
            left
        });
        slot.finish(CallOutcome::Cancelled { reason: reason.to_owned(), sent });
    }

    /// Gives a call up, if it is still open. Its slot is not filled.
    pub(crate) fn cancel(&self, id: CallId, reason: Option<&str>) {
        let _slot = self.step().connection.cancel(id, reason);
        self.call_ended();
        // What had not left makes room.
        self.outbox_emptied.notify_waiters();
    }

    /// Queues a notification.
    pub(crate) fn notify(&self, method: MethodName, params: Option<Bytes>) -> Result<(), StartError> {
        let weight = params.as_ref().map_or(0, Bytes::len);
        let mut core = self.step();
        let waiting = core.connection.outbox_bytes();
        if waiting > 0 && waiting + weight > self.limits.queued_bytes {
            return Err(StartError::Full(Duration::ZERO));
        }
        if core.connection.notify(method, params) { Ok(()) } else { Err(StartError::Closing) }
    }

    /// A call is between two rounds: it has no request open, and is not over.
    pub(crate) fn answering(&self) -> Answering<'_> {
        self.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self)
    }

    /// Waits until calls that have no request open are to end, and says why.
    pub(crate) fn gave_up(&self) -> Later<'_, Failure> {
        let given_up = reached(self.course.subscribe(), Course::is_given_up);
        Box::pin(async move {
            given_up.await;
            self.failure().unwrap_or(Failure::ClosedHere)
        })
    }
}

/// Counts a call between two rounds, so that a close waits for it.
pub(crate) struct Answering<'a>(&'a Session);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
        self.0.call_ended();
    }
}

/// A call that is in the table.
struct UnderWay<'a> {
    /// Over a transport with an exchange a request: the caller runs it. Before the guard: dropping it abandons the request.
    exchange: Option<OwnExchange>,
    guard: CancelOnDrop<'a>,
}

impl UnderWay<'_> {
    async fn outcome(mut self, slot: &Slot) -> CallOutcome {
        let outcome = match &mut self.exchange {
            Some(exchange) => poll_fn(|cx| exchange.poll(self.guard.session, slot, cx)).await,
            None => slot.outcome().await,
        };
        self.guard.armed = false;
        outcome
    }
}

/// Cancels a call whose future is dropped before its end.
struct CancelOnDrop<'a> {
    session: &'a Session,
    id: CallId,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.session.cancel(self.id, None);
        }
    }
}
