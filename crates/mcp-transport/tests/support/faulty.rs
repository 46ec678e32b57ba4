//! Transports that break the contract, one clause each.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_transport::{
    BoxReceiver, BoxSender, Closer, Delivery, Inbound, Link, Outbound, Receiver, Sender, TransportError,
    TransportErrorKind, contract::Rig,
};
use tokio::sync::Mutex;

use super::{FarStream, LengthPrefixed};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    SendsOutOfOrder,
    LeavesEntriesInTheBatch,
    LosesOneMessageInAThousand,
    PutsBackWhatLeft,
    TakesWhatCannotLeave,
    IgnoresClose,
    LosesTheLastMessageAtClose,
    SendsIntoTheVoidAfterClose,
    HidesFailedSends,
    HangsInFailedSends,
    SaysRefusedOfALostPeer,
    HoldsTheReceiverBackWhileSending,
    LosesLargeMessages,
    RoundsNumbers,
    CutsAtLineBreaks,
    AppendsNothing,
    ReceivesOutOfOrder,
    LosesBatches,
    HidesJunk,
    EndsAtJunk,
    HangsAtTheEnd,
    HangsAfterTheEnd,
    LivesOnWhenDropped,
    CloserHangs,
    CloserNeedsARuntime,
    ConnectsOnce,
    CrossesLinks,
    IsPoisonedByADroppedConnect,
}

/// [`LengthPrefixed`] with a fault.
pub(crate) struct Faulty {
    fault: Fault,
    used: AtomicBool,
    connecting: AtomicBool,
    previous: Mutex<Option<Link>>,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            used: AtomicBool::new(false),
            connecting: AtomicBool::new(false),
            previous: Mutex::new(None),
        }
    }

    fn wrap(&self, link: Link) -> Link {
        let parts = link.into_parts();
        let lock = Arc::new(Mutex::new(()));
        let sender = FaultySender {
            fault: self.fault,
            inner: Some(parts.sender),
            lock: Arc::clone(&lock),
            sent: 0,
            closed: false,
        };
        let receiver =
            FaultyReceiver { fault: self.fault, inner: Some(parts.receiver), lock, calls: 0, ended: false };
        Link::pipe(sender, receiver).with_closer(FaultyCloser(self.fault))
    }
}

impl Rig for Faulty {
    type Far = FarStream;

    async fn open(&self) -> Result<(Link, FarStream), TransportError> {
        let (link, far) = LengthPrefixed.open().await?;
        let link = self.wrap(link);
        let refused =
            || TransportError::new(TransportErrorKind::Connect, Delivery::NeverSent, "one link at a time");
        match self.fault {
            // The first checks get their links, those of repeated connects do not.
            Fault::ConnectsOnce if self.used.load(Ordering::SeqCst) => return Err(refused()),
            Fault::IsPoisonedByADroppedConnect => {
                if self.connecting.swap(true, Ordering::SeqCst) {
                    return Err(refused());
                }
                tokio::task::yield_now().await;
                self.connecting.store(false, Ordering::SeqCst);
            }
            Fault::CrossesLinks => {
                let mut previous = self.previous.lock().await;
                if let Some(previous) = previous.replace(link) {
                    return Ok((previous, far));
                }
                let (link, _) = LengthPrefixed.open().await?;
                return Ok((link, far));
            }
            _ => {}
        }
        if self.fault == Fault::ConnectsOnce {
            self.used.store(true, Ordering::SeqCst);
        }
        Ok((link, far))
    }
}

struct FaultySender {
    fault: Fault,
    inner: Option<BoxSender>,
    lock: Arc<Mutex<()>>,
    sent: usize,
    closed: bool,
}

