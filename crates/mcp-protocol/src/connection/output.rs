use std::time::Duration;

use bytes::Bytes;
use mcp_types::{
    ProtocolVersion, RequestId, Revision,
    jsonrpc::{JsonRpcMessage, MethodName},
};

use super::{Expired, ServeId};

/// A request of ours: its number on the wire. Counts from 1, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub i64);

impl From<CallId> for RequestId {
    fn from(id: CallId) -> Self {
        Self::from(id.0)
    }
}

/// What goes to the transport, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// A message.
    Message(JsonRpcMessage<Bytes>),
    /// The revision is settled.
    Settled(Revision),
    /// Nobody waits for the reply to this request any more.
    Abandon(CallId),
}

/// What goes to the application, in order.
#[derive(Debug)]
pub enum Output<P, F> {
    /// A call is over. Nothing more comes for it.
    Finished {
        /// Which.
        id: CallId,
        /// What its caller kept with it.
        payload: P,
        /// How it ended.
        outcome: Outcome<F>,
    },
    /// The peer reported progress on an open call.
    Progress {
        /// Which.
        id: CallId,
        /// A copy of what its caller kept with it.
        payload: P,
        /// The raw params of the notifications that came one after the other.
        reports: Vec<Bytes>,
    },
    /// A notification on an open subscription (a `subscriptions/listen` of ours). It comes as an [`Event`] too.
    Subscribed {
        /// Which.
        id: CallId,
        /// A copy of what its caller kept with it.
        payload: P,
        /// The method.
        method: MethodName,
        /// The raw params of the notification.
        params: Bytes,
    },
    /// The exchange of this call, or of this handshake, is to be ended.
    Abandon(CallId),
    /// The exchange of this call is to be run: again, in a new session, or for the first time, if the call waited for one.
    Exchange {
        /// Which.
        id: CallId,
        /// A copy of what its caller kept with it.
        payload: P,
        /// The request.
        message: JsonRpcMessage<Bytes>,
    },
    /// The exchange of this handshake, which begins a new session, is to be run. Its end is told by
    /// [`Connection::exchange_ended`](super::Connection::exchange_ended), as a call's.
    Handshake {
        /// Its id. It is no open call.
        id: CallId,
        /// The request.
        message: JsonRpcMessage<Bytes>,
    },
    /// Something that belongs to no call.
    Event(Event),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<F> {
    /// A result, raw.
    Result(Bytes),
    /// An error object, raw.
    Error(Bytes),
    /// A deadline passed; the peer was told if the request had left.
    Expired {
        /// Which limit.
        limit: Expired,
        /// Whether the request may have left.
        sent: bool,
    },
    /// The peer ended a subscription by `notifications/cancelled`.
    CancelledByPeer,
    /// The link, or the exchange of this call, failed.
    Lost {
        /// How.
        failure: F,
        /// Whether the request may have left.
        sent: bool,
    },
    /// The exchange ended in order, but without a reply.
    NoReply,
    /// The peer took the request, and then lost the session: the reply, if there is one, goes nowhere.
    Orphaned(F),
    /// The peer had lost the session, and no new one could be started. It does not have the request.
    NotRenewed(NotRenewed<F>),
}

/// Why a lost session was not started anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRenewed<F> {
    /// The exchange of the handshake failed.
    Failed(F),
    /// The peer answered with this error object, raw.
    Refused(Bytes),
    /// The new session would be of another revision than the one that is spoken; which, if it can be read.
    Revision(Option<ProtocolVersion>),
    /// It took longer than this.
    Expired(Duration),
    /// The exchange ended in order, but without a reply.
    NoReply,
}

/// A call that was started.
#[derive(Debug)]
pub struct Started {
    /// Its id.
    pub id: CallId,
    /// Over exchanges, the request: the caller runs its exchange. Over a pipe it is queued.
    pub message: Option<JsonRpcMessage<Bytes>>,
}

/// A call that was not started.
#[derive(Debug)]
pub struct NotStarted<P, F> {
    /// Why.
    pub why: Refused<F>,
    /// What the caller wanted to keep with it.
    pub payload: P,
}

/// Why a call was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused<F> {
    /// The connection is closing.
    Closing,
    /// The link has ended.
    Ended(F),
}

/// Where a message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On the channel that all messages share.
    Shared,
    /// In the exchange of this call.
    Exchange(CallId),
}

/// Something the peer did that belongs to no call of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A request: answer it with [`Connection::respond`](super::Connection::respond).
    Request {
        /// By which it is answered.
        id: ServeId,
        /// The id that the peer gave it.
        request_id: RequestId,
        /// The method.
        method: MethodName,
        /// Raw params.
        params: Option<Bytes>,
        /// Where it came in.
        origin: Origin,
    },
    /// The peer gave up one of its requests, or the link ended: no answer is wanted.
    RequestCancelled {
        /// Which.
        id: ServeId,
    },
    /// A notification.
    Notification {
        /// The method.
        method: MethodName,
        /// Raw params.
        params: Option<Bytes>,
        /// Where it came in.
        origin: Origin,
    },
    /// The peer lost the session; a new one is being started.
    SessionLost,
    /// A lost session was started anew. The peer knows nothing of what was set in the old one.
    SessionRenewed {
        /// The handshake that is over.
        handshake: CallId,
    },
    /// Something was dropped; the connection goes on.
    Dropped(Dropped),
}

/// What was dropped, for diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dropped {
    /// A reply to a call that is over: late, or repeated.
    LateReply(RequestId),
    /// A reply to a call that was never made, or that came in another call's exchange.
    ForeignReply(RequestId),
    /// An error without an id, as an answer to something that the peer could not read; the first 256 bytes of it.
    UnattributedError(Bytes),
    /// Progress on no open call; the first 256 bytes of the params.
    StrayProgress(Bytes),
    /// A batch, from a peer whose revision has none: how many messages.
    Batch(usize),
    /// A notification of ours of this method, because there is no session to send it in.
    Notification(MethodName),
    /// A request, because too many replies wait to be sent.
    RequestFlood(RequestId),
}
