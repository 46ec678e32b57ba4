//! The processes that were started and are not gone yet.

use mcp_transport::{BoxCloser, Closer, Link, LinkParts, TransportError};
use tokio::sync::watch;

/// Counts them. Cheap to clone; all clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Processes(watch::Sender<usize>);

impl Default for Processes {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Processes {
    /// Waits until all of them are gone. Cancel-safe.
    pub(crate) async fn gone(&self) {
        // The sender is here, so it cannot be closed.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }

    /// The same pipe; its process counts until it was ended.
    pub(super) fn count(&self, link: Link) -> Link {
        let LinkParts { sender, receiver, exchanges: None, closer, diagnosis, .. } = link.into_parts() else {
            unreachable!("a process is spoken to over a pipe")
        };
        let mut counted = Link::pipe(sender, receiver);
        if let Some(closer) = closer {
            self.0.send_modify(|count| *count += 1);
            counted = counted.with_closer(Counted { closer, _one: One(self.0.clone()) });
        }
        match diagnosis {
            Some(diagnosis) => counted.with_diagnosis(move || diagnosis()),
            None => counted,
        }
    }
}

struct Counted {
    /// Dropped before it is counted out.
    closer: BoxCloser,
    _one: One,
}

impl Closer for Counted {
    async fn close(self) -> Result<(), TransportError> {
        let Self { closer, _one } = self;
        closer.close().await
    }
}

struct One(watch::Sender<usize>);

impl Drop for One {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
