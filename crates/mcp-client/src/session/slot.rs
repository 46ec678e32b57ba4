use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use mcp_protocol::connection::{CallId, Outcome};
use mcp_transport::HttpFailure;
use mcp_types::{Notification, SubscriptionsAcknowledgedNotification, jsonrpc::MethodName, read};
use serde_core::de::DeserializeOwned;

use super::{Failure, Headers, lock};

/// Where the reader leaves what comes for one call. Filled outside the core's lock, by one task, in order.
///
/// A call of several rounds keeps its slot: each round is a request of its own, the reports of all go into one queue.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<State>);

/// Small, and the rest on the heap: every call has one.
#[derive(Debug, Default)]
struct State {
    id: Option<CallId>,
    /// How the present request ended, until its caller takes it.
    outcome: Option<CallOutcome>,
    /// No request comes after.
    over: bool,
    caller: Option<Waker>,
    /// Where somebody reads reports.
    feed: Option<Box<Feed>>,
    beside: Option<Box<Beside>>,
}

/// The reports of a call that wait for their reader.
#[derive(Debug, Default)]
struct Feed {
    reports: VecDeque<Report>,
    /// Of the params in `reports`.
    bytes: usize,
    /// What a subscription begins with; apart, so that a burst cannot push it out.
    acknowledgement: Option<Bytes>,
    lost: u64,
    /// Something was lost before: the reader does not keep up.
    is_slow: bool,
}

/// What goes beside the messages of a call, on transports that have that.
#[derive(Debug, Default)]
struct Beside {
    /// What goes beside the request, should it have to be sent again.
    headers: Headers,
    /// What the reply came with, where that was a refusal.
    http: Option<Box<HttpFailure>>,
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
        self.feed.as_ref().is_some_and(|feed| !feed.is_slow && feed.reports.len() > Feed::LIMIT / 2)
    }

    fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }
}

impl Feed {
    /// How many reports wait for a slow reader before the oldest go.
    const LIMIT: usize = 1024;
    /// And how many bytes of them.
    const BYTES: usize = 16 << 20;

    /// Whether that is news for the reader.
    fn push(&mut self, report: Report) -> bool {
        if report.method == SubscriptionsAcknowledgedNotification::METHOD {
            self.acknowledgement.get_or_insert(report.params);
            return true;
        }
        let says_changed = report.method.ends_with("/list_changed");
        if says_changed && self.reports.iter().any(|waiting| waiting.method == report.method) {
            return false;
        }
        let weight = report.params.len();
        while self.reports.len() == Self::LIMIT || (self.bytes > 0 && self.bytes + weight > Self::BYTES) {
            let Some(oldest) = self.reports.pop_front() else { break };
            self.bytes -= oldest.params.len();
            self.lost += 1;
            self.is_slow = true;
        }
        self.bytes += weight;
        self.reports.push_back(report);
        true
    }

    fn pop(&mut self) -> Option<Report> {
        let report = self.reports.pop_front()?;
        self.bytes -= report.params.len();
        Some(report)
    }
}

impl Report {
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> read::Result<T> {
        mcp_types::decode(&self.params)
    }
}

/// Reads the reports of a call: takes several at a time, so that a burst does not cost a lock each.
pub(crate) struct Reports {
    slot: Arc<Slot>,
    taken: VecDeque<Report>,
}

impl Reports {
    /// Few beside those that wait for a slow reader.
    const AT_ONCE: usize = 32;

    pub(crate) fn of(slot: Arc<Slot>) -> Self {
        Self { slot, taken: VecDeque::new() }
    }

    /// One that was taken before.
    pub(crate) fn taken(&mut self) -> Option<Report> {
        self.taken.pop_front()
    }

    /// As [`Slot::poll_report`].
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ReportStep> {
        match self.taken() {
            Some(report) => Poll::Ready(ReportStep::Report(report)),
            None => self.slot.poll_reports(cx, Self::AT_ONCE, &mut self.taken),
        }
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
    pub(crate) fn keeping_reports() -> Self {
        Self(Mutex::new(State { feed: Some(Box::default()), ..State::default() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Ties the slot to its present request. Fails when the call was cancelled before it was started.
    pub(crate) fn started(&self, id: CallId) -> bool {
        let mut state = self.state();
        state.id = Some(id);
        state.outcome.is_none()
    }

    pub(crate) fn keep_headers(&self, headers: Headers) {
        self.state().beside().headers = headers;
    }

    pub(super) fn headers(&self) -> Headers {
        self.state().beside.as_ref().map_or(Headers::NONE, |beside| beside.headers.clone())
    }

    pub(super) fn keep_http(&self, http: HttpFailure) {
        self.state().beside().http = Some(Box::new(http));
    }

    /// What the error of the present request came with, where that was an HTTP refusal.
    pub(crate) fn take_http(&self) -> Option<Box<HttpFailure>> {
        self.state().beside.as_mut()?.http.take()
    }

    /// The present request, or the last one.
    pub(crate) fn id(&self) -> Option<CallId> {
        self.state().id
    }

    /// Ends the present request, unless it has ended.
    pub(crate) fn finish(&self, outcome: CallOutcome) {
        let mut outcome = Some(outcome);
        self.change(&mut |state| {
            let ends = !state.over && state.outcome.is_none();
            if ends {
                state.outcome = outcome.take();
            }
            ends
        });
    }

    /// Ends the call: no request comes after.
    pub(crate) fn end(&self) {
        self.change(&mut |state| {
            state.over = true;
            true
        });
    }

    /// Whether the reader of the reports keeps up so far, but is about to be overtaken.
    pub(super) fn is_filling(&self) -> bool {
        self.state().is_filling()
    }

    /// Adds reports, and says whether the slot is filling then.
    pub(super) fn push(&self, reports: &mut dyn Iterator<Item = Report>) -> bool {
        self.change(&mut |state| match &mut state.feed {
            Some(feed) if !state.over => reports.fold(false, |news, report| feed.push(report) | news),
            _ => false,
        })
    }

    /// Changes the state, and wakes the caller if that says so. Never wakes under the lock.
    fn change(&self, change: &mut dyn FnMut(&mut State) -> bool) -> bool {
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

    /// Whether the present request ended by a reply, which its caller did not take yet.
    pub(super) fn is_replied(&self) -> bool {
        matches!(&self.state().outcome, Some(CallOutcome::Core(Outcome::Result(_) | Outcome::Error(_))))
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

    /// As [`outcome`](Self::outcome).
    pub(crate) fn poll_outcome(&self, cx: &mut Context<'_>) -> Poll<CallOutcome> {
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
        if let Some(params) = state.feed.as_mut().and_then(|feed| feed.acknowledgement.take()) {
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
        self.poll_reports(cx, 1, &mut VecDeque::new())
    }

    /// As [`poll_report`](Self::poll_report). Of `count` reports, puts those after the first into `further`.
    fn poll_reports(
        &self,
        cx: &mut Context<'_>,
        count: usize,
        further: &mut VecDeque<Report>,
    ) -> Poll<ReportStep> {
        let mut state = self.state();
        if let Some(feed) = &mut state.feed {
            if feed.lost > 0 {
                return Poll::Ready(ReportStep::Lost(std::mem::take(&mut feed.lost)));
            }
            if let Some(report) = feed.pop() {
                further.extend(std::iter::from_fn(|| feed.pop()).take(count - 1));
                return Poll::Ready(ReportStep::Report(report));
            }
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
