//! What tasks and waits have in common, so that it is compiled once.
//!
//! The body of an `async fn` is compiled in every codegen unit that polls it, with all that is polled within, as a closure's
//! is. So what is rare and is waited for in several places is behind a pointer.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, timeout_at};

/// What is rare enough to be on the heap.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What every task of a client is.
pub(crate) type Task = Later<'static, ()>;

/// Something that is waited for. What comes of it is left where its maker wants it.
pub(crate) type Step<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>;

pub(crate) fn boxed(task: impl Future<Output = ()> + Send + 'static) -> Task {
    Box::pin(task)
}

/// Waits for `step`, at most for `limit`; whether it came to its end. A limit beyond the end of time is none.
pub(crate) fn within(limit: Duration, step: Step<'_>) -> Later<'_, bool> {
    until(Instant::now().checked_add(limit), step)
}

/// As [`within`]. Without a limit, always `true`.
pub(crate) fn until(limit: Option<Instant>, step: Step<'_>) -> Later<'_, bool> {
    Box::pin(async move {
        let Some(at) = limit else {
            step.await;
            return true;
        };
        timeout_at(at, step).await.is_ok()
    })
}

/// Waits for one of two; whether that was the first. The first counts when both are there.
pub(crate) fn either<'a>(first: Step<'a>, second: Step<'a>) -> Either<'a> {
    Either { first, second }
}

pub(crate) struct Either<'a> {
    first: Step<'a>,
    second: Step<'a>,
}

impl Future for Either<'_> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<bool> {
        match self.first.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => self.second.as_mut().poll(cx).map(|()| false),
        }
    }
}
