use std::sync::Arc;

use http::StatusCode;
use mcp_transport::{Closer, Delivery, TransportError, TransportErrorKind};
use tokio::time::timeout;

use crate::{link::Shared, refusal::Refusal, request::Prepared};

/// Ends the session, if there is one.
///
/// Section: [Session Management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management), 5.
pub(crate) struct SessionCloser(pub(crate) Arc<Shared>);

impl Closer for SessionCloser {
    async fn close(self) -> Result<(), TransportError> {
        let Some(id) = self.0.session.take_id() else { return Ok(()) };
        let limit = self.0.options.close_timeout;
        let delete = async {
            let Prepared { request, .. } = self.0.delete(id);
            let answer = self.0.service.fetch(request).await?;
            match answer.status() {
                // It is gone, or the server ends sessions by itself.
                StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Ok(()),
                status if status.is_success() => Ok(()),
                _ => Err(Refusal::read(answer, false).await.into_error()),
            }
        };
        timeout(limit, delete).await.unwrap_or_else(|_| {
            Err(TransportError::new(
                TransportErrorKind::Timeout,
                Delivery::MaybeSent,
                format!("the server did not end the session within {limit:?}"),
            ))
        })
    }
}
