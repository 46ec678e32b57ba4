use std::collections::VecDeque;

use mcp_types::Revision;

use crate::{
    Outbound, Sender,
    contract::{
        Clause, Rig, Violation,
        bench::{arrive, both, bounded, frames, note, notes, open, outbound, sent, speak},
    },
};

/// Clauses 1 and 2: messages keep their order both ways, over several sends; entries that are no message send nothing.
///
/// # Errors
/// The violation.
pub async fn order_is_kept<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let messages = notes(24, 0);
    let mut entries: VecDeque<_> = outbound(&messages);
    entries.insert(3, Outbound::Settled(Revision::LATEST_LEGACY));
    entries.insert(7, Outbound::Abandon(1.into()));
    let rest = entries.split_off(13);
    near.send(entries).await?;
    near.send(VecDeque::new()).await?;
    near.send(rest).await?;
    arrive(Clause::Send, &mut far, &messages).await?;

    let frames = frames(&messages);
    both(bounded_speak(&mut far, &frames), near.receiver.expect(Clause::Receive, &frames)).await
}

/// Clauses 1 and 2: 10,000 small messages at once, both ways at the same time.
///
/// # Errors
/// The violation.
pub async fn many_small_messages_pass<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let messages = notes(10_000, 0);
    let frames = frames(&messages);
    let sender = &mut near.sender;
    let send = async {
        let mut batch = outbound(&messages);
        let outcome = bounded(Clause::Send, "a send to a peer that reads", sender.send(&mut batch)).await?;
        sent(&outcome, &batch)
    };
    // Small enough a stretch for any pipe to hold while the far end is not reading.
    let talk = async {
        for (ours, theirs) in frames.chunks(10).zip(messages.chunks(10)) {
            bounded_speak(&mut far, ours).await?;
            arrive(Clause::Send, &mut far, theirs).await?;
        }
        Ok(())
    };
    both(both(send, talk), near.receiver.expect(Clause::Receive, &frames)).await
}

/// Clause 2: while the peer sends and reads nothing, and so a send of the client hangs, the client receives all.
/// Then the peer reads, and the send goes on.
///
/// # Errors
/// The violation.
pub async fn full_directions_do_not_wait_for_each_other<R: Rig>(rig: &R) -> Result<(), Violation> {
    const PADDING: usize = 16 << 10;
    let (mut near, mut far) = open(rig).await?;
    let messages = notes(600, PADDING);
    let frames = frames(&messages);
    let sender = &mut near.sender;
    let send = async {
        let mut batch = outbound(&messages);
        let outcome =
            bounded(Clause::Receive, "a send that the peer reads in the end", sender.send(&mut batch))
                .await?;
        sent(&outcome, &batch)
    };
    let talk = async {
        bounded_speak(&mut far, &frames).await?;
        arrive(Clause::Send, &mut far, &messages).await
    };
    both(both(send, talk), near.receiver.expect(Clause::Receive, &frames)).await?;
    near.send([note(0, 0).into()]).await
}

async fn bounded_speak(
    far: &mut impl crate::contract::FarEnd,
    frames: &[bytes::Bytes],
) -> Result<(), Violation> {
    bounded(Clause::Receive, "the peer sending to a client that receives", speak(far, frames)).await?
}
