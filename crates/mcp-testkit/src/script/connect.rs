use mcp_transport::{Connect, Delivery, Link, TransportError, TransportErrorKind, contract::patiently};
use tokio::sync::mpsc;

use super::{Peer, peer};

/// A transport whose every connection is a new [`Peer`], and those peers: for clients that connect more than once.
///
/// Once [`Peers`] is dropped, connecting fails.
pub fn connector() -> (Scripted, Peers) {
    let (made, peers) = mpsc::unbounded_channel();
    let connect = Scripted { made, repeatable: true };
    (connect, Peers(peers))
}

/// Connects to scripted peers. Made by [`connector`].
#[derive(Debug)]
pub struct Scripted {
    made: mpsc::UnboundedSender<Peer>,
    repeatable: bool,
}

/// The peers that a client connected to, in order.
#[derive(Debug)]
pub struct Peers(mpsc::UnboundedReceiver<Peer>);

impl Scripted {
    /// The same, but it says of itself that it can connect once only.
    pub fn not_repeatable(mut self) -> Self {
        self.repeatable = false;
        self
    }
}

impl Connect for Scripted {
    const EXCHANGES: bool = false;

    async fn connect(&self) -> Result<Link, TransportError> {
        let (link, peer) = peer();
        self.made.send(peer).map_err(|_| {
            TransportError::new(
                TransportErrorKind::Connect,
                Delivery::NeverSent,
                "the test accepts no more connections",
            )
        })?;
        Ok(link)
    }

    fn repeatable(&self) -> bool {
        self.repeatable
    }

    fn label(&self) -> String {
        String::from("scripted peer")
    }
}

impl Peers {
    /// The peer of the next connection.
    ///
    /// # Panics
    /// When the client does not connect, or dropped its transport.
    pub async fn next(&mut self) -> Peer {
        patiently(self.0.recv())
            .await
            .expect("expected the client to connect, but it does not")
            .expect("expected the client to connect, but it dropped its transport")
    }

    /// The peer of a connection that was made already, if any.
    pub fn try_next(&mut self) -> Option<Peer> {
        self.0.try_recv().ok()
    }
}
