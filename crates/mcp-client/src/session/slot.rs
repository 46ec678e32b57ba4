use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Outcome};

use super::Failure;

/// Where the reader leaves what comes for one call. Filled outside the core's lock, by one task, in order.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    id: Option<CallId>,
    outcome: Ended,
    progress: VecDeque<Bytes>,
    lost: u64,
    /// Whether anybody reads progress.
    keeps_progress: bool,
    caller: Option<Waker>,
}

/// How a call ended, as its caller learns it.
#[derive(Debug)]
pub(crate) enum CallOutcome {
    /// The core says how.
    Core(Outcome<Failure>),
    /// The caller cancelled it, through another handle.
    Cancelled {
        reason: String,
        /// Whether the request may have left.
        sent: bool,
    },
}

#[derive(Debug, Default)]
enum Ended {
    #[default]
    No,
    Yes(CallOutcome),
    Taken,
}

/// One step of a call, to whoever reads its progress.
pub(crate) enum ProgressStep {
    /// The raw params of a progress notification.
    Progress(Bytes),
    /// So many were lost, because nobody took them in time.
    Lost(u64),
    /// The call is over.
    End,
}

impl Slot {
    /// How many progress notifications wait for a slow reader before the oldest go.
    const PROGRESS_LIMIT: usize = 1024;

    pub(crate) fn keeping_progress() -> Self {
        Self(Mutex::new(State { keeps_progress: true, ..State::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ties the slot to its call. Fails when the call was cancelled before it was started.
    pub(crate) fn started(&self, id: CallId) -> bool {
        let mut state = self.state();
        state.id = Some(id);
        matches!(state.outcome, Ended::No)
    }

    pub(crate) fn id(&self) -> Option<CallId> {
        self.state().id
    }

    /// Ends the call, unless it has ended.
    pub(crate) fn finish(&self, outcome: CallOutcome) {
        let waker = {
            let mut state = self.state();
            if !matches!(state.outcome, Ended::No) {
                return;
            }
            state.outcome = Ended::Yes(outcome);
            state.caller.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn push_progress(&self, params: Bytes) {
        let waker = {
            let mut state = self.state();
            if !state.keeps_progress || !matches!(state.outcome, Ended::No) {
                return;
            }
            if state.progress.len() == Self::PROGRESS_LIMIT {
                state.progress.pop_front();
                state.lost += 1;
            }
            state.progress.push_back(params);
            state.caller.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the end of the call.
    pub(crate) async fn outcome(&self) -> CallOutcome {
        poll_fn(|cx| self.poll_outcome(cx)).await
    }

    pub(crate) fn poll_outcome(&self, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        let mut state = self.state();
        match std::mem::replace(&mut state.outcome, Ended::Taken) {
            Ended::Yes(outcome) => Poll::Ready(outcome),
            other => {
                state.outcome = other;
                Self::wait(&mut state, cx);
                Poll::Pending
            }
        }
    }

    /// The next progress notification that waits; [`ProgressStep::End`] once the call is over and none is left.
    pub(crate) fn poll_progress(&self, cx: &mut Context<'_>) -> Poll<ProgressStep> {
        let mut state = self.state();
        if state.lost > 0 {
            return Poll::Ready(ProgressStep::Lost(std::mem::take(&mut state.lost)));
        }
        if let Some(params) = state.progress.pop_front() {
            return Poll::Ready(ProgressStep::Progress(params));
        }
        if !matches!(state.outcome, Ended::No) {
            return Poll::Ready(ProgressStep::End);
        }
        Self::wait(&mut state, cx);
        Poll::Pending
    }

    /// Progress and outcome are read by one task: the one that owns the call.
    fn wait(state: &mut State, cx: &mut Context<'_>) {
        match &mut state.caller {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }
}
