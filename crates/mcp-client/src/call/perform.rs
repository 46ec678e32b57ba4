use std::{
    borrow::Cow,
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use mcp_types::Request;

use super::{
    RawCall, Reply,
    direct::Direct,
    long::{self, Long},
};
use crate::{Result, catalogue::ToolPages, session::Slot};

/// The future of a [`Call`](super::Call). Dropping it cancels the call.
#[must_use = "a call is made when it is awaited"]
pub struct CallFuture<R: Request> {
    raw: RawFuture,
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
    /// A call whose future alone waits for it.
    pub(super) fn plain(call: RawCall) -> Self {
        let tools = ToolPages::of::<R>(&call);
        Self { raw: RawFuture::plain(call), tools, method: PhantomData }
    }

    /// A call that others see through `slot`.
    pub(crate) fn new(call: RawCall, slot: Arc<Slot>, mode: Mode) -> Self {
        let tools = ToolPages::of::<R>(&call);
        let raw = RawFuture(Running::Long(long::perform(call, slot, mode)));
        Self { raw, tools, method: PhantomData }
    }
}

impl<R: Request> Future for CallFuture<R> {
    type Output = Result<Reply<R::Result>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.raw.poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(raw)) => Poll::Ready(reply_to::<R>(raw, self.tools.as_ref())),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        }
    }
}

/// The decoded result of a call. `tools`: where it has to go first.
pub(super) fn reply_to<R: Request>(raw: Bytes, tools: Option<&ToolPages>) -> Result<Reply<R::Result>> {
    let mut reply = Reply::decode(raw);
    if let (Ok(page), Some(tools)) = (&mut reply, tools)
        && let Err(error) = tools.take(page)
    {
        reply = Err(error);
    }
    reply.map_err(|error| error.of_method(&Cow::Borrowed(R::METHOD)))
}

impl<R: Request> fmt::Debug for CallFuture<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallFuture({})", R::METHOD)
    }
}

/// A call that gives its raw result. Not generic, so that it is compiled once. Dropping it cancels the call.
pub(super) struct RawFuture(Running);

#[expect(clippy::large_enum_variant, reason = "what is small is rare")]
enum Running {
    Direct(Direct),
    Long(Long),
    Over,
}

impl RawFuture {
    /// A call whose future alone waits for it.
    pub(super) fn plain(call: RawCall) -> Self {
        Self(Running::Direct(Direct::new(call)))
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes>> {
        let running = &mut self.0;
        if let Running::Direct(direct) = running {
            let more = match direct.poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(done)) => return Poll::Ready(done),
                Poll::Ready(Err(more)) => more,
            };
            if let Running::Direct(direct) = std::mem::replace(running, Running::Over) {
                *running = Running::Long(direct.into_long(more));
            }
        }
        match running {
            Running::Long(long) => long.as_mut().poll(cx),
            _ => Poll::Pending,
        }
    }
}

impl Drop for RawFuture {
    fn drop(&mut self) {
        if let Running::Direct(direct) = &mut self.0 {
            direct.cancel();
        }
    }
}
