//! Links within one process: messages are handed over, not encoded.
//!
//! Use it to talk to a server that runs in the same process, and in tests.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use crate::{
    Delivery, Inbound, Link, Origin, Outbound, Receiver, Sender, TransportError, TransportErrorKind,
};

/// How many messages each direction of [`pair`] holds before its sender waits.
pub const CAPACITY: usize = 256;

/// How many messages one [`Receiver::recv`] takes at most, so that a reader gets to its work in between.
const RECV_BATCH: usize = 64;

/// Two pipes, each the far end of the other, of [`CAPACITY`] messages in each direction.
///
/// The directions are independent. [`Outbound::Close`], or a dropped sender, ends the receiver on the other side after
/// the messages before it. Once a receiver is dropped, sending to it fails and leaves the message in the batch.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::collections::VecDeque;
///
/// use mcp_transport::{Inbound, RawMessage, Receiver, Sender, memory};
///
/// let (client, server) = memory::pair();
/// let (mut client, mut server) = (client.into_parts(), server.into_parts());
///
/// let mut batch = VecDeque::from([RawMessage::request(1, "ping", None).into()]);
/// client.sender.send(&mut batch).await?;
///
/// let mut received = Vec::new();
/// server.receiver.recv(&mut received).await?;
/// assert!(matches!(&received[0], Inbound::Message { message, .. } if message.method() == Some("ping")));
/// # Ok::<(), mcp_transport::TransportError>(()) }).unwrap();
/// ```
// `#[inline]`, here and below: few programs use it, and those compile it.
#[inline]
pub fn pair() -> (Link, Link) {
    pair_with_capacity(CAPACITY)
}

/// As [`pair`], with room for `capacity` messages in each direction.
///
/// # Panics
/// When `capacity` is zero.
#[inline]
pub fn pair_with_capacity(capacity: usize) -> (Link, Link) {
    let (to_right, from_left) = mpsc::channel(capacity);
    let (to_left, from_right) = mpsc::channel(capacity);
    let link = |to, from| Link::pipe(MemorySender { to: Some(to) }, MemoryReceiver { from });
    (link(to_right, from_right), link(to_left, from_left))
}

struct MemorySender {
    /// `None` once closed.
    to: Option<mpsc::Sender<Inbound>>,
}

struct MemoryReceiver {
    from: mpsc::Receiver<Inbound>,
}

impl Sender for MemorySender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        while let Some(next) = batch.front() {
            let Some(to) = &self.to else {
                return Err(never_sent("the link was closed on this side"));
            };
            match next {
                Outbound::Message(_) => {
                    // Room first: a message for which there never is any stays in the batch.
                    let Ok(room) = to.reserve().await else {
                        return Err(never_sent("the peer ended the link"));
                    };
                    if let Some(Outbound::Message(out)) = batch.pop_front() {
                        room.send(Inbound::Message { origin: Origin::Shared, message: out.message });
                    }
                }
                Outbound::Close => {
                    batch.pop_front();
                    self.to = None;
                }
                Outbound::Settled(_) | Outbound::Abandon(_) => {
                    batch.pop_front();
                }
            }
        }
        Ok(())
    }
}

impl Receiver for MemoryReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        Ok(self.from.recv_many(into, RECV_BATCH).await > 0)
    }
}

fn never_sent(why: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, Delivery::NeverSent, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinkParts, RawMessage};

    fn note(number: usize) -> Outbound {
        RawMessage::notification(format!("n/{number}"), None).into()
    }

    fn parts(capacity: usize) -> (LinkParts, LinkParts) {
        let (left, right) = pair_with_capacity(capacity);
        (left.into_parts(), right.into_parts())
    }

    fn methods(inbound: &[Inbound]) -> Vec<&str> {
        inbound
            .iter()
            .map(|entry| match entry {
                Inbound::Message { message, .. } => message.method().unwrap(),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[tokio::test]
    async fn both_directions_keep_order_and_close_ends_one_of_them() {
        let (mut left, mut right) = parts(8);
        let mut batch = VecDeque::from([
            note(1),
            Outbound::Settled(mcp_types::Revision::LATEST),
            note(2),
            Outbound::Abandon(1.into()),
            note(3),
            Outbound::Close,
        ]);
        left.sender.send(&mut batch).await.unwrap();
        assert!(batch.is_empty());
        right.sender.send(&mut VecDeque::from([note(4)])).await.unwrap();

        let mut got = Vec::new();
        assert!(right.receiver.recv(&mut got).await.unwrap());
        assert_eq!(methods(&got), ["n/1", "n/2", "n/3"]);
        assert!(!right.receiver.recv(&mut got).await.unwrap());
        assert_eq!(got.len(), 3);
        assert!(left.receiver.recv(&mut got).await.unwrap());
        assert_eq!(methods(&got)[3..], ["n/4"]);
    }

    #[tokio::test]
    async fn nothing_is_sent_after_close() {
        let (mut left, _right) = parts(8);
        let mut batch = VecDeque::from([Outbound::Close, note(1)]);
        let error = left.sender.send(&mut batch).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.delivery(), batch.len()),
            (TransportErrorKind::Closed, Delivery::NeverSent, 1)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_direction_waits_and_the_other_one_goes_on() {
        let (mut left, mut right) = parts(2);
        let mut batch: VecDeque<_> = (0..3).map(note).collect();
        {
            let send = left.sender.send(&mut batch);
            let stuck = tokio::time::timeout(std::time::Duration::from_secs(60), send).await;
            assert!(stuck.is_err());
        }
        assert_eq!(batch.len(), 1, "what did not fit is still in the batch");
        right.sender.send(&mut VecDeque::from([note(9)])).await.unwrap();
        let mut got = Vec::new();
        left.receiver.recv(&mut got).await.unwrap();
        assert_eq!(methods(&got), ["n/9"]);
    }

    #[tokio::test]
    async fn a_dropped_receiver_fails_the_send_that_waits_for_it() {
        let (mut left, right) = parts(1);
        let mut batch: VecDeque<_> = (0..3).map(note).collect();
        let send = tokio::spawn(async move {
            let outcome = left.sender.send(&mut batch).await;
            (outcome, batch)
        });
        tokio::task::yield_now().await;
        drop(right.receiver);
        let (outcome, batch) = send.await.unwrap();
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Closed);
        assert_eq!(error.delivery(), Delivery::NeverSent);
        assert_eq!(batch.len(), 2, "what never left is still in the batch");
    }

    #[tokio::test]
    async fn a_dropped_sender_ends_the_other_side_after_what_it_sent() {
        let (mut left, mut right) = parts(8);
        left.sender.send(&mut VecDeque::from([note(1)])).await.unwrap();
        drop(left.sender);
        let mut got = Vec::new();
        assert!(right.receiver.recv(&mut got).await.unwrap());
        assert!(!right.receiver.recv(&mut got).await.unwrap());
        assert_eq!(methods(&got), ["n/1"]);
    }
}
