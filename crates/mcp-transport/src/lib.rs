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
//! 4. Input that is no message is an entry ([`Inbound::Skipped`]), not an error. An error of [`Receiver::recv`] is the
//!    end of the link, and says why in the most telling words there are (exit status, last lines of standard error).
//! 5. No future of the two halves is dropped half-way but when the link is given up.
//!
//! **Exchanges** ([`Link::exchanges`]) carry each request by itself, as HTTP does: [`Exchanges::exchange`] starts one,
//! messages go into the [`Sink`] as they come, and the future ends with the exchange. Dropping the future abandons the
//! request. The two halves beside it carry what belongs to no request.
//!
//! 6. An exchange calls [`Sink::accepted`] once it knows that the peer took the request (its response headers came).
//! 7. An exchange that ends without its reply is not repeated by the transport.
//!
//! Either kind may have a [`Closer`], which owns what must be ended behind the link: a process, a session.
//!
//! 8. [`Closer::close`] is bounded by limits of its own. Dropping a closer ends at once, by force, without a runtime.
//! 9. Every error says what became of the message: [`Delivery`]. Safe retry rests on it.
//!
//! # A custom transport
//!
//! Implement [`Sender`] and [`Receiver`] and wrap them in a [`Link`]; [`Inbound::parse`] and
//! [`RawMessage::to_vec`](mcp_types::jsonrpc::JsonRpcMessage::to_vec) do the encoding. Then run the contract test kit
//! (feature `contract`) against it.
//!
//! Deliberately absent: schema types, protocol decisions, retry, deadlines of calls.

mod connect;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod link;
pub mod memory;
mod message;

pub use bytes::Bytes;
pub use connect::{ConnectFn, Single, connect_fn};
pub use error::{Delivery, HttpFailure, ProcessFailure, TransportError, TransportErrorKind};
pub use link::{
    BoxCloser, BoxExchanges, BoxReceiver, BoxSender, Closer, Connect, ExchangeEnd, Exchanges, Link,
    LinkParts, Receiver, Sender, Sink, SinkTarget,
};
pub use message::{Inbound, Origin, Outbound, OutboundMessage, RawMessage, Skipped, SkippedKind};
