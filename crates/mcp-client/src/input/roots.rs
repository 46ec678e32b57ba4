use std::sync::{Arc, Mutex};

use mcp_types::{ListRootsResult, Root};

use crate::session::lock;

/// The roots of a client; they may change while it is connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<Mutex<Vec<Root>>>);

impl Roots {
    pub(crate) fn set(&self, roots: Vec<Root>) {
        *lock(&self.0) = roots;
    }

    pub(crate) fn list(&self) -> ListRootsResult {
        ListRootsResult::new(lock(&self.0).clone())
    }
}
