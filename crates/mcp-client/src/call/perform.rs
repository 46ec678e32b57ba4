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
    input::{may_require_input, retry_params},
    result_kind,
};
use mcp_types::{Era, Request, jsonrpc::MethodName};
use tokio::{
    sync::SemaphorePermit,
    time::{Instant, timeout},
};

use super::{
    CallOptions, RawCall, Reply,
    mirror::{self, Fields},
    retrying::Retrying,
};
use crate::{
    Error, ErrorKind, Result,
    catalogue::ToolPages,
    error::{Cause, Limit, Raw},
    error::{outcome_error, start_error},
    handlers::CallInfo,
    output::Judged,
    session::{CallOutcome, Headers, Slot, StartError},
};

/// The future of a [`Call`](super::Call). Dropping it cancels the call.
#[must_use = "a call is made when it is awaited"]
pub struct CallFuture<R: Request> {
    running: Pin<Box<dyn Future<Output = Result<Bytes>> + Send>>,
    tools: Option<ToolPages>,
    method: PhantomData<fn() -> R>,
}

/// Who waits for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Its future alone.
    Plain,
    /// Another handle too: it goes on when nobody polls.
    Shared,
    /// As [`Mode::Shared`], for as long as the connection: it takes no place among the calls in flight.
    Stream,
    /// Its future alone, for one request.
    Once,
}

impl<R: Request> CallFuture<R> {
    pub(crate) fn new(call: RawCall, slot: Arc<Slot>, mode: Mode) -> Self {
        let tools = ToolPages::of::<R>(&call);
        Self { running: Box::pin(perform(call, slot, mode)), tools, method: PhantomData }
    }
}

impl<R: Request> Future for CallFuture<R> {
    type Output = Result<Reply<R::Result>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.running.as_mut().poll(cx).map(|result| {
            let decoded = Reply::decode(result?).and_then(|mut reply| {
                if let Some(tools) = &self.tools {
                    tools.take(&mut reply)?;
                }
                Ok(reply)
            });
            decoded.map_err(|error| error.of_method(&R::METHOD.into()))
        })
    }
}

impl<R: Request> fmt::Debug for CallFuture<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallFuture({})", R::METHOD)
    }
}

/// Makes a call and gives its raw result. Not generic, so that it is compiled once.
///
/// No `async fn`: that would keep its arguments twice, and this future is allocated for every call. For the same reason
/// what is rare is on the heap.
fn perform(
    mut call: RawCall,
    slot: Arc<Slot>,
    mode: Mode,
) -> impl Future<Output = Result<Bytes>> + Send + 'static {
    let session = Arc::clone(&call.options.client.0.session);
    async move {
        let _end = EndOnDrop(&slot);
        let skipped = session.skipped();
        let retrying = Retrying::of(&call, mode).map(Box::new);
        let judged = Judged::of(&call).map(Box::new);
        let done = match (run(&mut call, &slot, mode).await, retrying) {
            (Err(error), Some(retrying)) => Box::pin(retrying.go_on(error, &slot, mode)).await,
            (done, _) => done,
        };
        let done = match judged {
            Some(judged) => done.and_then(|result| judged.judge(result)),
            None => done,
        };
        done.map_err(|error| {
            let error = error.of_method(&call.method).with_total(call.options.total);
            match session.last_skipped() {
                // Perhaps that was the answer.
                Some(last) if error.kind() == ErrorKind::Timeout && session.skipped() > skipped => {
                    error.with_context(format!("meanwhile the server wrote what is no message: {last}"))
                }
                _ => error,
            }
        })
    }
}

