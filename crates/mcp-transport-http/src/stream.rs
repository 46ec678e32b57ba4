//! Streams of the server: read to their end, and in the legacy era taken up again where they broke off.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::time::timeout;

use crate::{
    answer::{Media, media},
    http::Options,
    service::{Answer, AnswerBody, transport_error},
    sse::{Event, Events, StreamError},
};

/// How often a stream is taken up again without anything new on it.
pub(crate) const FRUITLESS_LIMIT: u32 = 8;
/// The wait before a stream is taken up again, unless the server says another.
const RETRY: Duration = Duration::from_secs(1);
/// The longest wait that comes of doubling.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// Takes the messages of a stream.
pub(crate) trait Consumer {
    /// Takes one; whether the stream has served its purpose.
    fn take(&mut self, message: Bytes) -> impl Future<Output = bool> + Send;
}

/// Where a stream stands.
#[derive(Debug, Default)]
pub(crate) struct Cursor {
    last_id: Option<HeaderValue>,
    retry: Option<Duration>,
    /// How often it was taken up again since something new came.
    fruitless: u32,
}

impl Cursor {
    /// The last event that had an id.
    pub(crate) fn last_id(&self) -> Option<&HeaderValue> {
        self.last_id.as_ref()
    }

    /// The wait before the next attempt; `None` after too many that brought nothing.
    ///
    /// Section: [Sending Messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server), 6.
    pub(crate) fn next_wait(&mut self) -> Option<Duration> {
        if self.fruitless == FRUITLESS_LIMIT {
            return None;
        }
        let asked = self.retry.unwrap_or(RETRY);
        let doubled = asked.max(RETRY / 2).saturating_mul(1 << self.fruitless.min(16)).min(LONGEST_BACKOFF);
        let wait = if self.fruitless == 0 { asked } else { asked.max(doubled) };
        self.fruitless += 1;
        Some(wait)
    }

    /// Something new came, or the stream lived long enough.
    pub(crate) fn advanced(&mut self) {
        self.fruitless = 0;
    }

    fn note(&mut self, event: &Event) {
        if let Some(retry) = event.retry {
            self.retry = Some(retry);
        }
        let Some(id) = &event.id else { return };
        if id.is_empty() {
            self.last_id = None;
            return;
        }
        // An id that cannot stand in a header field cannot be gone back to.
        if let Ok(id) = HeaderValue::from_str(id)
            && self.last_id.as_ref() != Some(&id)
        {
            self.last_id = Some(id);
            self.advanced();
        }
    }
}

/// What bounds the reading of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamLimits {
    pub(crate) max_message: usize,
    pub(crate) idle: Option<Duration>,
}

impl StreamLimits {
    pub(crate) fn of(options: &Options) -> Self {
        Self { max_message: options.max_message, idle: options.stream_idle }
    }

    pub(crate) fn events(&self, body: AnswerBody) -> Events {
        Events::new(body, self.max_message)
    }

    /// Reads `events` until `consumer` has what it wants (`true`), or they end.
    pub(crate) async fn read(
        &self,
        events: &mut Events,
        cursor: &mut Cursor,
        consumer: &mut impl Consumer,
    ) -> Result<bool, TransportError> {
        while let Some(event) = self.next(events).await? {
            cursor.note(&event);
            if event.is_message() {
                cursor.advanced();
                if consumer.take(event.data).await {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    async fn next(&self, events: &mut Events) -> Result<Option<Event>, TransportError> {
        let event = match self.idle {
            None => events.next().await,
            // On the heap: as large as all the rest.
            Some(idle) => Box::pin(timeout(idle, events.next())).await.map_err(|_| {
                let what = format!("nothing came on the server's stream for {idle:?}");
                TransportError::new(TransportErrorKind::Timeout, Delivery::MaybeSent, what)
            })?,
        };
        event.map_err(|error| match error {
            StreamError::Lost(error) => transport_error(error),
            StreamError::TooLarge => {
                let limit = self.max_message;
                let what = format!("an event on the server's stream is over the limit of {limit} bytes");
                TransportError::new(TransportErrorKind::TooLarge, Delivery::MaybeSent, what)
            }
        })
    }
}

/// Whether a refusal of a stream may be over soon.
pub(crate) fn passes(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// Whether a response is a stream that can be read.
pub(crate) fn is_stream(answer: &Answer) -> bool {
    answer.status().is_success()
        && media(answer.headers()) == Media::EventStream
        && !answer.headers().contains_key(header::CONTENT_ENCODING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str, retry: Option<u64>) -> Event {
        Event { id: Some(id.into()), retry: retry.map(Duration::from_millis), ..Event::default() }
    }

    /// Field report H-04: the server's wait is kept to, and nothing is tried without end.
    #[test]
    fn waits_are_at_least_what_the_server_asks_and_end() {
        let mut cursor = Cursor::default();
        cursor.note(&event("e1", Some(300)));
        let waits: Vec<_> = std::iter::from_fn(|| cursor.next_wait()).collect();
        assert_eq!(waits.len(), FRUITLESS_LIMIT as usize);
        assert_eq!(waits[0], Duration::from_millis(300));
        assert!(waits.is_sorted() && waits[7] == LONGEST_BACKOFF, "{waits:?}");
        cursor.note(&event("e1", None));
        assert_eq!(cursor.next_wait(), None);
        cursor.note(&event("e2", Some(60_000)));
        assert_eq!(cursor.next_wait(), Some(Duration::from_secs(60)));
        assert_eq!(cursor.next_wait(), Some(Duration::from_secs(60)));
        assert_eq!(cursor.last_id().unwrap(), "e2");
    }

    #[test]
    fn an_id_that_no_header_can_hold_is_no_place_to_go_back_to() {
        let mut cursor = Cursor::default();
        cursor.note(&event("a\tb", None));
        cursor.note(&event("\u{1}", None));
        assert_eq!(cursor.last_id().unwrap(), "a\tb");
    }
}
