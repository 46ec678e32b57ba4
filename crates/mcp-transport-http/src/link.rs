use std::sync::Arc;

use http::HeaderMap;
use mcp_transport::Link;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    beside, closer::SessionCloser, endpoint::Endpoint, exchange::HttpExchanges, http::Options,
    redirect::Redirecting, service::Fetch, session::Session,
};

/// What the parts of a link have in common.
pub(crate) struct Shared {
    pub(crate) endpoint: Endpoint,
    /// What the user sends with every request.
    pub(crate) fields: HeaderMap,
    pub(crate) options: Options,
    pub(crate) service: Arc<dyn Fetch>,
    pub(crate) session: Session,
    permits: Arc<Semaphore>,
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
        let permits = Arc::new(Semaphore::new(options.max_connections.min(Semaphore::MAX_PERMITS)));
        Arc::new(Self { endpoint, fields, options, service, session: Session::default(), permits })
    }

    /// Waits for a free connection. `None` never comes: the semaphore is not closed.
    pub(crate) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(permit);
        }
        // Rare, so kept out of the size of every exchange.
        Box::pin(Arc::clone(&self.permits).acquire_owned()).await.ok()
    }
}

pub(crate) fn open(shared: Arc<Shared>) -> Link {
    let (sender, receiver) = beside::halves(&shared);
    let closer = SessionCloser(Arc::clone(&shared));
    Link::exchanges(HttpExchanges(shared), sender, receiver).with_closer(closer).with_headers()
}