/// Whoever reads the reports of a call learns that it is over, however it ends.
struct EndOnDrop<'a>(&'a Slot);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// One request after the other, until the server wants nothing more. Takes the params out of `call`.
pub(super) async fn run(call: &mut RawCall, slot: &Arc<Slot>, mode: Mode) -> Result<Bytes> {
    let client = &*call.options.client.0;
    let era = client.negotiated.era();
    client.check(&call.method)?;
    let wants_progress = call.options.wants_progress || call.options.extend_on_progress;
    let progress_token = wants_progress.then(|| client.session.progress_token());
    let mut params = stamped(call, progress_token)?;
    let (method, options) = (&call.method, &call.options);
    let client = &*options.client.0;
    let mut fields = mirror::fields(options, method, params.as_ref())?;
    let mut since = Instant::now();
    let _permit = match client.permits.try_acquire() {
        _ if mode == Mode::Stream => None,
        Ok(permit) => Some(permit),
        Err(_) => Some(Box::pin(permit(options, slot)).await?),
    };
    let may_go_on = era == Era::Modern && may_require_input(method);
    let mut left = options.total;
    for number in 1.. {
        // Waiting for a place counts, in the first round.
        if number > 1 {
            since = Instant::now();
        }
        let is_last = number >= options.max_rounds;
        let mut request = Some(OutgoingCall {
            method: method.clone(),
            // Kept only where there may be another round.
            params: if may_go_on && !is_last { params.clone() } else { params.take() },
            progress_token,
            deadlines: Deadlines {
                idle: Some(options.idle),
                total: Some(left),
                extend_on_progress: options.extend_on_progress,
            },
            cancel: CancelMode::Notify,
            continues: number > 1,
        });
        let result = round(since, options, &mut request, &mut fields, slot, mode).await?;
        let goes_on = mode != Mode::Once && wants_input(era, method, &result);
        if is_last && goes_on {
            return complete(era, method, result)
                .map_err(|error| error.with_context(format!("after {} rounds", options.max_rounds)));
        }
        if !goes_on {
            return complete(era, method, result);
        }
        left = left.saturating_sub(since.elapsed());
        params = Some(Box::pin(answered(options, method, params, &result, slot)).await?);
    }
    Err(Error::new(Cause::Closed))
}

/// The params of `call`, which are taken, with the metadata of the connection.
fn stamped(call: &mut RawCall, progress_token: Option<i64>) -> Result<Option<Bytes>> {
    let params = std::mem::replace(&mut call.params, Ok(Vec::new()))?;
    let client = &*call.options.client.0;
    let callers = call.options.meta.as_ref();
    let default_meta = client.default_meta(callers);
    let metadata = Metadata { progress_token, members: default_meta.as_ref().or(callers) };
    client.stamp.apply(params, metadata).map_err(not_an_object)
}

/// The params of the next round: those of the last with the answers to what the server asked for in `result`.
async fn answered(
    options: &CallOptions,
    method: &MethodName,
    params: Option<Bytes>,
    result: &Bytes,
    slot: &Slot,
) -> Result<Bytes> {
    let client = &*options.client.0;
    let _answering = client.session.answering();
    let call = CallInfo::new(slot.id(), method, params.as_ref());
    let answers = tokio::select! {
        answers = client.answer(call, result) => answers?,
        outcome = slot.outcome() => return Err(ended(outcome)),
        failure = client.session.gave_up() => {
            return Err(outcome_error(Outcome::Lost { failure, sent: true }));
        }
    };
    retry_params(params.as_ref(), answers.responses.as_ref(), answers.state.as_ref()).map_err(not_an_object)
}

/// Waits for a place among the calls in flight.
async fn permit<'a>(options: &'a CallOptions, slot: &Slot) -> Result<SemaphorePermit<'a>> {
    let client = &*options.client.0;
    let waiting = options.idle.min(options.total);
    tokio::select! {
        permit = timeout(waiting, client.permits.acquire()) => permit
            .map_err(|_| Error::new(Cause::Timeout(Limit::Waiting(waiting))))?
            .map_err(|_| Error::new(Cause::Closed)),
        outcome = slot.outcome() => Err(ended(outcome)),
        () = client.session.closing() => Err(Error::new(Cause::Closed)),
    }
}

/// One request and its raw result. Once a call it is two: when the server refuses the first for its header fields.
async fn round(
    since: Instant,
    options: &CallOptions,
    outgoing: &mut Option<OutgoingCall>,
    fields: &mut Fields,
    slot: &Arc<Slot>,
    mode: Mode,
) -> Result<Bytes> {
    // Rare, so kept out of the size of every call's future.
    let again = outgoing.as_ref().filter(|outgoing| fields.can_be_mended(&options.client, &outgoing.method));
    let again = again.cloned().map(Box::new);
    let result = request(since, options, outgoing, fields.headers(), slot, mode).await;
    match (again, result) {
        (Some(again), Err(refusal)) if mirror::is_mismatch(&refusal) => {
            Box::pin(mended(since, options, *again, fields, slot, mode, refusal)).await
        }
        (_, result) => result,
    }
}

