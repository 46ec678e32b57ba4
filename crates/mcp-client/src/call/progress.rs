use std::{
    fmt,
    future::{Future, IntoFuture, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use mcp_types::{
    Request,
    read::{self, Read, Reader},
};

use super::{CallFuture, Mode, RawCall, Reply};
use crate::{
    Result,
    session::{Report, ReportStep, Reports, Session, Slot},
};

/// A call with a stream of its progress. Started by the first poll of either; await it for the result.
#[must_use = "a call is made when it or its progress is awaited"]
pub struct ProgressCall<R: Request>(Progresses<R>);

/// The progress of a call, in order; ends with the call. Part of a [`ProgressCall`].
pub struct Progresses<R: Request> {
    state: Running<R>,
    reports: Reports,
    slot: Arc<Slot>,
    session: Arc<Session>,
    lost: u64,
}

enum Running<R: Request> {
    Open(Box<CallFuture<R>>),
    Over(Option<Result<Reply<R::Result>>>),
}

/// One report of progress.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How far the call is, in units of the server.
    pub progress: f64,
    /// The value of `progress` at the end, if known.
    pub total: Option<f64>,
    /// What is going on, for people. Text of the server: untrusted.
    pub message: Option<String>,
    /// How many reports before this one were dropped, because they were not taken in time.
    pub lost_before: u64,
}

/// Cancels a call from elsewhere. Cheap to clone.
#[derive(Clone)]
pub struct CancelHandle {
    slot: Arc<Slot>,
    session: Arc<Session>,
}

impl<R: Request> ProgressCall<R> {
    pub(super) fn new(call: RawCall) -> Self {
        let slot = Arc::new(Slot::keeping_reports());
        let session = Arc::clone(&call.options.client.0.session);
        let state = Running::Open(Box::new(CallFuture::new(call, Arc::clone(&slot), Mode::Shared)));
        let reports = Reports::of(Arc::clone(&slot));
        Self(Progresses { state, reports, slot, session, lost: 0 })
    }

    /// The progress that comes from here on: a stream, with a [`next`](Progresses::next) of its own.
    ///
    /// Reports that nobody takes are kept up to 1,024 a call (and 32 that were taken together), then the oldest go.
    pub fn progress(&mut self) -> &mut Progresses<R> {
        &mut self.0
    }

    /// A handle that cancels the call.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle { slot: Arc::clone(&self.0.slot), session: Arc::clone(&self.0.session) }
    }
}

impl<R: Request> IntoFuture for ProgressCall<R> {
    type Output = Result<Reply<R::Result>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(poll_fn(move |cx| {
            self.0.drive(cx);
            match &mut self.0.state {
                Running::Over(result) => result.take().map_or(Poll::Pending, Poll::Ready),
                Running::Open(_) => Poll::Pending,
            }
        }))
    }
}

impl<R: Request> Progresses<R> {
    /// The next report; `None` once the call is over. Cancel-safe: no report is lost, the call goes on.
    pub async fn next(&mut self) -> Option<Progress> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Running::Open(future) = &mut self.state
            && let Poll::Ready(result) = Pin::new(future).poll(cx)
        {
            self.state = Running::Over(Some(result));
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        while let Some(report) = self.reports.taken() {
            if let Some(progress) = self.decode(&report) {
                return Poll::Ready(Some(progress));
            }
        }
        self.drive(cx);
        loop {
            match self.reports.poll(cx) {
                Poll::Pending if matches!(self.state, Running::Over(_)) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ReportStep::End) => return Poll::Ready(None),
                Poll::Ready(ReportStep::Lost(count)) => self.lost += count,
                Poll::Ready(ReportStep::Report(report)) => {
                    if let Some(progress) = self.decode(&report) {
                        return Poll::Ready(Some(progress));
                    }
                }
            }
        }
    }

    /// One that cannot be read counts as lost.
    fn decode(&mut self, report: &Report) -> Option<Progress> {
        let Some(progress) = Progress::decode(&report.params) else {
            self.lost += 1;
            return None;
        };
        Some(Progress { lost_before: std::mem::take(&mut self.lost), ..progress })
    }
}

/// Nothing in it is pinned in place: the running call is in a box of its own.
impl<R: Request> Unpin for Progresses<R> {}

impl<R: Request> Stream for Progresses<R> {
    type Item = Progress;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        self.get_mut().poll(cx)
    }
}

impl Progress {
    fn decode(params: &Bytes) -> Option<Self> {
        read::bytes(params).ok()
    }
}

/// Less the token: whose progress it is has been found out before.
impl Read for Progress {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let (mut progress, mut total, mut message) = (None, None, None);
        reader.entries("progress", &mut |name, reader| {
            match &*name {
                "progress" => progress = Some(f64::read(reader)?),
                "total" => total = Read::read(reader)?,
                "message" => message = Read::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let progress = progress.ok_or_else(|| reader.error("missing field `progress`"))?;
        Ok(Self { progress, total, message, lost_before: 0 })
    }
}

impl CancelHandle {
    /// Cancels the call, if it is still open: the server is told, with `reason`; whoever awaits the call gets an error
    /// of kind [`Cancelled`](crate::ErrorKind::Cancelled).
    pub fn cancel(&self, reason: &str) {
        self.session.cancel_with_reason(&self.slot, reason);
    }
}

impl<R: Request> fmt::Debug for ProgressCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgressCall({})", R::METHOD)
    }
}

impl<R: Request> fmt::Debug for Progresses<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Progresses({})", R::METHOD)
    }
}

impl fmt::Debug for CancelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CancelHandle")
    }
}
