//! The transport seam of the Model Context Protocol client SDK.
//!
//! A transport moves **raw envelopes** ([`RawMessage`]: id, method, and a body of untouched JSON) between a client and
//! one server. It knows nothing of initialization, revisions, deadlines or results; it says what happened to the bytes.
//!
//! # The contract
//!
//! A transport is a [`Connect`]: something that makes a [`Link`], as often as asked. A link is one of two kinds.
//!
//! A **pipe** ([`Link::pipe`]) is one channel that all messages share, as over stdio or a WebSocket:
//!
//! 1. [`Sender::send`] takes entries off the front of the batch, in order. After an error, what is still in the batch
//!    never left; what was taken may have.
//! 2. [`Receiver::recv`] appends at least one entry, or returns `false` at the end. It goes on whether or not a send is
//!    running: two full directions must not wait for each other.
//! 3. [`Outbound::Close`] is the last entry: the sender flushes and closes its direction, so that the peer sees an end.
//!    What is sent later fails and stays in its batch.
//! 4. Input that is no message is an entry ([`Inbound::Skipped`]), not an error. An error of [`Receiver::recv`] is the
//!    end of the link, and says why in the most telling words there are (exit status, last lines of standard error).
//! 5. No future of the two halves is dropped half-way but when the link is given up. This is the driver's promise.
//!
//! **Exchanges** ([`Link::exchanges`]) carry each request by itself, as HTTP does. The two halves beside them carry what
//! belongs to no request, as a pipe does.
//!
//! 6. [`Exchanges::exchange`] is one request: it leaves when the future is first polled, messages go into the [`Sink`] as
//!    they come, with their [`Origin::Exchange`], and the future ends with the exchange. Exchanges do not wait for each
//!    other.
//! 7. An exchange calls [`Sink::accepted`] once, when it knows that the peer took the request (its response headers came),
//!    before it delivers anything.
//! 8. Dropping the future abandons the request, at any point, and the peer notices.
//! 9. A request is not repeated by the transport, also when its exchange ends without a reply. A peer that has lost the
//!    session is told by [`TransportErrorKind::SessionLost`]; starting another one is the client's matter.
//!
//! Either kind:
//!
//! 10. A message arrives as the same JSON: bodies byte by byte, but for white space between tokens. A JSON-RPC batch
//!     arrives split ([`Inbound::Batch`]).
//! 11. A link that ended, in order or not, says so at once and as often as it is asked: receiving ends again, sending
//!     fails. What came before the end is received first. Buffers are bounded, so that a peer that is gone, or does not
//!     read, is noticed.
//! 12. A link whose parts are all dropped is over: the peer sees an end, whatever was going on.
//! 13. A link may have a [`Closer`], which owns what must be ended behind it: a process, a session. [`Closer::close`] is
//!     bounded by limits of its own. Dropping a closer ends at once, by force, without a runtime.
//! 14. Every error says what became of the message: [`Delivery`]. Safe retry rests on it.
//! 15. The future of [`Connect::connect`] may be dropped at any point, and then leaves nothing behind. Links of the same
//!     [`Connect`] are independent of each other.
//! 16. A [`Connect`] whose [`EXCHANGES`](Connect::EXCHANGES) is `false` makes pipes only.
//!
//! # A custom transport
//!
//! Implement [`Sender`] and [`Receiver`] and wrap them in a [`Link`]; [`Inbound::parse`] and
//! [`RawMessage::to_vec`](mcp_types::jsonrpc::JsonRpcMessage::to_vec) do the encoding. This is a whole one:
//!
//! ```
#![doc = include_str!("../tests/support/length_prefixed.rs")]
//! ```
//!
//! A client takes a [`Connect`]: [`connect_fn`] makes one of a closure, [`Single`] of one link. A type of your own that makes
//! pipes only can say so, and spare its programs the code for exchanges: [`Connect::EXCHANGES`].
//!
//! Then run the contract test kit (feature `contract`, module `contract`) against it. The one above passes.
//!
//! Deliberately absent: schema types, protocol decisions, retry, deadlines of calls.

mod connect;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod link;
pub mod memory;
mod message;
mod param_headers;
mod tap;
mod task;

pub use bytes::Bytes;
pub use connect::{ConnectFn, Single, connect_fn};
pub use error::{
    CertificateFailure, Delivery, HttpFailure, ProcessFailure, TransportError, TransportErrorKind,
};
pub use link::{
    BoxCloser, BoxExchanges, BoxReceiver, BoxSender, Closer, Connect, Diagnosis, ExchangeEnd, Exchanges,
    Link, LinkParts, Receiver, Sender, Sink, SinkTarget,
};
pub use message::{Inbound, Origin, Outbound, OutboundMessage, RawMessage, Skipped, SkippedKind};
pub use param_headers::{HeaderPlan, ParamHeaders};
pub use tap::{Passed, Tap};
pub use task::spawn;

#[cfg(all(doctest, feature = "contract"))]
#[doc = include_str!("../README.md")]
struct Readme;
