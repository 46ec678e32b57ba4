use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::HeaderValue;
use mcp_transport::TransportError;
use tokio::time::{Instant, sleep_until};

use super::{
    abort::AbortOnDrop,
    http1::Connection,
    target::{Key, Target},
};

/// How many connections are kept idle.
const MOST_IDLE: usize = 100;

/// The idle connections of HTTP/1.1 of a client.
#[derive(Default)]
pub(super) struct Pool(Mutex<State>);

#[derive(Default)]
struct State {
    /// In the order in which they were given back.
    idle: VecDeque<Box<Kept>>,
    /// Closes connections whose time is up, while there are any.
    sweeper: Option<AbortOnDrop>,
}

/// What a client keeps of a connection. It moves as a whole, between the pool and responses.
struct Kept {
    connection: Connection,
    key: Key,
    /// The value of `Host`.
    host: HeaderValue,
    /// How long it may be idle.
    keep: Duration,
    /// It is not used again after this exchange.
    is_last: bool,
    /// Until when it may be used again, while it is idle.
    until: Instant,
    pool: Weak<Pool>,
}

impl Pool {
    /// The connection to `target`, on behalf of `authorization`, that was used last and may be used again.
    pub(super) fn take(&self, target: &Target, authorization: Option<&HeaderValue>) -> Option<Lease> {
        let now = Instant::now();
        let mut state = self.lock();
        let at =
            state.idle.iter().rposition(|idle| idle.until > now && idle.key.is(target, authorization))?;
        state.idle.remove(at).map(Lease)
    }

    fn give_back(self: &Arc<Self>, idle: Box<Kept>) {
        let mut state = self.lock();
        let oldest = if state.idle.len() == MOST_IDLE { state.idle.pop_front() } else { None };
        let until = idle.until;
        state.idle.push_back(idle);
        if state.sweeper.is_none() {
            let task = tokio::spawn(sweep(Arc::downgrade(self), until));
            state.sweeper = Some(task.into());
        }
        drop(state);
        drop(oldest);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked under the lock left a queue of whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes connections as their time is up, until none is left.
async fn sweep(pool: Weak<Pool>, mut until: Instant) {
    loop {
        sleep_until(until).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut state = pool.lock();
        let now = Instant::now();
        state.idle.retain(|idle| idle.until > now);
        let Some(next) = state.idle.iter().map(|idle| idle.until).min() else {
            state.sweeper = None;
            return;
        };
        until = next;
    }
}

/// A connection that carries an exchange.
pub(super) struct Lease(Box<Kept>);

impl Lease {
    /// A fresh connection.
    pub(super) fn new(connection: Connection, key: Key, pool: &Arc<Pool>) -> Result<Self, TransportError> {
        let (host, keep, until) = (key.target.host_field()?, Duration::ZERO, Instant::now());
        Ok(Self(Box::new(Kept {
            connection,
            key,
            host,
            keep,
            is_last: false,
            until,
            pool: Arc::downgrade(pool),
        })))
    }

    pub(super) fn host(&self) -> &HeaderValue {
        &self.0.host
    }

    pub(super) fn into_key(self) -> Key {
        self.0.key
    }

    pub(super) fn connection(&mut self) -> &mut Connection {
        &mut self.0.connection
    }

    /// Sets how long it may be idle, from its end on.
    pub(super) fn keep(&mut self, limit: Duration) {
        self.0.keep = limit;
    }

    /// It is not to be used again.
    pub(super) fn set_last(&mut self) {
        self.0.is_last = true;
    }

    /// The response was read to its end.
    pub(super) fn give_back(self) {
        let Self(mut kept) = self;
        let Some(pool) = kept.pool.upgrade() else { return };
        if kept.is_last || kept.keep.is_zero() || !kept.connection.goes_on() {
            return;
        }
        kept.until = Instant::now() + kept.keep;
        pool.give_back(kept);
    }
}
