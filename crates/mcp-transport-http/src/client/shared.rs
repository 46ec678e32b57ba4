//! The connections of HTTP/2 of a client, which requests share, and how new ones come to be.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_transport::TransportError;
use tokio::sync::Mutex as AsyncMutex;

use super::{
    Settings,
    dial::{Dialed, dial},
    http1,
    http2::Connection,
    target::Key,
};

/// How many keys are remembered. Forgetting one costs a connection more than needed.
const MOST_GATES: usize = 64;

/// The connections of HTTP/2 of a client.
#[derive(Default)]
pub(super) struct Shared(Mutex<State>);

#[derive(Default)]
struct State {
    connections: Vec<(Key, Arc<Connection>)>,
    gates: Vec<(Key, Arc<Gate>)>,
}

/// The place of one exchange on a connection, which lives at least as long.
pub(super) struct Share(Arc<Connection>);

/// What came of the wish for a connection.
pub(super) enum Opened {
    Http1(http1::Connection),
    Http2(Share),
}

impl Shared {
    /// A place on a connection that is there.
    pub(super) fn enter(&self, key: &Key) -> Option<Share> {
        let mut state = self.lock();
        state.connections.retain(|(_, connection)| !connection.is_over());
        let (_, connection) =
            state.connections.iter().find(|(its, connection)| its == key && connection.enter())?;
        Some(Share(Arc::clone(connection)))
    }

    /// A place on a connection; one is made unless somebody else does. Who waits for that shares what comes of it.
    pub(super) async fn open(&self, key: &Key, settings: &Settings) -> Result<Opened, TransportError> {
        let gate = self.gate(key);
        let failures = gate.lock().failures;
        let turn = gate.turn.lock().await;
        if let Some(share) = self.enter(key) {
            return Ok(Opened::Http2(share));
        }
        let http1 = {
            let past = gate.lock();
            if past.failures > failures
                && let Some(error) = &past.failure
            {
                return Err(error.clone());
            }
            past.http1
        };
        // Over HTTP/1.1 there is nothing to share.
        let turn = if http1 { None } else { Some(turn) };
        let dialed = Box::pin(dial(&key.target, settings)).await;
        let opened = match dialed {
            Ok(Dialed::Http1(connection)) => Ok(Opened::Http1(connection)),
            Ok(Dialed::Http2(connection)) => Ok(Opened::Http2(self.add(key, connection))),
            Err(error) => Err(error),
        };
        gate.note(&opened);
        drop(turn);
        opened
    }

    fn add(&self, key: &Key, connection: Connection) -> Share {
        let connection = Arc::new(connection);
        self.lock().connections.push((key.clone(), Arc::clone(&connection)));
        Share(connection)
    }

    fn gate(&self, key: &Key) -> Arc<Gate> {
        let mut state = self.lock();
        if let Some((_, gate)) = state.gates.iter().find(|(its, _)| its == key) {
            return Arc::clone(gate);
        }
        if state.gates.len() == MOST_GATES {
            state.gates.remove(0);
        }
        let gate = Arc::<Gate>::default();
        state.gates.push((key.clone(), Arc::clone(&gate)));
        gate
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked under the lock left lists of whole entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    pub(super) fn connection(&self) -> &Connection {
        &self.0
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// Lets one at a time make a connection for a key, as long as that may be one for all.
#[derive(Default)]
struct Gate {
    turn: AsyncMutex<()>,
    past: Mutex<Past>,
}

#[derive(Default)]
struct Past {
    failures: u64,
    failure: Option<TransportError>,
    /// The last connection was one of HTTP/1.1.
    http1: bool,
}

impl Gate {
    fn note(&self, opened: &Result<Opened, TransportError>) {
        let mut past = self.lock();
        match opened {
            Ok(Opened::Http1(_)) => past.http1 = true,
            Ok(Opened::Http2(_)) => past.http1 = false,
            Err(error) => {
                past.failures += 1;
                past.failure = Some(error.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Past> {
        // Whoever panicked under the lock was assigning fields.
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
