use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use super::{abort::AbortOnDrop, http1::Connection, target::Key};

/// How many connections are kept idle.
const MOST_IDLE: usize = 100;

/// The idle connections of HTTP/1.1 of a client.
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
            state.sweeper = Some(task.into());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked under the lock left a queue of whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sweep(&mut self, now: Instant) {
        self.idle.retain(|idle| idle.until > now && !idle.connection.is_over());
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
        if self.keep.is_zero() || self.connection.is_over() {
            return;
        }
        let until = Instant::now() + self.keep;
        pool.give_back(Idle { key: self.key, connection: self.connection, until });
    }
}
