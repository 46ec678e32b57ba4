use std::{
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
    running: Running,
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
        Self { running: Running::Direct(Direct::new(call)), tools, method: PhantomData }
    }

    /// A call that others see through `slot`.
    pub(crate) fn new(call: RawCall, slot: Arc<Slot>, mode: Mode) -> Self {
        let tools = ToolPages::of::<R>(&call);
        let running = Running::Long(long::perform(call, slot, mode));
        Self { running, tools, method: PhantomData }
    }
}

impl<R: Request> Future for CallFuture<R> {
    type Output = Result<Reply<R::Result>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.running.poll(cx).map(|result| {
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

/// A call that gives its raw result. Not generic, so that it is compiled once.
#[expect(clippy::large_enum_variant, reason = "what is small is rare")]
enum Running {
    Direct(Direct),
    Long(Long),
    Over,
}

impl Running {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes>> {
        if let Self::Direct(direct) = self {
            let more = match direct.poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(done)) => return Poll::Ready(done),
                Poll::Ready(Err(more)) => more,
            };
            if let Self::Direct(direct) = std::mem::replace(self, Self::Over) {
                *self = Self::Long(direct.into_long(more));
            }
        }
        match self {
            Self::Long(long) => long.as_mut().poll(cx),
            _ => Poll::Pending,
        }
    }
}

impl<R: Request> Drop for CallFuture<R> {
    fn drop(&mut self) {
        if let Running::Direct(direct) = &mut self.running {
            direct.cancel();
        }
    }
}
