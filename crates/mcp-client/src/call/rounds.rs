//! The requests of one call, one after the other, until the server wants nothing more.

use std::{future::ready, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use mcp_protocol::{
    Metadata, ResultKind,
    connection::{CancelMode, Deadlines, Outcome, OutgoingCall},
    input::{may_require_input, retry_params},
    result_kind,
};
use mcp_types::{Era, jsonrpc::MethodName};
use tokio::time::Instant;

use super::{
    CallOptions, Mode, RawCall,
    long::{Long, told},
    mirror::{self, Fields, is_mismatch},
};
use crate::{
    Error, ErrorKind, Result,
    client::Inner,
    error::{Cause, Raw, outcome_error, start_error},
    handlers::CallInfo,
    session::{CallOutcome, Headers, Slot, StartError},
    task::{Later, Step as Wait, either},
};

/// Where the requests of a call stand.
pub(crate) struct Rounds {
    /// Of the present request; kept only where there may be another round.
    params: Option<Bytes>,
    progress_token: Option<i64>,
    fields: Fields,
    mode: Mode,
    number: usize,
    /// When the present request began. Waiting for a place counts.
    since: Instant,
    /// Of the total limit, when it began.
    left: Duration,
}

/// What a result is to a call.
pub(super) enum Step {
    /// The result of the call.
    Done(Bytes),
    /// The server wants input first.
    Input(Bytes),
}

/// What is to be done before the next request.
pub(super) enum Next {
    /// This result says what the server wants to know first.
    Answer(Bytes),
    /// The last request failed, and is to be sent once more with other header fields, if that may help.
    Mend(Error),
}

/// Lists the tool of a call whose request the server refused for its header fields, and has the next request follow the
/// definition that is listed now. What is left of the total limit counts for both.
///
/// Reached by way of [`Inner::mend`] alone, which comes with the transport: where no header fields reach the server, a program
/// does not carry it.
pub(crate) fn mend<'a>(
    rounds: &'a mut Rounds,
    call: &'a RawCall,
    slot: &'a Slot,
    refusal: Error,
) -> Later<'a, Result<()>> {
    Box::pin(async move {
        let client = &*call.options.client.0;
        let _answering = client.session.answering();
        let params = rounds.params.clone().unwrap_or_default();
        let left = rounds.left.saturating_sub(rounds.since.elapsed());
        let mut mended = Ok(());
        let mend = async { mended = rounds.fields.mend(&call.options, &params, left, refusal).await };
        unless_over(pin!(mend), client, slot, false).await?;
        mended?;
        rounds.left = rounds.left.saturating_sub(rounds.since.elapsed());
        rounds.since = Instant::now();
        Ok(())
    })
}

/// See [`mend`].
pub(crate) type Mend = for<'a> fn(&'a mut Rounds, &'a RawCall, &'a Slot, Error) -> Later<'a, Result<()>>;

/// One request after the other, until the server wants nothing more. Takes the params out of `call`.
pub(super) fn run<'a>(call: &'a mut RawCall, slot: &'a Arc<Slot>, mode: Mode) -> Later<'a, Result<Bytes>> {
    Box::pin(async move {
        let mut rounds = Rounds::first(call, mode)?;
        let request = Some(rounds.request(call));
        rounds.go_on(call, request, slot).await
    })
}

impl Rounds {
    /// Before the first request. Takes the params out of `call`.
    pub(super) fn first(call: &mut RawCall, mode: Mode) -> Result<Self> {
        let client = &*call.options.client.0;
        client.check(&call.method)?;
        let progress_token = call.options.wants_progress().then(|| client.session.progress_token());
        let params = stamped(call, progress_token)?;
        let fields = mirror::fields(&call.options, &call.method, params.as_ref())?;
        let (since, left) = (Instant::now(), call.options.total);
        Ok(Self { params, progress_token, fields, mode, number: 1, since, left })
    }

    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// What goes beside the present request.
    pub(super) fn headers(&self) -> &Headers {
        self.fields.headers()
    }

    /// What mends the present request, if the server refused it with `error` and that may help.
    pub(super) fn mends(&self, call: &RawCall, error: &Error) -> Option<Mend> {
        call.options.client.0.mend.filter(|_| is_mismatch(error) && self.may_be_mended(call))
    }

    fn may_be_mended(&self, call: &RawCall) -> bool {
        self.fields.can_be_mended(&call.options.client, &call.method)
    }

    /// The present request.
    pub(super) fn request(&mut self, call: &RawCall) -> OutgoingCall {
        let RawCall { method, options, .. } = call;
        let may_go_on = options.client.0.negotiated.era() == Era::Modern && may_require_input(method);
        let keeps = (may_go_on && !self.is_last(options)) || self.may_be_mended(call);
        OutgoingCall {
            method: method.clone(),
            params: if keeps { self.params.clone() } else { self.params.take() },
            progress_token: self.progress_token,
            deadlines: Deadlines {
                idle: Some(options.idle),
                total: Some(self.left),
                extend_on_progress: options.extends_on_progress(),
            },
            cancel: CancelMode::Notify,
            continues: self.number > 1,
            exempt: self.mode == Mode::Stream || options.is_exempt(),
        }
    }

    /// Sends the present request, and those that follow from it.
    async fn go_on(
        &mut self,
        call: &RawCall,
        mut outgoing: Option<OutgoingCall>,
        slot: &Arc<Slot>,
    ) -> Result<Bytes> {
        loop {
            let headers = self.fields.headers();
            let result = request(self.since, &call.options, &mut outgoing, headers, slot, self.mode).await;
            match result.and_then(|result| self.judge(call, result)) {
                Ok(Step::Done(result)) => return Ok(result),
                Ok(Step::Input(result)) => self.next(call, Next::Answer(result), slot).await?,
                Err(error) => self.next(call, Next::Mend(error), slot).await?,
            }
            outgoing = Some(self.request(call));
        }
    }

