use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    ops::Deref,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use mcp_types::Notification;

use crate::{
    Client,
    session::{ReportStep, Slot},
};

/// The notifications of one method, in order. See [`Client::notifications`].
pub struct Notifications<N: Notification> {
    slot: Arc<Slot>,
    lost: u64,
    method: PhantomData<fn() -> N>,
}

/// One of [`Notifications`]. Reads like its params.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Received<T> {
    /// The params.
    pub params: T,
    /// How many before this one were dropped, because they were not taken in time, or could not be decoded.
    pub lost_before: u64,
}

impl Client {
    /// The notifications of one method that come from here on, beside the handlers of the client.
    ///
    /// Those that nobody takes are kept up to 1,024, then the oldest go and the loss is told; of `list_changed`
    /// notifications one is kept. The stream ends with the connection; it does not keep it open.
    pub fn notifications<N: Notification>(&self) -> Notifications<N> {
        let slot = Arc::new(Slot::keeping_reports());
        self.0.session.add_feed(&slot, |method, _| method == N::METHOD);
        Notifications { slot, lost: 0, method: PhantomData }
    }
}

impl<N: Notification> Notifications<N> {
    /// The next notification; `None` once the connection has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<Received<N::Params>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Received<N::Params>>> {
        loop {
            match self.slot.poll_report(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ReportStep::End) => return Poll::Ready(None),
                Poll::Ready(ReportStep::Lost(count)) => self.lost += count,
                Poll::Ready(ReportStep::Report(report)) => match report.decode() {
                    Ok(params) => {
                        let lost_before = std::mem::take(&mut self.lost);
                        return Poll::Ready(Some(Received { params, lost_before }));
                    }
                    Err(_) => self.lost += 1,
                },
            }
        }
    }
}

impl<N: Notification> Stream for Notifications<N> {
    type Item = Received<N::Params>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<T> Deref for Received<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.params
    }
}

impl<N: Notification> fmt::Debug for Notifications<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Notifications({})", N::METHOD)
    }
}