impl Sender for FaultySender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        let inner = self.inner.as_mut().unwrap();
        let whole = batch.clone();
        let lock = Arc::clone(&self.lock);
        let mut guard = None;
        match self.fault {
            Fault::SendsOutOfOrder if batch.len() > 2 => batch.swap(1, 2),
            Fault::LeavesEntriesInTheBatch if batch.len() > 1 => {
                let rest = batch.split_off(1);
                let outcome = inner.send(batch).await;
                *batch = rest;
                return outcome;
            }
            Fault::LosesOneMessageInAThousand => {
                batch.retain(|_| {
                    self.sent += 1;
                    !self.sent.is_multiple_of(1000)
                });
            }
            Fault::IgnoresClose => batch.retain(|entry| !matches!(entry, Outbound::Close)),
            Fault::LosesTheLastMessageAtClose if matches!(batch.back(), Some(Outbound::Close)) => {
                batch.truncate(batch.len().saturating_sub(2));
                batch.push_back(Outbound::Close);
            }
            Fault::SendsIntoTheVoidAfterClose => {
                if self.closed {
                    batch.clear();
                    return Ok(());
                }
                self.closed |= matches!(batch.back(), Some(Outbound::Close));
            }
            Fault::HoldsTheReceiverBackWhileSending => guard = Some(lock.lock().await),
            Fault::LosesLargeMessages => {
                batch.retain(|entry| body(entry).is_none_or(|body| body.len() < 1 << 20));
            }
            Fault::RoundsNumbers => change(batch, |body| match serde_json::from_slice::<f64>(body) {
                Ok(number) => number.to_string().into(),
                Err(_) => serde_json::from_slice::<serde_json::Value>(body)
                    .map_or(body.clone(), |value| value.to_string().into()),
            }),
            Fault::CutsAtLineBreaks => {
                change(batch, |body| body.split(|byte| *byte == b'\n').next().unwrap().to_vec().into());
            }
            _ => {}
        }
        let outcome = inner.send(batch).await;
        drop(guard);
        match (self.fault, outcome) {
            (Fault::PutsBackWhatLeft, Err(error)) => {
                *batch = whole;
                Err(error)
            }
            (Fault::TakesWhatCannotLeave, Err(error)) => {
                batch.clear();
                Err(error)
            }
            (Fault::HangsInFailedSends, Err(error)) if error.delivery() == Delivery::MaybeSent => {
                pending().await
            }
            (Fault::HidesFailedSends, Err(error)) if error.delivery() == Delivery::MaybeSent => {
                batch.clear();
                Ok(())
            }
            (Fault::SaysRefusedOfALostPeer, Err(error)) => Err(error.with_delivery(Delivery::Refused)),
            (_, outcome) => outcome,
        }
    }
}

fn body(entry: &Outbound) -> Option<&mcp_transport::Bytes> {
    match entry {
        Outbound::Message(out) => out.message.body(),
        _ => None,
    }
}

fn change(batch: &mut VecDeque<Outbound>, change: impl Fn(&mcp_transport::Bytes) -> mcp_transport::Bytes) {
    for entry in batch {
        if let Outbound::Message(out) = entry {
            out.message = out.message.clone().map(|body| change(&body));
        }
    }
}

struct FaultyReceiver {
    fault: Fault,
    inner: Option<BoxReceiver>,
    lock: Arc<Mutex<()>>,
    calls: usize,
    ended: bool,
}

impl Receiver for FaultyReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        let inner = self.inner.as_mut().unwrap();
        self.calls += 1;
        match self.fault {
            Fault::AppendsNothing if self.calls.is_multiple_of(3) => return Ok(true),
            Fault::HoldsTheReceiverBackWhileSending => drop(self.lock.lock().await),
            Fault::HangsAfterTheEnd if self.ended => pending().await,
            _ => {}
        }
        let start = into.len();
        let outcome = inner.recv(into).await;
        match self.fault {
            Fault::ReceivesOutOfOrder if self.calls == 1 => {
                inner.recv(into).await?;
                into[start..].reverse();
            }
            Fault::LosesBatches => {
                into.retain(|entry| !matches!(entry, Inbound::Batch { .. }));
                if into.len() == start {
                    return inner.recv(into).await;
                }
            }
            Fault::HidesJunk => {
                into.retain(|entry| !matches!(entry, Inbound::Skipped(_)));
                if into.len() == start {
                    return inner.recv(into).await;
                }
            }
            Fault::EndsAtJunk if matches!(into.last(), Some(Inbound::Skipped(_))) => {
                into.pop();
                return Err(TransportError::new(TransportErrorKind::Protocol, Delivery::MaybeSent, "junk"));
            }
            Fault::HangsAtTheEnd if into.len() == start => pending().await,
            _ => {}
        }
        self.ended = into.len() == start;
        outcome
    }
}

impl Drop for FaultySender {
    fn drop(&mut self) {
        if self.fault == Fault::LivesOnWhenDropped {
            std::mem::forget(self.inner.take());
        }
    }
}

impl Drop for FaultyReceiver {
    fn drop(&mut self) {
        if self.fault == Fault::LivesOnWhenDropped {
            std::mem::forget(self.inner.take());
        }
    }
}

struct FaultyCloser(Fault);

impl Closer for FaultyCloser {
    async fn close(self) -> Result<(), TransportError> {
        if self.0 == Fault::CloserHangs {
            pending::<()>().await;
        }
        Ok(())
    }
}

impl Drop for FaultyCloser {
    fn drop(&mut self) {
        if self.0 == Fault::CloserNeedsARuntime {
            tokio::spawn(async {});
        }
    }
}
