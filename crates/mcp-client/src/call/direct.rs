//! One request over a pipe that nobody but the call's own future waits for, which is what nearly every call is. All of its
//! state stands in that future: nothing is allocated for it.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use mcp_protocol::connection::CallId;

use super::{
    CallOptions, Mode, RawCall,
    long::{self, Long},
    rounds::{Rounds, Step, result},
};
use crate::{
    Result,
    error::start_error,
    session::{CallOutcome, Session, Slot, StartError},
};

/// A request that is under way.
pub(super) struct Direct {
    call: RawCall,
    rounds: Rounds,
    slot: Arc<Slot>,
    /// How much input was no message when it began.
    skipped: u64,
    open: Option<CallId>,
}

/// Where a call stands.
#[expect(clippy::large_enum_variant, reason = "what is small is rare")]
pub(super) enum Stage {
    Waiting(Direct),
    Over(Result<Bytes>),
    /// More is to be done than to ask once and to wait.
    Long(Long),
}

impl Direct {
    pub(super) fn begin(mut call: RawCall) -> Stage {
        let slot = Arc::new(Slot::default());
        if !is_direct(&call.options) {
            return Stage::Long(Box::pin(long::perform(call, slot, Mode::Plain)));
        }
        let skipped = session(&call).skipped();
        let mut rounds = match Rounds::first(&mut call, Mode::Plain) {
            Ok(rounds) => rounds,
            Err(error) => return Stage::Over(Err(long::told(error, &call, skipped))),
        };
        let mut request = Some(rounds.request(&call));
        match session(&call).begin(rounds.since().into_std(), &mut request, &slot) {
            Ok(started) => {
                let open = Some(started.id);
                Stage::Waiting(Self { call, rounds, slot, skipped, open })
            }
            Err(StartError::Full(_)) => Stage::Long(Box::pin(async move {
                let rounds = rounds.go_on(&call, request, &slot);
                rounds.await.map_err(|error| long::told(error, &call, skipped))
            })),
            Err(error) => Stage::Over(Err(long::told(start_error(error), &call, skipped))),
        }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        self.slot.poll_outcome(cx)
    }

    /// Takes how the request ended.
    pub(super) fn finish(mut self, outcome: CallOutcome) -> Stage {
        let id = self.open.take();
        let step = result(outcome).and_then(|result| self.rounds.judge(&self.call, result));
        let input = match step {
            Ok(Step::Done(result)) => return Stage::Over(Ok(result)),
            Err(error) => return Stage::Over(Err(long::told(error, &self.call, self.skipped))),
            Ok(Step::Input(result)) => result,
        };
        if let Some(id) = id {
            self.slot.started(id);
        }
        Stage::Long(Box::pin(async move {
            let Self { call, rounds, slot, skipped, .. } = &mut self;
            let done = rounds.answer_and_go_on(call, &input, slot).await;
            done.map_err(|error| long::told(error, call, *skipped))
        }))
    }
}

fn is_direct(options: &CallOptions) -> bool {
    let client = &*options.client.0;
    !client.session.has_exchanges() && options.retry.is_none() && client.output_check.is_none()
}

fn session(call: &RawCall) -> &Session {
    &call.options.client.0.session
}

impl Drop for Direct {
    fn drop(&mut self) {
        if let Some(id) = self.open {
            session(&self.call).cancel(id, None);
        }
    }
}
