//! The checks of a transport of exchanges. Each opens its own links and may be run by itself.

mod checks;
mod fake;
mod run;

pub use checks::{
    beside_arrives, dropped_exchange_is_abandoned, end_without_reply_ends_and_is_not_repeated,
    exchanges_do_not_wait_for_each_other, json_survives, large_messages_pass, messages_come_as_they_are_sent,
    refused_request_says_so, reply_ends_the_exchange,
};

use std::io;

use bytes::Bytes;

use super::Violation;
use crate::{Link, TransportError};

/// A transport of exchanges under test: opens links whose server the kit plays.
///
/// [`FakeServer`](super::FakeServer) is a [`FarServer`] too: the kit checks itself.
pub trait ExchangeRig: Sync {
    /// The server of a link.
    type Far: FarServer;

    /// Makes a link and gives its server.
    ///
    /// # Errors
    /// When no link could be made, which the kit takes for a violation.
    fn open(&self) -> impl Future<Output = Result<(Link, Self::Far), TransportError>> + Send;

    /// How many bytes a large message has; below the transport's own limit, and at least 1 MiB unless that is lower.
    fn large(&self) -> usize {
        2 << 20
    }
}

/// The server of a link.
pub trait FarServer: Send {
    /// One request of the client.
    type Exchange: FarExchange;

    /// The next request, not answered in any way yet; `None` when the client is gone. The kit drops this future and calls
    /// again; no request is lost then.
    fn next_exchange(&mut self) -> impl Future<Output = Option<Self::Exchange>> + Send;

    /// The next message that belongs to no request, accepted already; `None` when the client is gone.
    fn next_beside(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// One request of the client. Dropping it without [`end`](Self::end) or [`refuse`](Self::refuse) breaks the exchange
/// off, as a lost connection does.
pub trait FarExchange: Send {
    /// The request, as one JSON text.
    fn request(&self) -> Bytes;

    /// The value of the header field `name` that the client sent with it.
    fn header(&self, name: &str) -> Option<String>;

    /// Lets the response begin.
    fn accept(&mut self) -> impl Future<Output = ()> + Send;

    /// Sends a message in the response, and flushes.
    ///
    /// # Errors
    /// When the client is gone.
    fn send(&mut self, frame: Bytes) -> impl Future<Output = io::Result<()>> + Send;

    /// Ends the response in order.
    fn end(self) -> impl Future<Output = ()> + Send;

    /// Refuses the request in a way that proves that nothing was executed. Nothing was sent before.
    fn refuse(self) -> impl Future<Output = ()> + Send;

    /// Waits until the client abandoned the exchange.
    fn abandoned(&mut self) -> impl Future<Output = ()> + Send;
}

/// Runs every check of exchanges on `rig`.
///
/// # Errors
/// The first violation.
pub async fn check_exchanges<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    reply_ends_the_exchange(rig).await?;
    messages_come_as_they_are_sent(rig).await?;
    json_survives(rig).await?;
    large_messages_pass(rig).await?;
    exchanges_do_not_wait_for_each_other(rig).await?;
    dropped_exchange_is_abandoned(rig).await?;
    end_without_reply_ends_and_is_not_repeated(rig).await?;
    refused_request_says_so(rig).await?;
    beside_arrives(rig).await
}
