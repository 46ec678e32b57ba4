//! Scripted links: a test plays the peer by hand.
//!
//! [`FakeExchanges`] is a per-request transport such as HTTP, [`FakePipe`] a shared pipe. Both record all that the
//! client hands to the transport and do only what the test says. Waits of the handles are bounded by
//! [`patiently`](super::patiently) and panic with what was waited for.

mod exchange;
mod exchanges;
mod pipe;

pub use exchange::FakeExchange;
pub use exchanges::{FakeExchanges, FakeServer};
pub use pipe::{CloserState, FakePipe, FakeSpeaker};

/// The output of `future`, or a panic that names what did not happen.
async fn expect<T>(what: impl FnOnce() -> String, future: impl Future<Output = T>) -> T {
    match super::patiently(future).await {
        Some(output) => output,
        None => panic!("waited in vain: {}", what()),
    }
}
