//! The stream on which a server of the legacy era sends what belongs to no request.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use mcp_transport::{Inbound, Origin, Skipped, SkippedKind, TransportError, TransportErrorKind};
use tokio::{sync::mpsc, time::Instant};

use crate::{
    link::Shared,
    refusal::Refusal,
    request::Prepared,
    sse::Events,
    stream::{Consumer, Cursor, StreamLimits, is_stream, passes},
};

/// A stream that lived this long may be opened again at once, even if nothing came on it.
const LIVED: Duration = Duration::from_secs(30);

/// Listens until the server refuses, or ends the stream again and again without anything on it.
///
/// The stream is optional: any refusal means that there is none. Section:
/// [Listening for Messages from the Server](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server).
pub(crate) async fn listen(shared: Arc<Shared>, to: mpsc::Sender<Inbound>) -> Result<(), TransportError> {
    let limits = StreamLimits::of(&shared.options);
    let mut cursor = Cursor::default();
    let mut consumer = Beside(to);
    let mut opened = false;
    let session = shared.session.id();
    loop {
        // A new session has a stream of its own.
        if shared.session.id() != session {
            return Ok(());
        }
        let Prepared { request, .. } = shared.get(cursor.last_id());
        let begun = Instant::now();
        match shared.service.fetch(request).await {
            Ok(answer) if is_stream(&answer) => {
                opened = true;
                let mut events = limits.events(answer.into_body());
                let end = limits.read(&mut events, &mut cursor, &mut consumer).await;
                if let Err(error) = end
                    && error.kind() == TransportErrorKind::TooLarge
                {
                    // It would come again.
                    let skipped = Skipped::new(SkippedKind::TooLong, b"", limits.max_message as u64);
                    // Without its receiver the link is over.
                    let _ = consumer.0.send(Inbound::Skipped(skipped)).await;
                    return Err(error);
                }
                if begun.elapsed() >= LIVED {
                    cursor.advanced();
                }
            }
            // A stream that was there before may be there again after a restart or an overload.
            Ok(answer) if opened && passes(answer.status()) => {}
            Ok(answer) if opened => {
                let refusal = Refusal::read(answer, session.is_some()).await;
                if refusal.loses_session() && shared.session.id() == session {
                    // Without its receiver the link is over.
                    let _ = consumer.0.send(Inbound::SessionLost(refusal.into_error())).await;
                }
                return Ok(());
            }
            Ok(_) => return Ok(()),
            Err(_) => {}
        }
        let Some(wait) = cursor.next_wait() else { return Ok(()) };
        tokio::time::sleep(wait).await;
    }
}

/// Hears one stream of events to its end.
pub(crate) async fn hear(
    shared: Arc<Shared>,
    mut events: Events,
    to: mpsc::Sender<Inbound>,
) -> Result<(), TransportError> {
    let limits = StreamLimits::of(&shared.options);
    limits.read(&mut events, &mut Cursor::default(), &mut Beside(to)).await?;
    Ok(())
}

struct Beside(mpsc::Sender<Inbound>);

impl Consumer for Beside {
    async fn take(&mut self, message: Bytes) -> bool {
        let mut entries = Vec::with_capacity(1);
        Inbound::parse(Origin::Shared, &message, &mut entries);
        for entry in entries {
            // Without its receiver the link is over.
            let _ = self.0.send(entry).await;
        }
        false
    }
}
