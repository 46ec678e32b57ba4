//! The one thing that changes: a counter, which is a resource.

use std::sync::Arc;

use bytes::Bytes;
use mcp_types::{Meta, Notification, ResourceUpdatedNotification, ResourceUpdatedNotificationParams};
use tokio::sync::watch;

use super::methods::encode;

pub(super) const URI: &str = "demo:///counter";

/// Cheap to clone; all clones are one.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter(Arc<watch::Sender<u64>>);

impl Counter {
    pub(super) fn value(&self) -> u64 {
        *self.0.borrow()
    }

    /// Adds one; what it is then.
    pub(super) fn bump(&self) -> u64 {
        let mut value = 0;
        self.0.send_modify(|count| {
            *count += 1;
            value = *count;
        });
        value
    }

    /// Its changes from here on. Several may come as one.
    pub(super) fn changes(&self) -> Changes {
        Changes { changed: self.0.subscribe(), _counter: self.clone() }
    }
}

pub(super) struct Changes {
    changed: watch::Receiver<u64>,
    /// So that it never ends.
    _counter: Counter,
}

impl Changes {
    pub(super) async fn next(&mut self) {
        // There is a sender as long as there is a counter.
        let _ = self.changed.changed().await;
    }
}

pub(super) const UPDATED: &str = ResourceUpdatedNotification::METHOD;

/// The parameters that tell of a change.
pub(super) fn updated(meta: Option<Meta>) -> Bytes {
    let mut params = ResourceUpdatedNotificationParams::new(URI);
    params.meta = meta;
    encode(&params)
}
