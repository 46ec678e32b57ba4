use std::{
    iter::once,
    sync::{Arc, Weak},
};

use bytes::Bytes;
use mcp_types::jsonrpc::MethodName;

use super::{Session, Slot, lock, slot::Report};

/// In place of a method, to streams of changes: the session is another one.
pub(crate) const RENEWED: &str = "session renewed";

/// By method and params. Must not block.
type Wants = Box<dyn Fn(&str, &Bytes) -> bool + Send + Sync>;

/// The streams that want some of the server's notifications.
#[derive(Default)]
pub(super) struct Feeds {
    open: Vec<Feed>,
    ended: bool,
}

struct Feed {
    slot: Weak<Slot>,
    wants: Wants,
}

impl Session {
    /// From here on `slot` gets the notifications that `wants` says, by method and params.
    pub(crate) fn add_feed(
        &self,
        slot: &Arc<Slot>,
        wants: impl Fn(&str, &Bytes) -> bool + Send + Sync + 'static,
    ) {
        let mut feeds = lock(&self.feeds);
        if feeds.ended {
            slot.end();
            return;
        }
        feeds.open.retain(|feed| feed.slot.strong_count() > 0);
        feeds.open.push(Feed { slot: Arc::downgrade(slot), wants: Box::new(wants) });
    }

    /// Gives a notification to the streams that want it. Gives back one whose reader is about to be overtaken.
    pub(super) fn feed(&self, method: &MethodName, params: Option<&Bytes>) -> Option<Arc<Slot>> {
        let params = params.cloned().unwrap_or_else(|| Bytes::from_static(b"{}"));
        let wanted: Vec<_> = {
            let feeds = lock(&self.feeds);
            let wanting = feeds.open.iter().filter(|feed| (feed.wants)(method, &params));
            wanting.filter_map(|feed| feed.slot.upgrade()).collect()
        };
        let mut filling = None;
        for slot in wanted {
            if slot.push(&mut once(Report { method: method.clone(), params: params.clone() })) {
                filling = Some(slot);
            }
        }
        filling
    }

    /// Tells the streams that want to know that changes may have been missed.
    pub(super) fn tell_feeds_of_renewal(&self) {
        self.feed(&MethodName::from(RENEWED), None);
    }

    pub(super) fn end_feeds(&self) {
        let open = {
            let mut feeds = lock(&self.feeds);
            feeds.ended = true;
            std::mem::take(&mut feeds.open)
        };
        for slot in open.into_iter().filter_map(|feed| feed.slot.upgrade()) {
            slot.end();
        }
    }
}
