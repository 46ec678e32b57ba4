//! One request that nobody but the call's own future waits for, which is what nearly every call is. All of its state stands
//! in that future: nothing is allocated for it, and nothing moved.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, OutgoingCall};

use super::{
    Mode, RawCall,
    long::{self, Long},
    rounds::{Next, Rounds, Step, result},
};
use crate::{
    Error, Result,
    error::start_error,
    session::{NotBegun, OwnExchange, Session, Slot},
};

/// Such a call.
pub(super) struct Direct {
    call: RawCall,
    stage: Stage,
}

enum Stage {
    New,
    Open(Open),
    Over,
}

/// The request is under way.
struct Open {
    id: CallId,
    slot: Arc<Slot>,
    rounds: Rounds,
    /// How much input was no message when it began.
    skipped: u64,
    /// Over a transport with one exchange a request.
    exchange: Option<OwnExchange>,
}

/// Why such a call becomes a long one.
pub(super) enum More {
    /// It is one from the start.
    AllOfIt,
    /// There is no room for its request yet.
    Request(Box<Rounds>, Box<OutgoingCall>, u64),
    /// There is another request.
    Next(Next),
}

impl Direct {
    pub(super) fn new(call: RawCall) -> Self {
        Self { call, stage: Stage::New }
    }

    /// The raw result, or what more is to be done for it.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<Result<Bytes>, More>> {
        if let Stage::New = self.stage
            && let Err(end) = self.begin()
        {
            return Poll::Ready(end);
        }
        let Stage::Open(open) = &mut self.stage else { panic!("a call was polled after its end") };
        let outcome = match &mut open.exchange {
            Some(exchange) => exchange.poll(session(&self.call), &open.slot, cx),
            None => open.slot.poll_outcome(cx),
        };
        let Poll::Ready(outcome) = outcome else { return Poll::Pending };
        let result = result(outcome).map_err(|error| error.with_http(open.slot.take_http()));
        Poll::Ready(match result.and_then(|result| open.rounds.judge(&self.call, result)) {
            Ok(Step::Done(result)) => {
                self.stage = Stage::Over;
                Ok(Ok(result))
            }
            Ok(Step::Input(result)) => Err(More::Next(Next::Answer(result))),
            Err(error) if open.rounds.mends(&self.call, &error).is_some() => {
                Err(More::Next(Next::Mend(error)))
            }
            Err(error) => {
                let skipped = open.skipped;
                self.stage = Stage::Over;
                Ok(Err(long::told(error, &self.call, skipped)))
            }
        })
    }

    fn begin(&mut self) -> std::result::Result<(), std::result::Result<Result<Bytes>, More>> {
        let call = &mut self.call;
        let client = &*call.options.client.0;
        if call.options.retry().is_some() || client.output_check.is_some() {
            return Err(Err(More::AllOfIt));
        }
        let skipped = client.session.skipped();
        let mut rounds = Rounds::first(call, Mode::Plain).map_err(|error| Ok(Err(not_begun(error, call))))?;
        let request = rounds.request(call);
        let slot = Arc::new(Slot::default());
        let headers = rounds.headers();
        if !headers.is_empty() {
            slot.keep_headers(headers.clone());
        }
        match session(call).begin(rounds.since().into_std(), request, &slot) {
            Ok(started) => {
                let exchange = started
                    .message
                    .and_then(|message| session(call).exchange(started.id, message, headers, false));
                self.stage = Stage::Open(Open { id: started.id, slot, rounds, skipped, exchange });
                Ok(())
            }
            Err(NotBegun::Full(request)) => Err(Err(More::Request(Box::new(rounds), request, skipped))),
            Err(NotBegun::Refused(error)) => Err(Ok(Err(not_begun(start_error(error), call)))),
        }
    }

    /// The same call, which is more than one request and its answer.
    pub(super) fn into_long(self, more: More) -> Long {
        let Self { call, stage } = self;
        match (more, stage) {
            (More::Request(rounds, request, skipped), _) => rounds.send_later(call, *request, skipped),
            (More::Next(next), Stage::Open(Open { id, slot, rounds, skipped, .. })) => {
                slot.started(id);
                rounds.go_on_later(call, next, slot, skipped)
            }
            _ => long::perform(call, Arc::default(), Mode::Plain),
        }
    }

    /// Its future is dropped.
    pub(super) fn cancel(&mut self) {
        if let Stage::Open(open) = &mut self.stage {
            // First: dropping it abandons the request.
            open.exchange = None;
            session(&self.call).cancel(open.id, None);
        }
    }
}

fn session(call: &RawCall) -> &Session {
    &call.options.client.0.session
}

#[cold]
fn not_begun(error: Error, call: &RawCall) -> Error {
    long::told(error, call, u64::MAX)
}
