use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, Response};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::{task::AbortHandle, time::Instant};

use super::dial::Target;
use crate::RequestBody;

/// The idle connections of a client.
#[derive(Default)]
pub(super) struct Pool(Mutex<VecDeque<Idle>>);

struct Idle {
    key: Key,
    connection: Connection,
    until: Instant,
}

/// Which requests may share a connection.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) target: Target,
    pub(super) authorization: Option<HeaderValue>,
}

impl Pool {
    /// The connection for `key` that was used last and may be used again.
    pub(super) fn take(&self, key: &Key) -> Option<Connection> {
        let now = Instant::now();
        let mut idle = self.lock();
        idle.retain(|idle| idle.until > now && !idle.connection.sender.is_closed());
        let at = idle.iter().rposition(|idle| idle.key == *key)?;
        idle.remove(at).map(|idle| idle.connection)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Idle>> {
        // Whoever panicked under the lock left a queue of whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection, and the task that drives it. Dropping it closes it.
pub(super) struct Connection {
    sender: SendRequest<RequestBody>,
    task: AbortOnDrop,
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Why there is no response.
pub(super) enum NotAnswered {
    NeverSent(Box<Request<RequestBody>>, TransportError),
    MaybeSent(TransportError),
}

impl Connection {
    pub(super) fn new(sender: SendRequest<RequestBody>, task: AbortHandle) -> Self {
        Self { sender, task: AbortOnDrop(task) }
    }

    /// Whether the next request can be sent.
    pub(super) async fn ready(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }

    pub(super) async fn send(
        &mut self,
        request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, NotAnswered> {
        self.sender.try_send_request(request).await.map_err(|mut failure| match failure.take_message() {
            Some(request) => {
                let error = not_answered(failure.into_error()).with_delivery(Delivery::NeverSent);
                NotAnswered::NeverSent(Box::new(request), error)
            }
            None => NotAnswered::MaybeSent(not_answered(failure.into_error())),
        })
    }
}

/// A connection that carries a response.
pub(super) struct Lease {
    key: Key,
    connection: Connection,
    keep: Duration,
    pool: Weak<Pool>,
}

impl Lease {
    pub(super) fn new(connection: Connection, key: Key, keep: Duration, pool: &Arc<Pool>) -> Self {
        Self { key, connection, keep, pool: Arc::downgrade(pool) }
    }

    /// The response was read to its end.
    pub(super) fn give_back(self) {
        let Some(pool) = self.pool.upgrade() else { return };
        if self.keep.is_zero() || self.connection.task.0.is_finished() {
            return;
        }
        let until = Instant::now() + self.keep;
        pool.lock().push_back(Idle { key: self.key, connection: self.connection, until });
    }
}

/// How long the server says that it keeps an idle connection, less what a request may take to arrive.
pub(super) fn keep_alive(headers: &HeaderMap) -> Option<Duration> {
    const ON_THE_WAY: Duration = Duration::from_secs(1);
    const MOST: Duration = Duration::from_secs(90);
    let field = headers.get("keep-alive")?.to_str().ok()?;
    let seconds = field.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    let said = Duration::from_secs(seconds.trim().parse().ok()?);
    Some(said.saturating_sub(ON_THE_WAY).min(MOST))
}

/// No response came.
fn not_answered(error: hyper::Error) -> TransportError {
    // hyper has a predicate for this on the side of servers only.
    let too_large = error.is_parse() && error.to_string().contains("too large");
    let (kind, what) = if too_large {
        (TransportErrorKind::TooLarge, "the head of the server's response is over the limit")
    } else if error.is_parse() {
        (TransportErrorKind::Protocol, "the server's response is not HTTP/1.1")
    } else if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        (TransportErrorKind::Closed, "the server closed the connection before it answered")
    } else {
        (TransportErrorKind::Io, "the connection failed before the server answered")
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

/// A response broke off.
pub(super) fn not_read(error: hyper::Error) -> TransportError {
    let (kind, what) = if error.is_parse() {
        (TransportErrorKind::Protocol, "the body of the server's response is not HTTP/1.1")
    } else {
        (TransportErrorKind::Closed, "the server's response broke off")
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_says_how_long_it_keeps_a_connection() {
        let said = |field: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("keep-alive", HeaderValue::from_static(field));
            keep_alive(&headers)
        };
        assert_eq!(said("timeout=5"), Some(Duration::from_secs(4)));
        assert_eq!(said("max=100, timeout=1"), Some(Duration::ZERO));
        assert_eq!(said("timeout=99999999999"), Some(Duration::from_secs(90)));
        for odd in ["", "timeout=", "timeout=-1", "max=3"] {
            assert_eq!(said(odd), None, "{odd}");
        }
    }
}
