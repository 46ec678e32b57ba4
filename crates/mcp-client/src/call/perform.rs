use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::{
    Metadata, ResultKind,
    connection::{CancelMode, Deadlines, Outcome, OutgoingCall},
    result_kind,
};
use mcp_types::Request;
use tokio::time::timeout;

use super::{RawCall, Reply};
use crate::{
    Error, Result,
    connect::{outcome_error, start_error},
    error::{Cause, Limit, Raw},
    session::{CallOutcome, Slot},
};

/// The future of a [`Call`](super::Call). Dropping it cancels the call.
#[must_use = "a call is made when it is awaited"]
pub struct CallFuture<R: Request> {
    running: Pin<Box<dyn Future<Output = Result<Bytes>> + Send>>,
    method: PhantomData<fn() -> R>,
}

impl<R: Request> CallFuture<R> {
    pub(super) fn new(call: RawCall, slot: Arc<Slot>, shared: bool) -> Self {
        Self { running: Box::pin(perform(call, slot, shared)), method: PhantomData }
    }
}

impl<R: Request> Future for CallFuture<R> {
    type Output = Result<Reply<R::Result>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.running
            .as_mut()
            .poll(cx)
            .map(|result| Reply::decode(result?).map_err(|error| error.of_method(&R::METHOD.into())))
    }
}

impl<R: Request> fmt::Debug for CallFuture<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallFuture({})", R::METHOD)
    }
}

/// Makes a call and gives its raw result. Not generic, so that it is compiled once.
async fn perform(call: RawCall, slot: Arc<Slot>, shared: bool) -> Result<Bytes> {
    let method = call.method.clone();
    run(call, slot, shared).await.map_err(|error| error.of_method(&method))
}

async fn run(call: RawCall, slot: Arc<Slot>, shared: bool) -> Result<Bytes> {
    let client = &*call.client.0;
    client.check(&call.method)?;
    let progress_token = call.extend_on_progress.then(|| client.session.progress_token());
    let metadata = Metadata { progress_token, members: call.meta.as_ref() };
    let params = client
        .stamp
        .apply(call.params?, metadata)
        .map_err(|error| Error::new(Cause::Arguments(format!("params must be {}", error.expected))))?;
    let begun = tokio::time::Instant::now();
    let waiting = call.idle.min(call.total);
    let _permit = match client.permits.try_acquire() {
        Ok(permit) => permit,
        Err(_) => timeout(waiting, client.permits.acquire())
            .await
            .map_err(|_| Error::new(Cause::Timeout(Limit::Waiting(waiting))))?
            .map_err(|_| Error::new(Cause::Closed))?,
    };
    let outgoing = OutgoingCall {
        method: call.method,
        params,
        progress_token,
        deadlines: Deadlines {
            idle: Some(call.idle),
            total: Some(call.total.saturating_sub(begun.elapsed())),
            extend_on_progress: call.extend_on_progress,
        },
        cancel: CancelMode::Notify,
    };
    let performed =
        client.session.perform(&outgoing, call.headers, &slot, shared, remaining(waiting, begun)).await;
    match performed.map_err(start_error)? {
        CallOutcome::Core(Outcome::Result(result)) => complete(result),
        CallOutcome::Core(other) => Err(outcome_error(other)),
        CallOutcome::Cancelled { reason, sent } => Err(Error::new(Cause::Cancelled(reason)).sent(sent)),
    }
}

fn remaining(limit: Duration, begun: tokio::time::Instant) -> Duration {
    limit.saturating_sub(begun.elapsed())
}

/// A result that is the method's own.
fn complete(result: Bytes) -> Result<Bytes> {
    match result_kind(&result) {
        ResultKind::Complete => Ok(result),
        ResultKind::InputRequired => Err(Error::new(Cause::InputRequired(Raw(result)))),
        ResultKind::Other(kind) => Err(Error::new(Cause::ResultType(kind, Raw(result)))),
    }
}
