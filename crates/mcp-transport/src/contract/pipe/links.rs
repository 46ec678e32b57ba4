use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use crate::{
    Outbound, Sender,
    contract::{
        Clause, FarEnd, Rig, Violation,
        bench::{Near, arrive, bounded, far_sees_end, note, notes, open, outbound, speak},
    },
};

/// Clause 12: a link whose parts are all dropped is over for the peer: when it is fresh, and while a send hangs.
///
/// # Errors
/// The violation.
pub async fn dropped_link_ends<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (near, mut far) = open(rig).await?;
    drop(near);
    far_sees_end(Clause::Dropped, "a fresh link was dropped", &mut far).await?;

    let (mut near, mut far) = open(rig).await?;
    let mut batch = outbound(&notes(600, 16 << 10));
    {
        let mut send = pin!(near.sender.send(&mut batch));
        let mut receive = pin!(near.receiver.entry());
        // Until both wait: the peer neither reads nor sends. What they say, if they end, is for other checks.
        for _ in 0..64 {
            let _ = (poll_once(send.as_mut()), poll_once(receive.as_mut()));
            tokio::task::yield_now().await;
        }
    }
    drop(near);
    far_sees_end(Clause::Dropped, "a link with a hanging send was dropped", &mut far).await
}

/// Clause 13: a closer ends within limits of its own, after both halves are closed and dropped.
///
/// # Errors
/// The violation.
pub async fn closer_ends_in_time<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    near.send([Outbound::Close]).await?;
    let Near { sender, receiver, closer } = near;
    drop((sender, receiver));
    if let Some(closer) = closer {
        // Whether the end was in order depends on the peer.
        let _ = bounded(Clause::Closer, "`Closer::close`", closer.close()).await?;
    }
    far_sees_end(Clause::Close, "the link was closed", &mut far).await
}

/// Clause 13: dropping a closer ends the link, also where no runtime is.
///
/// # Errors
/// The violation.
pub async fn dropped_closer_needs_no_runtime<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (near, mut far) = open(rig).await?;
    let dropped = std::thread::spawn(move || drop(near)).join();
    if dropped.is_err() {
        let what = "dropping the parts of a link on a thread without a runtime panicked";
        return Err(Violation::new(Clause::Closer, what));
    }
    far_sees_end(Clause::Closer, "a link was dropped where no runtime is", &mut far).await
}

/// Clause 15: two links at the same time, each with its own peer.
///
/// # Errors
/// The violation.
pub async fn connect_can_be_repeated<R: Rig>(rig: &R) -> Result<(), Violation> {
    let mut first = open(rig).await?;
    let mut second = open(rig).await?;
    talk(&mut second, 2).await?;
    talk(&mut first, 1).await?;
    drop(first);
    talk(&mut second, 3).await
}

/// Clause 15: a connect that is dropped at any point leaves the transport usable.
///
/// # Errors
/// The violation.
pub async fn connect_can_be_dropped<R: Rig>(rig: &R) -> Result<(), Violation> {
    for polls in [0, 1, 2, 3, 5, 8, 13, 21] {
        let finished = {
            let mut opening = pin!(rig.open());
            let mut finished = false;
            for _ in 0..polls {
                if poll_once(opening.as_mut()).is_ready() {
                    finished = true;
                    break;
                }
                tokio::task::yield_now().await;
            }
            finished
        };
        let mut link = open(rig).await?;
        talk(&mut link, polls).await?;
        if finished {
            break;
        }
    }
    Ok(())
}

/// One message each way.
async fn talk<F: FarEnd>((near, far): &mut (Near, F), number: usize) -> Result<(), Violation> {
    let messages = [note(number, 0)];
    near.send(outbound(&messages)).await?;
    arrive(Clause::Connect, far, &messages).await?;
    let frame = messages[0].to_vec().into();
    bounded(Clause::Connect, "the peer sending on a new link", speak(far, std::slice::from_ref(&frame)))
        .await??;
    near.receiver.expect(Clause::Connect, &[frame]).await
}

fn poll_once<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
