//! Calls that are tried again.

use std::{pin::pin, sync::Arc};

use bytes::Bytes;
use mcp_types::ToolAnnotations;
use tokio::time::Instant;

use super::{
    Mode, RawCall,
    rounds::{ended, run},
};
use crate::{
    Error, Result, State,
    client::Inner,
    output::tool_name,
    retry::Retry,
    session::Slot,
    task::{Later, either, within},
};

/// What is kept of a call while its first try is under way, if it may be tried again.
pub(crate) struct Retrying {
    retry: Retry,
    call: RawCall,
    begun: Instant,
}

/// What comes of further tries.
type Tries<'a> = Later<'a, Result<Bytes>>;

/// How a call goes on that failed.
pub(crate) type Again = fn(Retrying, Error, &Arc<Slot>, Mode) -> Tries<'_>;

#[inline]
pub(crate) fn go_on(call: Retrying, error: Error, slot: &Arc<Slot>, mode: Mode) -> Tries<'_> {
    Box::pin(call.try_again(error, slot, mode))
}

impl Retrying {
    /// `None` when the call has no policy; then nothing is copied.
    pub(super) fn of(call: &RawCall, mode: Mode) -> Option<Self> {
        let retry = call.options.retry().filter(|_| mode != Mode::Stream)?;
        let params = call.params.as_ref().ok()?.clone();
        let call = RawCall { method: call.method.clone(), params: Ok(params), options: call.options.clone() };
        Some(Self { retry, call, begun: Instant::now() })
    }

    /// Goes on after the first try failed with `error`.
    pub(super) fn go_on(self, error: Error, slot: &Arc<Slot>, mode: Mode) -> Tries<'_> {
        (self.retry.again)(self, error, slot, mode)
    }

    async fn try_again(self, mut error: Error, slot: &Arc<Slot>, mode: Mode) -> Result<Bytes> {
        let harmless = self.is_harmless();
        let Self { retry, call, begun } = self;
        let RawCall { method, params, options } = call;
        let params = params?;
        for number in 0.. {
            let of_method = error.of_method(&method);
            let Some(wait) = retry.wait(number, &of_method, harmless) else { return Err(of_method) };
            let left = options.total.saturating_sub(begun.elapsed());
            if wait >= left || matches!(options.client.state(), State::Closing | State::Closed) {
                return Err(of_method);
            }
            let mut outcome = None;
            let over = async { outcome = Some(slot.outcome().await) };
            let ends = async {
                either(pin!(over), pin!(options.client.0.session.closing())).await;
            };
            let ended_before = within(wait, pin!(ends)).await;
            match outcome {
                Some(outcome) => return Err(ended(outcome)),
                None if ended_before => return Err(of_method),
                None => {}
            }
            let mut options = options.clone();
            options.total = left.saturating_sub(wait);
            let mut call = RawCall { method: method.clone(), params: Ok(params.clone()), options };
            match run(&mut call, slot, mode).await {
                Err(again) => error = again,
                done => return done,
            }
        }
        Err(error)
    }

    /// Whether nobody is hurt when the request is executed twice.
    fn is_harmless(&self) -> bool {
        let RawCall { method, params, options } = &self.call;
        options.is_idempotent()
            || crate::error::is_read(method)
            || (self.retry.trusts_hints()
                && method == "tools/call"
                && params.as_ref().is_ok_and(|params| options.client.0.vouches_for(params)))
    }
}

impl Inner {
    /// Whether the tool that `params` call says of itself that it can be called twice without harm, and the server said nothing of a
    /// change since.
    fn vouches_for(&self, params: &[u8]) -> bool {
        let known = tool_name(params).and_then(|name| self.catalogue.current(&name));
        known.and_then(|tool| tool.annotations.as_ref().map(ToolAnnotations::is_idempotent)).unwrap_or(false)
    }
}
