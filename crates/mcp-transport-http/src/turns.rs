//! Turns of the runtime: with fewer, and with one more.

use std::{future::poll_fn, mem, pin::Pin, task::Poll};

/// What comes of `future` without waiting. Timers are dear: what is there already needs none.
pub(crate) async fn at_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await
}

/// Goes to the end of the queue of tasks that are ready.
pub(crate) async fn behind_the_woken() {
    let mut woken = false;
    poll_fn(|cx| {
        if mem::replace(&mut woken, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