/// The same request with the header fields of the tool's definition as it is listed now. What is left of the total limit
/// counts for both.
async fn mended(
    since: Instant,
    options: &CallOptions,
    mut outgoing: OutgoingCall,
    fields: &mut Fields,
    slot: &Arc<Slot>,
    mode: Mode,
    refusal: Error,
) -> Result<Bytes> {
    let session = &options.client.0.session;
    let total = outgoing.deadlines.total.unwrap_or(Duration::MAX);
    let params = outgoing.params.clone().unwrap_or_default();
    {
        let _answering = session.answering();
        let left = total.saturating_sub(since.elapsed());
        tokio::select! {
            mended = fields.mend(options, &params, left, refusal) => mended?,
            outcome = slot.outcome() => return Err(ended(outcome)),
            failure = session.gave_up() => return Err(outcome_error(Outcome::Lost { failure, sent: false })),
        }
    }
    outgoing.deadlines.total = Some(total.saturating_sub(since.elapsed()));
    request(Instant::now(), options, &mut Some(outgoing), fields.headers(), slot, mode).await
}

/// One request and its raw result: takes it out of `outgoing`. Its deadlines count from `since`.
fn request<'a>(
    since: Instant,
    options: &'a CallOptions,
    outgoing: &'a mut Option<OutgoingCall>,
    headers: &'a Headers,
    slot: &'a Arc<Slot>,
    mode: Mode,
) -> impl Future<Output = Result<Bytes>> + Send + use<'a> {
    let total = outgoing.as_ref().and_then(|outgoing| outgoing.deadlines.total);
    let limit = options.idle.min(total.unwrap_or(Duration::MAX));
    let shared = matches!(mode, Mode::Shared | Mode::Stream);
    let session = &options.client.0.session;
    async move {
        let waiting = limit.saturating_sub(since.elapsed());
        let performed = session.perform(since.into_std(), outgoing, headers, slot, shared, waiting).await;
        let performed = performed.map_err(|error| match error {
            StartError::Full(_) => StartError::Full(limit),
            other => other,
        });
        result(performed.map_err(start_error)?).map_err(|error| error.with_http(slot.take_http()))
    }
}

/// The raw result of a request that came to `outcome`.
pub(super) fn result(outcome: CallOutcome) -> Result<Bytes> {
    match outcome {
        CallOutcome::Core(Outcome::Result(result)) => Ok(result),
        // The other way in which a server ends a subscription in order.
        CallOutcome::Core(Outcome::CancelledByPeer) => Ok(Bytes::from_static(b"{}")),
        outcome => Err(ended(outcome)),
    }
}

pub(super) fn ended(outcome: CallOutcome) -> Error {
    match outcome {
        CallOutcome::Core(outcome) => outcome_error(outcome),
        CallOutcome::Cancelled { reason, sent } => Error::new(Cause::Cancelled(reason)).sent(sent),
    }
}

fn wants_input(era: Era, method: &str, result: &[u8]) -> bool {
    era == Era::Modern && may_require_input(method) && result_kind(result) == ResultKind::InputRequired
}

/// A result that is the method's own.
pub(super) fn complete(era: Era, method: &str, result: Bytes) -> Result<Bytes> {
    if era == Era::Legacy {
        // There, `resultType` is a member like any other.
        return Ok(result);
    }
    match result_kind(&result) {
        ResultKind::Complete => Ok(result),
        ResultKind::InputRequired if may_require_input(method) => {
            Err(Error::new(Cause::InputRequired(Raw(result))))
        }
        ResultKind::InputRequired => Err(Error::new(Cause::ResultType("input_required".into(), Raw(result)))),
        ResultKind::Other(kind) => Err(Error::new(Cause::ResultType(kind, Raw(result)))),
    }
}

pub(super) fn not_an_object(error: mcp_types::jsonrpc::scan::ScanError) -> Error {
    Error::new(Cause::Arguments(format!("params must be {}", error.expected)))
}
