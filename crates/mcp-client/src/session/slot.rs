use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Mutex, MutexGuard},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Outcome};
use mcp_transport::HttpFailure;
use mcp_types::{Notification, SubscriptionsAcknowledgedNotification, jsonrpc::MethodName};
use serde::de::DeserializeOwned;

use super::{Failure, Headers, lock};

/// Where the reader leaves what comes for one call. Filled outside the core's lock, by one task, in order.
///
/// A call of several rounds keeps its slot: each round is a request of its own, the reports of all go into one queue.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    id: Option<CallId>,
    /// How the present request ended, until its caller takes it.
    outcome: Option<CallOutcome>,
    /// No request comes after.
    over: bool,
    reports: VecDeque<Report>,
    /// Of the params in `reports`.
    bytes: usize,
    /// What a subscription begins with; apart, so that a burst cannot push it out.
    acknowledgement: Option<Bytes>,
    lost: u64,
    /// Something was lost before: its reader does not keep up.
    is_slow: bool,
    /// Whether anybody reads reports.
    keeps_reports: bool,
    /// What goes beside the request, should it have to be sent again.
    headers: Headers,
    /// What the reply came with, where that was a refusal.
    http: Option<Box<HttpFailure>>,
    caller: Option<Waker>,
}

/// How a request ended, as its caller learns it.
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

/// A notification that belongs to the call: progress, or what a subscription brings.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) method: MethodName,
    pub(crate) params: Bytes,
}

impl State {
    fn is_filling(&self) -> bool {
        !self.is_slow && self.reports.len() > Slot::LIMIT / 2
    }
}

impl Report {
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.params)
    }
}

/// The next thing for whoever reads the reports.
pub(crate) enum ReportStep {
    Report(Report),
    /// So many were lost, because nobody took them in time.
    Lost(u64),
    /// The call is over.
    End,
}

impl Slot {
    /// How many reports wait for a slow reader before the oldest go.
    const LIMIT: usize = 1024;
    /// And how many bytes of them.
    const BYTES: usize = 16 << 20;

    pub(crate) fn keeping_reports() -> Self {
        Self(Mutex::new(State { keeps_reports: true, ..State::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Ties the slot to its present request. Fails when the call was cancelled before it was started.
    pub(super) fn started(&self, id: CallId) -> bool {
        let mut state = self.state();
        state.id = Some(id);
        state.outcome.is_none()
    }

    pub(super) fn keep_headers(&self, headers: Headers) {
        self.state().headers = headers;
    }

    pub(super) fn headers(&self) -> Headers {
        self.state().headers.clone()
    }

    pub(super) fn keep_http(&self, http: HttpFailure) {
        self.state().http = Some(Box::new(http));
    }

    /// What the error of the present request came with, where that was an HTTP refusal.
    pub(crate) fn take_http(&self) -> Option<Box<HttpFailure>> {
        self.state().http.take()
    }

    /// The present request, or the last one.
    pub(crate) fn id(&self) -> Option<CallId> {
        self.state().id
    }

    /// Ends the present request, unless it has ended.
    pub(crate) fn finish(&self, outcome: CallOutcome) {
        self.change(|state| {
            let ends = !state.over && state.outcome.is_none();
            if ends {
                state.outcome = Some(outcome);
            }
            ends
        });
    }

    /// Ends the call: no request comes after.
    pub(crate) fn end(&self) {
        self.change(|state| {
            state.over = true;
            true
        });
    }

    /// Whether the reader of the reports keeps up so far, but is about to be overtaken.
    pub(super) fn is_filling(&self) -> bool {
        self.state().is_filling()
    }

    /// Adds a report, and says whether the slot is filling then.
    pub(super) fn push(&self, report: Report) -> bool {
        self.change(|state| {
            if !state.keeps_reports || state.over {
                return false;
            }
            if report.method == SubscriptionsAcknowledgedNotification::METHOD {
                state.acknowledgement.get_or_insert(report.params);
                return true;
            }
            let says_changed = report.method.ends_with("/list_changed");
            if says_changed && state.reports.iter().any(|waiting| waiting.method == report.method) {
                return false;
            }
            let weight = report.params.len();
            while state.reports.len() == Self::LIMIT
                || (state.bytes > 0 && state.bytes + weight > Self::BYTES)
            {
                let Some(oldest) = state.reports.pop_front() else { break };
                state.bytes -= oldest.params.len();
                state.lost += 1;
                state.is_slow = true;
            }
            state.bytes += weight;
            state.reports.push_back(report);
            true
        })
    }

    /// Changes the state, and wakes the caller if that says so. Never wakes under the lock.
    fn change(&self, change: impl FnOnce(&mut State) -> bool) -> bool {
        let (waker, filling) = {
            let mut state = self.state();
            let waker = if change(&mut state) { state.caller.take() } else { None };
            (waker, state.is_filling())
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        filling
    }

    /// How the present request ended, if it has: also one that was not begun, because its call was cancelled.
    pub(super) fn take_outcome(&self) -> Option<CallOutcome> {
        self.state().outcome.take()
    }

    /// Whether the present request ended otherwise than by a reply.
    pub(super) fn ended_without_reply(&self) -> bool {
        match &self.state().outcome {
            Some(CallOutcome::Core(Outcome::Result(_) | Outcome::Error(_))) | None => false,
            Some(_) => true,
        }
    }

    /// Waits for the end of the present request.
    pub(crate) async fn outcome(&self) -> CallOutcome {
        poll_fn(|cx| self.poll_outcome(cx)).await
    }

    /// Whoever waits is at work on it: nobody need be woken until it waits again.
    ///
    /// A task that is woken while it runs is queued again, and another thread is woken to take it.
    pub(super) fn attended(&self) {
        self.state().caller = None;
    }

    pub(super) fn poll_outcome(&self, cx: &mut Context<'_>) -> Poll<CallOutcome> {
        let mut state = self.state();
        if let Some(outcome) = state.outcome.take() {
            return Poll::Ready(outcome);
        }
        Self::wait(&mut state, cx);
        Poll::Pending
    }

    /// The acknowledgement of a subscription; `None` once the call is over without one.
    pub(crate) fn poll_acknowledgement(&self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.state();
        if let Some(params) = state.acknowledgement.take() {
            return Poll::Ready(Some(params));
        }
        if state.over {
            return Poll::Ready(None);
        }
        Self::wait(&mut state, cx);
        Poll::Pending
    }

    /// The next report that waits; [`ReportStep::End`] once the call is over and none is left.
    pub(crate) fn poll_report(&self, cx: &mut Context<'_>) -> Poll<ReportStep> {
        let mut state = self.state();
        if state.lost > 0 {
            return Poll::Ready(ReportStep::Lost(std::mem::take(&mut state.lost)));
        }
        if let Some(report) = state.reports.pop_front() {
            state.bytes -= report.params.len();
            return Poll::Ready(ReportStep::Report(report));
        }
        if state.over {
            return Poll::Ready(ReportStep::End);
        }
        Self::wait(&mut state, cx);
        Poll::Pending
    }

    /// Reports and outcome are read by one task: the one that owns the call.
    fn wait(state: &mut State, cx: &mut Context<'_>) {
        match &mut state.caller {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }
}
