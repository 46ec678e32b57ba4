//! The transport of 2024-11-05: one stream of events, which names the URL that takes messages.
//!
//! Section: [HTTP with SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).

use std::sync::Arc;

use mcp_transport::Link;
use tokio::time::timeout;

use crate::{
    beside,
    endpoint::Endpoint,
    http::Options,
    link::Shared,
    request::Prepared,
    sse::Events,
    stream::{StreamLimits, is_stream},
};

/// Opens a link of that transport, if the server has it at the same URL.
///
/// The URL for messages must be of the same origin: the user's fields go there.
pub(crate) async fn open(shared: &Shared) -> Option<Link> {
    let (events, endpoint) = timeout(shared.options.accept_timeout, begin(shared)).await.ok()??;
    let fields = shared.fields.clone();
    // The service follows redirects already.
    let options = Options { redirects: 0, ..shared.options };
    let pipe = Shared::new(endpoint, fields, options, Arc::clone(&shared.service));
    let (sender, receiver) = beside::pipe(&pipe, events);
    Some(Link::pipe(sender, receiver))
}

/// The stream, and the URL in its first event.
async fn begin(shared: &Shared) -> Option<(Events, Endpoint)> {
    let Prepared { request, .. } = shared.get(None);
    let answer = shared.service.fetch(request).await.ok()?;
    if !is_stream(&answer) {
        return None;
    }
    let mut events = StreamLimits::of(&shared.options).events(answer.into_body());
    let first = events.next().await.ok()??;
    let endpoint = (first.name == "endpoint").then(|| std::str::from_utf8(&first.data).ok())??;
    let endpoint = shared.endpoint.join(endpoint.trim()).ok()?;
    Some((events, endpoint))
}
