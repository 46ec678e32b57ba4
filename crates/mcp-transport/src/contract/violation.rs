use std::fmt;

/// A clause of the contract; the [crate documentation](crate) has its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Clause {
    /// 1: `send` takes entries off the front of the batch, in order.
    Send = 1,
    /// 2: `recv` appends at least one entry, or says that the link ended, whether or not a send is running.
    Receive = 2,
    /// 3: `Close` flushes, and the peer sees an end.
    Close = 3,
    /// 4: input that is no message is an entry.
    Skip = 4,
    /// 6: what comes back on an exchange is delivered as it comes, and the exchange ends with it.
    Exchange = 6,
    /// 7: `accepted` is told once the peer took the request, before anything is delivered.
    Accepted = 7,
    /// 8: a dropped exchange is abandoned.
    Abandon = 8,
    /// 9: a request is not repeated by the transport.
    Once = 9,
    /// 10: a message arrives as the same JSON.
    SameJson = 10,
    /// 11: a link that ended says so at once, as often as it is asked.
    Ended = 11,
    /// 12: a link whose parts are all dropped is over.
    Dropped = 12,
    /// 13: a closer is bounded, and needs no runtime when it is dropped.
    Closer = 13,
    /// 14: an error says what became of the message.
    Delivery = 14,
    /// 15: connecting can be given up, and repeated.
    Connect = 15,
}

/// How a transport broke the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    clause: Clause,
    what: String,
}

impl Violation {
    pub(super) fn new(clause: Clause, what: impl Into<String>) -> Self {
        Self { clause, what: what.into() }
    }

    /// The clause that was broken.
    pub fn clause(&self) -> Clause {
        self.clause
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clause {} of the transport contract ({:?}): {}", self.clause as u8, self.clause, self.what)
    }
}

impl std::error::Error for Violation {}
