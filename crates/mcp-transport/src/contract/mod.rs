//! The contract test kit: checks that any transport runs from its own tests, and scripted links for whoever drives one.
//!
//! Describe the transport under test with a [`Rig`], which opens links to a far end that the kit drives as raw frames,
//! and run [`check_pipe`]. Each of its checks is a function of its own in [`pipe`], for tests with telling names.
//! A transport of exchanges implements [`ExchangeRig`] and runs [`check_exchanges`]; its checks are in [`exchanges`].
//!
//! A broken clause is a [`Violation`] that names it. No check waits for ever: a hang is a violation too, after
//! [`REAL_LIMIT`], or [`VIRTUAL_LIMIT`] on a paused clock. The checks need a tokio runtime with time.
//!
//! The scripted links in [`fake`] are the other side: [`FakeExchanges`] and [`FakePipe`] play a transport for tests of
//! a client.

mod bench;
pub mod exchanges;
pub mod fake;
mod patience;
pub mod pipe;
mod violation;

use std::io;

pub use bytes::Bytes;
pub use exchanges::{ExchangeRig, FarExchange, FarServer, check_exchanges};
pub use fake::{CloserState, FakeExchange, FakeExchanges, FakePipe, FakeServer, FakeSpeaker};
pub use patience::{REAL_LIMIT, VIRTUAL_LIMIT, patiently};
pub use pipe::check_pipe;
pub use violation::{Clause, Violation};

use crate::Link;

/// A pipe under test: opens links whose far end the kit drives.
///
/// ```
/// use std::io;
///
/// use mcp_transport::{
///     Bytes, Inbound, Link, LinkParts, Origin, Outbound, Receiver, Sender, TransportError,
///     contract::{self, FarEnd, Rig, Violation},
///     memory,
/// };
///
/// /// The far end of a memory link is the other link, so frames are parsed and written here.
/// struct Far(LinkParts);
///
/// impl FarEnd for Far {
///     async fn recv(&mut self) -> Option<Bytes> {
/// #       unreachable!("not run")
/// #   }
/// #   /*
///         …
///     }
/// #   */
///     async fn send(&mut self, frame: Bytes) -> io::Result<()> {
/// #       unreachable!("not run")
/// #   }
/// #   /*
///         …
///     }
/// #   */
///     async fn close(&mut self) {
/// #       unreachable!("not run")
/// #   }
/// #   /*
///         …
///     }
/// #   */
/// }
///
/// struct Memory;
///
/// impl Rig for Memory {
///     type Far = Far;
///     async fn open(&self) -> Result<(Link, Far), TransportError> {
///         let (near, far) = memory::pair();
///         Ok((near, Far(far.into_parts())))
///     }
///     fn carries_text(&self) -> bool {
///         false
///     }
/// }
///
/// async fn memory_keeps_the_contract() -> Result<(), Violation> {
///     contract::check_pipe(&Memory).await
/// }
/// ```
pub trait Rig: Sync {
    /// The far end of a link.
    type Far: FarEnd;

    /// Connects as a client would (with the transport's own [`Connect`](crate::Connect), if it has one), and gives the
    /// link and its far end.
    ///
    /// The kit drops this future at any point and calls again; the next link must then have its own far end, not the
    /// one of the dropped call.
    ///
    /// # Errors
    /// When no link could be made, which the kit takes for a violation.
    fn open(&self) -> impl Future<Output = Result<(Link, Self::Far), crate::TransportError>> + Send;

    /// Whether links may be opened more than once; otherwise run single checks, each on a rig of its own.
    fn repeatable(&self) -> bool {
        true
    }

    /// Whether frames are text, so that the far end can send batches and what is no message. Otherwise the checks of
    /// those are left out.
    fn carries_text(&self) -> bool {
        true
    }

    /// How many bytes a large message has; below the transport's own limit, and at least 1 MiB unless that is lower.
    fn large(&self) -> usize {
        2 << 20
    }
}

/// The far end of a pipe, in raw frames: one JSON text each. Dropping it ends both directions at once, without farewell.
pub trait FarEnd: Send {
    /// The next frame of the client; `None` once it ended its direction, or is gone. It reads nothing ahead beyond a
    /// buffer of limited size.
    fn recv(&mut self) -> impl Future<Output = Option<Bytes>> + Send;

    /// Sends a frame as it is, and flushes. Waits while the client does not read.
    ///
    /// # Errors
    /// When the client is gone.
    fn send(&mut self, frame: Bytes) -> impl Future<Output = io::Result<()>> + Send;

    /// Ends its own direction in order.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}