    /// Sends `request`, which could not be sent at once, and what follows from it. `skipped`: how much input was no message
    /// before the call.
    pub(super) fn send_later(mut self, call: RawCall, request: OutgoingCall, skipped: u64) -> Long {
        Box::pin(async move {
            let done = self.go_on(&call, Some(request), &Arc::default()).await;
            done.map_err(|error| told(error, &call, skipped))
        })
    }

    /// As [`send_later`](Self::send_later), after a first request that leads to `next`.
    pub(super) fn go_on_later(mut self, call: RawCall, next: Next, slot: Arc<Slot>, skipped: u64) -> Long {
        Box::pin(async move {
            let done = match self.next(&call, next, &slot).await {
                Ok(()) => {
                    let request = Some(self.request(&call));
                    self.go_on(&call, request, &slot).await
                }
                Err(error) => Err(error),
            };
            done.map_err(|error| told(error, &call, skipped))
        })
    }

    /// Prepares the next request.
    fn next<'a>(&'a mut self, call: &'a RawCall, next: Next, slot: &'a Slot) -> Later<'a, Result<()>> {
        match next {
            Next::Answer(result) => self.answer(call, result, slot),
            Next::Mend(error) => match self.mends(call, &error) {
                Some(mend) => mend(self, call, slot, error),
                None => Box::pin(ready(Err(error))),
            },
        }
    }

    /// Whether the call is over with `result`.
    pub(super) fn judge(&self, call: &RawCall, result: Bytes) -> Result<Step> {
        let RawCall { method, options, .. } = call;
        let error = match complete(options.client.0.negotiated.era(), method, result) {
            Ok(result) => return Ok(Step::Done(result)),
            Err(error) => error,
        };
        if self.mode == Mode::Once || error.kind() != ErrorKind::InputRequired {
            return Err(error);
        }
        match error.raw_bytes() {
            Some(result) if !self.is_last(options) => Ok(Step::Input(result)),
            _ => Err(error.with_context(format!("after {} rounds", options.max_rounds()))),
        }
    }

    /// Has the client's handlers answer what the server wants to know: the next request carries that.
    fn answer<'a>(&'a mut self, call: &'a RawCall, result: Bytes, slot: &'a Slot) -> Later<'a, Result<()>> {
        Box::pin(async move {
            self.left = self.left.saturating_sub(self.since.elapsed());
            let RawCall { method, options, .. } = call;
            self.params = Some(answered(options, method, self.params.take(), &result, slot).await?);
            self.number += 1;
            self.since = Instant::now();
            Ok(())
        })
    }

    fn is_last(&self, options: &CallOptions) -> bool {
        self.number >= options.max_rounds()
    }
}

/// The params of `call`, which are taken, with the metadata of the connection.
fn stamped(call: &mut RawCall, progress_token: Option<i64>) -> Result<Option<Bytes>> {
    let params = std::mem::replace(&mut call.params, Ok(Bytes::new()))?;
    let client = &*call.options.client.0;
    let callers = call.options.meta();
    if progress_token.is_none() && callers.is_none() && client.stamp.is_empty() {
        return Ok((!params.is_empty()).then_some(params));
    }
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
    let mut answers = None;
    let answered = async { answers = Some(client.answer(call, result).await) };
    unless_over(pin!(answered), client, slot, true).await?;
    let Some(answers) = answers.transpose()? else { return Err(Error::new(Cause::Closed)) };
    retry_params(params.as_ref(), answers.responses.as_ref(), answers.state.as_ref()).map_err(not_an_object)
}

/// Waits for `step` between two requests of a call, unless the call ends before. `sent`: whether the request before was
/// executed in part.
fn unless_over<'a>(step: Wait<'a>, client: &'a Inner, slot: &'a Slot, sent: bool) -> Later<'a, Result<()>> {
    Box::pin(async move {
        let (mut outcome, mut failure) = (None, None);
        {
            let over = pin!(async { outcome = Some(slot.outcome().await) });
            let lost = pin!(async { failure = Some(client.session.gave_up().await) });
            let ends = async {
                either(over, lost).await;
            };
            either(step, pin!(ends)).await;
        }
        match (outcome, failure) {
            (Some(outcome), _) => Err(ended(outcome)),
            (None, Some(failure)) => Err(outcome_error(Outcome::Lost { failure, sent })),
            (None, None) => Ok(()),
        }
    })
}

/// One request and its raw result: takes it out of `outgoing`. Its deadlines count from `since`.
async fn request(
    since: Instant,
    options: &CallOptions,
    outgoing: &mut Option<OutgoingCall>,
    headers: &Headers,
    slot: &Arc<Slot>,
    mode: Mode,
) -> Result<Bytes> {
    let total = outgoing.as_ref().and_then(|outgoing| outgoing.deadlines.total);
    let limit = options.idle.min(total.unwrap_or(Duration::MAX));
    let shared = matches!(mode, Mode::Shared | Mode::Stream);
    let session = &options.client.0.session;
    let waiting = limit.saturating_sub(since.elapsed());
    let performed = session.perform(since.into_std(), outgoing, headers, slot, shared, waiting).await;
    let performed = performed.map_err(|error| match error {
        StartError::Full(_) => StartError::Full(limit),
        other => other,
    });
    result(performed.map_err(start_error)?).map_err(|error| error.with_http(slot.take_http()))
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
