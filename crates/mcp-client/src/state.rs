use std::sync::Arc;

use tokio::sync::watch;

/// Where a client stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum State {
    /// Nothing was done yet.
    Disconnected,
    /// A link is being made, or the revision negotiated.
    Connecting,
    /// Calls may be made.
    Ready,
    /// The server lost the session, and a new one is being started, or will be with the next call. Calls may be made; they
    /// wait for it within their deadlines. Then [`State::Ready`] again.
    Reconnecting,
    /// No new calls; those in flight may finish, then the link is ended.
    Closing,
    /// Nothing is left: no link, no process, no task.
    Closed,
}

/// Watches the [`State`] of a client, also before it is connected and after it is gone.
#[derive(Debug, Clone)]
pub struct StateWatch(watch::Receiver<State>);

impl StateWatch {
    /// The state now.
    pub fn get(&self) -> State {
        *self.0.borrow()
    }

    /// Waits for the next change. States that lasted only a moment may be skipped. `None` when no change will come.
    ///
    /// Cancel-safe.
    pub async fn changed(&mut self) -> Option<State> {
        if self.get() == State::Closed && !self.0.has_changed().unwrap_or(false) {
            return None;
        }
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }

    /// Waits until the client is in `state`. `false` when it will never be.
    ///
    /// Cancel-safe.
    pub async fn wait_for(&mut self, state: State) -> bool {
        let reached = self.0.wait_for(|current| *current == state || *current == State::Closed).await;
        reached.is_ok_and(|current| *current == state)
    }
}

/// Changes the state.
#[derive(Debug, Clone)]
pub(crate) struct StateSender(Arc<watch::Sender<State>>);

impl StateSender {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(State::Disconnected)))
    }

    pub(crate) fn watch(&self) -> StateWatch {
        StateWatch(self.0.subscribe())
    }

    /// Goes on to `state`; never back, but for a session that was started anew.
    pub(crate) fn set(&self, state: State) {
        self.0.send_if_modified(|current| {
            let goes_on = *current < state || (*current == State::Reconnecting && state == State::Ready);
            if goes_on {
                *current = state;
            }
            goes_on
        });
    }
}
