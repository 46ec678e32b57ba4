use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, Response};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::{
    task::AbortHandle,
    time::{Instant, sleep_until, timeout},
};

use super::dial::Target;
use crate::RequestBody;

/// How long a connection may take to be ready again. Longer, and a new one is better.
const READY_WITHIN: Duration = Duration::from_millis(100);

/// How many connections are kept idle.
const MOST_IDLE: usize = 100;

/// The idle connections of a client.
#[derive(Default)]
pub(super) struct Pool(Mutex<State>);

#[derive(Default)]
struct State {
    /// In the order in which they were given back.
    idle: VecDeque<Idle>,
    /// Closes connections whose time is up, while there are any.
    sweeper: Option<AbortOnDrop>,
}

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
        let mut state = self.lock();
        state.sweep(now);
        let at = state.idle.iter().rposition(|idle| idle.key == *key)?;
        state.idle.remove(at).map(|idle| idle.connection)
    }

    fn give_back(self: &Arc<Self>, idle: Idle) {
        let mut state = self.lock();
        if state.idle.len() == MOST_IDLE {
            state.idle.pop_front();
        }
        let until = idle.until;
        state.idle.push_back(idle);
        if state.sweeper.is_none() {
            let task = tokio::spawn(sweep(Arc::downgrade(self), until));
            state.sweeper = Some(AbortOnDrop(task.abort_handle()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked under the lock left a queue of whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sweep(&mut self, now: Instant) {
        self.idle.retain(|idle| idle.until > now && !idle.connection.sender.is_closed());
    }
}

/// Closes connections as their time is up, until none is left.
async fn sweep(pool: Weak<Pool>, mut until: Instant) {
    loop {
        sleep_until(until).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut state = pool.lock();
        state.sweep(Instant::now());
        let Some(next) = state.idle.iter().map(|idle| idle.until).min() else {
            state.sweeper = None;
            return;
        };
        until = next;
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

    /// Whether the next request can be sent: not when the last one is still being written to a server that answered
    /// early and does not read.
    pub(super) async fn ready(&mut self) -> bool {
        timeout(READY_WITHIN, self.sender.ready()).await.is_ok_and(|ready| ready.is_ok())
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
        pool.give_back(Idle { key: self.key, connection: self.connection, until });
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
