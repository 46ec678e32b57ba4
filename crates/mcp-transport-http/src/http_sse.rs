//! The transport of 2024-11-05: one stream of events, which names the URL that takes messages.
//!
//! Section: [HTTP with SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).

use std::sync::Arc;

use mcp_transport::Link;

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
/// The URL for messages must be of the same origin: the user's fields go there. How long a server may take to name it is a
/// matter of the limit on connecting, which drops the exchange.
pub(crate) async fn open(shared: &Shared) -> Option<Link> {
    let (events, endpoint) = begin(shared).await?;
    let fields = shared.fields.clone();
    // The service follows redirects already.
    let options = Options { redirects: 0, ..shared.options };
    let pipe = Shared::new(endpoint, fields, options, Arc::clone(&shared.service));
    let (sender, receiver) = beside::pipe(&pipe, events);
    Some(Link::pipe(sender, receiver))
}

/// The stream, and the URL that it names before there can be any message.
async fn begin(shared: &Shared) -> Option<(Events, Endpoint)> {
    let Prepared { request, .. } = shared.get(None);
    let answer = shared.service.fetch(request).await.ok()?;
    if !is_stream(&answer) {
        return None;
    }
    let mut events = StreamLimits::of(&shared.options).events(answer.into_body());
    let named = loop {
        let event = events.next().await.ok()??;
        if event.name == "endpoint" {
            break event.data;
        }
    };
    let endpoint = shared.endpoint.join(std::str::from_utf8(&named).ok()?.trim()).ok()?;
    Some((events, endpoint))
}
