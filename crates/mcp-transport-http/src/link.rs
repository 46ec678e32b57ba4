use std::sync::Arc;

use http::HeaderMap;
use mcp_transport::Link;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    beside, closer::SessionCloser, endpoint::Endpoint, exchange::HttpExchanges, http::Options,
    param_headers::McpParam, redirect::Redirecting, request::post_fields, service::Fetch, session::Session,
};

/// What the parts of a link have in common.
pub(crate) struct Shared {
    pub(crate) endpoint: Endpoint,
    /// What the user sends with every request.
    pub(crate) fields: HeaderMap,
    pub(crate) options: Options,
    pub(crate) service: Arc<dyn Fetch>,
    pub(crate) session: Session,
    permits: Semaphore,
}

impl Shared {
    pub(crate) fn new(
        endpoint: Endpoint,
        fields: HeaderMap,
        options: Options,
        service: Arc<dyn Fetch>,
    ) -> Arc<Self> {
        let service: Arc<dyn Fetch> = match options.redirects {
            0 => service,
            limit => Arc::new(Redirecting { service, limit }),
        };
        let permits = Semaphore::new(options.max_connections.min(Semaphore::MAX_PERMITS));
        let session = Session::new(post_fields(&fields, &*service));
        Arc::new(Self { endpoint, fields, options, service, session, permits })
    }

    /// Whether so many requests are open that they had better go in step: all write, all read, all go on with what they
    /// read. What one of these does is then still in the caches for the next, which a system call in between drives out.
    pub(crate) fn has_many_open(&self) -> bool {
        const MANY: usize = 16;
        let limit = self.options.max_connections.min(Semaphore::MAX_PERMITS);
        limit.saturating_sub(self.permits.available_permits()) >= MANY
    }

    /// Waits for a free connection. `None` never comes: the semaphore is not closed.
    pub(crate) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        match self.permits.try_acquire() {
            Ok(permit) => Some(permit),
            // Rare, so kept out of the size of every exchange.
            Err(_) => Box::pin(self.permits.acquire()).await.ok(),
        }
    }
}

pub(crate) fn open(shared: Arc<Shared>) -> Link {
    let (sender, receiver) = beside::halves(&shared);
    let closer = SessionCloser(Arc::clone(&shared));
    Link::exchanges(HttpExchanges(shared), sender, receiver).with_closer(closer).with_headers(&McpParam)
}
