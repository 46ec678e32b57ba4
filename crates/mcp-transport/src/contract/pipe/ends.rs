use std::collections::VecDeque;

use crate::{
    Delivery, Outbound, RawMessage, Sender,
    contract::{
        Clause, FarEnd, Rig, Violation,
        bench::{Near, arrive, bounded, frames, note, notes, open, outbound, speak},
    },
};

/// Clauses 3 and 11: what stands before [`Outbound::Close`] arrives, then the peer sees the end; a later send fails.
///
/// # Errors
/// The violation.
pub async fn close_flushes_and_ends<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let messages = notes(3, 100);
    let mut batch = outbound(&messages);
    batch.push_back(Outbound::Close);
    near.send(batch).await?;
    arrive(Clause::Close, &mut far, &messages).await?;
    match bounded(Clause::Close, "the peer waiting for the end after `Close`", far.recv()).await? {
        None => {}
        Some(frame) => {
            let what = format!("the peer received {} bytes behind `Close`", frame.len());
            return Err(Violation::new(Clause::Close, what));
        }
    }
    let mut batch = VecDeque::from([note(9, 0).into()]);
    match bounded(Clause::Ended, "a send after `Close`", near.sender.send(&mut batch)).await? {
        Err(_) if batch.is_empty() => {
            Err(Violation::new(Clause::Send, "a send after `Close` took a message that cannot leave"))
        }
        Err(_) => Ok(()),
        Ok(()) => Err(Violation::new(Clause::Close, "a send after `Close` succeeded")),
    }
}

/// Clause 11: when the peer ends its direction in order, what it sent before arrives, then the end; sends do not hang.
///
/// # Errors
/// The violation.
pub async fn peer_closes<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let sent = frames(&notes(3, 100));
    bounded(Clause::Receive, "the peer sending three messages", speak(&mut far, &sent)).await??;
    bounded(Clause::Ended, "the peer closing", far.close()).await?;
    near.receiver.expect(Clause::Ended, &sent).await?;
    near.receiver.expect_end().await?;
    // The other direction may still be open: the send may succeed, not hang.
    let mut batch = VecDeque::from([note(9, 0).into()]);
    bounded(Clause::Ended, "a send after the peer closed", near.sender.send(&mut batch)).await?.ok();
    drop(far);
    sends_fail(&mut near).await
}

/// Clauses 11 and 14: when the peer is gone at once, the receiver ends and sends fail, now and later, without a hang.
///
/// # Errors
/// The violation.
pub async fn peer_is_cut<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, far) = open(rig).await?;
    drop(far);
    near.receiver.expect_end().await?;
    sends_fail(&mut near).await?;
    sends_fail(&mut near).await
}

/// Clauses 1 and 14: after a failed send, its batch holds the tail of what it held, and none of that reached the peer.
///
/// # Errors
/// The violation.
pub async fn failed_send_keeps_what_never_left<R: Rig>(rig: &R) -> Result<(), Violation> {
    const ARRIVED: usize = 5;
    let (mut near, mut far) = open(rig).await?;
    let messages = notes(600, 16 << 10);
    let mut batch = outbound(&messages);
    let read = async {
        let outcome = arrive(Clause::Send, &mut far, &messages[..ARRIVED]).await;
        drop(far);
        outcome
    };
    let send = bounded(Clause::Ended, "a send to a peer that is gone", near.sender.send(&mut batch));
    let (outcome, read) = tokio::join!(send, read);
    read?;
    match outcome? {
        Ok(()) => {
            let what = "a send of 600 messages of 16 KiB succeeded, although the peer was gone after five";
            return Err(Violation::new(Clause::Ended, what));
        }
        Err(error) => says_its_fate(&error)?,
    }
    let left: Vec<_> = batch.iter().filter_map(message).collect();
    let taken = messages.len().saturating_sub(batch.len());
    if left.len() != batch.len() || !left.iter().copied().eq(&messages[taken..]) {
        let what = "after a failed send, its batch is not the tail of what it was";
        return Err(Violation::new(Clause::Send, what));
    }
    if taken < ARRIVED {
        let what = format!("{ARRIVED} messages arrived, but a failed send left all but {taken} in its batch");
        return Err(Violation::new(Clause::Send, what));
    }
    Ok(())
}

/// Sends to a peer that is gone fail sooner or later: buffers of the system may take some.
async fn sends_fail(near: &mut Near) -> Result<(), Violation> {
    for number in 0..1024 {
        let mut batch = VecDeque::from([note(number, 16 << 10).into()]);
        let send = near.sender.send(&mut batch);
        match bounded(Clause::Ended, "a send to a peer that is gone", send).await? {
            Err(error) => return says_its_fate(&error),
            // Lets the transport notice.
            Ok(()) => tokio::task::yield_now().await,
        }
    }
    let what = "16 MiB were sent to a peer that is gone, and no send failed";
    Err(Violation::new(Clause::Ended, what))
}

fn says_its_fate(error: &crate::TransportError) -> Result<(), Violation> {
    match error.delivery() {
        Delivery::NeverSent | Delivery::MaybeSent => Ok(()),
        Delivery::Refused => {
            let what = format!("a peer that is gone refused nothing, but the error says so: {error:?}");
            Err(Violation::new(Clause::Delivery, what))
        }
    }
}

fn message(entry: &Outbound) -> Option<&RawMessage> {
    match entry {
        Outbound::Message(out) => Some(&out.message),
        _ => None,
    }
}
