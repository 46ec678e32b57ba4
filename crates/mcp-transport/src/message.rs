use std::borrow::Cow;

use bytes::Bytes;
use mcp_types::{
    RequestId, Revision,
    jsonrpc::{self, Incoming, JsonRpcMessage, ParseError},
};

/// A JSON-RPC envelope whose body is untouched JSON.
pub type RawMessage = JsonRpcMessage<Bytes>;

/// What a client hands to a transport, in order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outbound {
    /// A message for the peer.
    Message(OutboundMessage),
    /// From here on, messages are of this revision. Nothing to send; transports that mirror the revision outside the
    /// message take note of it.
    Settled(Revision),
    /// Nobody waits for the reply to this request any more. Nothing to send on a pipe: there, the notification that
    /// cancels it is a message of its own.
    Abandon(RequestId),
    /// Nothing follows: flush, and close this direction.
    Close,
}

/// A message for the peer, and what goes beside it where the transport has a place for it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OutboundMessage {
    /// The envelope.
    pub message: RawMessage,
    /// Extra header fields (name, value) for transports that have headers and say so
    /// ([`Link::with_headers`](crate::Link::with_headers)); others ignore them.
    pub headers: Vec<(Cow<'static, str>, String)>,
}

impl From<RawMessage> for OutboundMessage {
    fn from(message: RawMessage) -> Self {
        Self { message, headers: Vec::new() }
    }
}

impl From<RawMessage> for Outbound {
    fn from(message: RawMessage) -> Self {
        Self::Message(message.into())
    }
}

/// What a transport hands to a client, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inbound {
    /// A message from the peer.
    Message {
        /// Where it came in.
        origin: Origin,
        /// The envelope.
        message: RawMessage,
    },
    /// A JSON-RPC batch, split. Whether it is welcome is for the protocol core to say.
    Batch {
        /// Where it came in.
        origin: Origin,
        /// The envelopes.
        messages: Vec<RawMessage>,
    },
    /// Input that is no message; the link goes on.
    Skipped(Skipped),
    /// A message that belongs to no exchange could not be delivered; the link goes on. A request among them has no answer,
    /// unless the error leaves open whether the peer took it.
    Undelivered {
        /// The message, as it was handed over.
        message: RawMessage,
        /// What happened to it.
        error: crate::TransportError,
    },
    /// The peer does not know the session any more, as the channel beside the exchanges shows; the link goes on.
    SessionLost(crate::TransportError),
}

/// Where a message came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// On the channel that all messages share.
    Shared,
    /// In the exchange of the request of ours with this id.
    Exchange(RequestId),
}

/// Input that is no message: reported, then skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// What it was.
    pub kind: SkippedKind,
    /// Its first bytes, at most [`Skipped::EXCERPT`] of them; bytes that are no UTF-8 are replaced.
    pub excerpt: String,
    /// Its whole length, in bytes.
    pub length: u64,
}

/// What kind of input was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkippedKind {
    /// No JSON: a banner, a log line, half a message.
    Text,
    /// JSON, but not a message, or an ambiguous one.
    NotAMessage(ParseError),
    /// Longer than the transport's limit.
    TooLong,
}

impl Skipped {
    /// How many bytes of skipped input an excerpt keeps.
    pub const EXCERPT: usize = 256;

    /// Reports skipped input: `start` holds its first bytes, `length` says how long it was.
    pub fn new(kind: SkippedKind, start: &[u8], length: u64) -> Self {
        let excerpt = String::from_utf8_lossy(&start[..start.len().min(Self::EXCERPT)]).into_owned();
        Self { kind, excerpt, length }
    }
}

impl Inbound {
    /// Parses one frame and appends what it holds: a message, a batch, or a report of skipped input.
    ///
    /// Bodies up to 4 KiB are copied, so that a kept result does not pin a large read buffer; larger ones share it.
    pub fn parse(origin: Origin, frame: &Bytes, into: &mut Vec<Self>) {
        Self::parse_each(origin, frame, |entry| into.push(entry));
    }

    /// As [`parse`](Self::parse), and hands each entry to `take`.
    pub fn parse_each(origin: Origin, frame: &Bytes, mut take: impl FnMut(Self)) {
        match jsonrpc::parse(frame) {
            Ok(Incoming::Single(message)) => take(Self::Message { origin, message: own(frame, message) }),
            Ok(Incoming::Batch(elements)) => {
                let mut messages = Vec::with_capacity(elements.len());
                let mut rejected = None;
                for element in elements {
                    match element {
                        Ok(message) => messages.push(own(frame, message)),
                        // One report for all of them: each would quote the same frame.
                        Err(error) => rejected = rejected.or(Some(error)),
                    }
                }
                if let Some(error) = rejected {
                    take(Self::Skipped(skipped(error, frame)));
                }
                if !messages.is_empty() {
                    take(Self::Batch { origin, messages });
                }
            }
            Err(error) => take(Self::Skipped(skipped(error, frame))),
        }
    }
}

fn own(frame: &Bytes, message: JsonRpcMessage<&[u8]>) -> RawMessage {
    const COPY_LIMIT: usize = 4096;
    message.map(
        |body| {
            if body.len() <= COPY_LIMIT { Bytes::copy_from_slice(body) } else { frame.slice_ref(body) }
        },
    )
}

fn skipped(error: ParseError, frame: &[u8]) -> Skipped {
    let kind = match error {
        ParseError::NotJson { .. } => SkippedKind::Text,
        other => SkippedKind::NotAMessage(other),
    };
    Skipped::new(kind, frame, frame.len() as u64)
}
