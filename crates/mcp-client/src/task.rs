//! What tasks and waits have in common, so that it is compiled once: none of this is generic.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::Duration,
};

use tokio::time::{Instant, timeout_at};

/// What every task of a client is.
pub(crate) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something that is waited for. What comes of it is left where its maker wants it.
pub(crate) type Step<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>;

pub(crate) fn boxed(task: impl Future<Output = ()> + Send + 'static) -> Task {
    Box::pin(task)
}

/// Waits for `step`, at most for `limit`; whether it came to its end. A limit beyond the end of time is none.
pub(crate) async fn within(limit: Duration, step: Step<'_>) -> bool {
    until(Instant::now().checked_add(limit), step).await
}

/// As [`within`]. Without a limit, always `true`.
pub(crate) async fn until(limit: Option<Instant>, step: Step<'_>) -> bool {
    let Some(at) = limit else {
        step.await;
        return true;
    };
    timeout_at(at, step).await.is_ok()
}

/// Waits for one of two; whether that was the first. The first counts when both are there.
pub(crate) async fn either(mut first: Step<'_>, mut second: Step<'_>) -> bool {
    poll_fn(|cx| match first.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => second.as_mut().poll(cx).map(|()| false),
    })
    .await
}
