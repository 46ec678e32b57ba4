use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use super::expect;
use crate::{
    Closer, Delivery, Inbound, Link, Origin, Outbound, RawMessage, Receiver, Sender, TransportError,
    TransportErrorKind,
};

/// The far end of a scripted pipe, or of what goes beside scripted exchanges.
///
/// It takes everything at once unless told otherwise, so that a test sees entries in the order the client handed them
/// over; a peer that does not read is [`stop_reading`](Self::stop_reading). Dropping it ends the link on both sides.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use mcp_transport::{Outbound, RawMessage, Receiver, Sender, contract::FakePipe};
///
/// let (link, mut far) = FakePipe::link();
/// let mut client = link.into_parts();
/// client.sender.send(&mut [RawMessage::request(1, "ping", None).into()].into()).await.unwrap();
/// let request = far.next_message().await;
/// assert_eq!(request.method(), Some("ping"));
/// far.send_frame(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// # });
/// ```
pub struct FakePipe {
    outbound: mpsc::UnboundedReceiver<Outbound>,
    speaker: FakeSpeaker,
    sending: watch::Sender<Sending>,
    closer: watch::Sender<CloserControl>,
}

/// What a [`FakePipe`] says to the client, by itself: for whoever answers while another one listens.
#[derive(Debug, Clone)]
pub struct FakeSpeaker(Arc<Mutex<Option<ToClient>>>);

type ToClient = mpsc::UnboundedSender<Result<Inbound, TransportError>>;

/// What became of the closer of a [`FakePipe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloserState {
    /// Neither closed nor dropped.
    Idle,
    /// [`Closer::close`] runs, and was told to hang.
    Closing,
    /// [`Closer::close`] ended.
    Closed,
    /// Dropped without [`Closer::close`], or before it ended.
    Dropped,
}

#[derive(Debug, Clone)]
enum Sending {
    Open,
    Stuck,
    Failed(TransportError),
}

#[derive(Debug, Clone, Copy)]
struct CloserControl {
    state: CloserState,
    stuck: bool,
}

impl FakePipe {
    /// A pipe with a closer, and its far end.
    pub fn link() -> (Link, Self) {
        let (sender, receiver, closer, far) = Self::halves();
        (Link::pipe(sender, receiver).with_closer(closer), far)
    }

    pub(super) fn halves() -> (impl Sender, impl Receiver, impl Closer, Self) {
        let (to_far, outbound) = mpsc::unbounded_channel();
        let (inbound, from_far) = mpsc::unbounded_channel();
        let sending = watch::Sender::new(Sending::Open);
        let closer = watch::Sender::new(CloserControl { state: CloserState::Idle, stuck: false });
        let sender = FakeSender { to_far, control: sending.subscribe() };
        let receiver = FakeReceiver { from_far, failed: None };
        let far = Self {
            outbound,
            speaker: FakeSpeaker(Arc::new(Mutex::new(Some(inbound)))),
            sending,
            closer: closer.clone(),
        };
        (sender, receiver, FakeCloser(closer), far)
    }

    /// The next entry that the client handed to its sender; `None` once the sender was dropped.
    ///
    /// # Panics
    /// When none comes.
    pub async fn next(&mut self) -> Option<Outbound> {
        expect(|| "an entry from the client".into(), self.outbound.recv()).await
    }

    /// As [`next`](Self::next), without a limit. Cancel-safe.
    pub async fn recv(&mut self) -> Option<Outbound> {
        self.outbound.recv().await
    }

    /// The next message of the client; entries that are none are passed over.
    ///
    /// # Panics
    /// When none comes, or the client closes or drops its sender first.
    pub async fn next_message(&mut self) -> RawMessage {
        loop {
            match self.next().await {
                Some(Outbound::Message(out)) => return out.message,
                Some(Outbound::Close) => panic!("expected a message, but the client closed its direction"),
                None => panic!("expected a message, but the client dropped its sender"),
                Some(_) => {}
            }
        }
    }

    /// The entry that is there already, if any.
    pub fn try_next(&mut self) -> Option<Outbound> {
        self.outbound.try_recv().ok()
    }

    /// Says things while this handle listens.
    pub fn speaker(&self) -> FakeSpeaker {
        self.speaker.clone()
    }

    /// See [`FakeSpeaker::send`].
    pub fn send(&self, message: RawMessage) {
        self.speaker.send(message);
    }

    /// See [`FakeSpeaker::send_frame`].
    pub fn send_frame(&self, frame: impl Into<Bytes>) {
        self.speaker.send_frame(frame);
    }

    /// See [`FakeSpeaker::deliver`].
    pub fn deliver(&self, entry: Inbound) {
        self.speaker.deliver(entry);
    }

    /// See [`FakeSpeaker::end`].
    pub fn end(&self) {
        self.speaker.end();
    }

    /// See [`FakeSpeaker::fail`].
    pub fn fail(&self, error: TransportError) {
        self.speaker.fail(error);
    }

    /// Stops reading: a send of the client takes its next entry off the batch and hangs.
    pub fn stop_reading(&self) {
        self.sending.send_replace(Sending::Stuck);
    }

    /// Goes on reading after [`stop_reading`](Self::stop_reading): what hung arrives.
    pub fn resume_reading(&self) {
        self.sending.send_replace(Sending::Open);
    }

    /// Fails every send of the client from now on, also one that hangs. What it had not taken stays in its batch.
    pub fn fail_sends(&self, error: TransportError) {
        self.sending.send_replace(Sending::Failed(error));
    }

    /// Waits until the client dropped its receiver.
    ///
    /// # Panics
    /// When it does not, or the far end was ended on this side.
    pub async fn receiver_dropped(&self) {
        let inbound = self.speaker.lock().clone();
        let inbound = inbound.expect("the inbound direction was ended by the test");
        expect(|| "the client drops its receiver".into(), inbound.closed()).await;
    }

    /// Lets [`Closer::close`] hang until it is dropped.
    pub fn stick_closer(&self) {
        self.closer.send_modify(|control| control.stuck = true);
    }

    /// What became of the closer so far.
    pub fn closer(&self) -> CloserState {
        self.closer.borrow().state
    }

    /// Waits until the closer is in `state`.
    ///
    /// # Panics
    /// When it does not get there.
    pub async fn closer_is(&self, state: CloserState) {
        let mut watch = self.closer.subscribe();
        let reached = watch.wait_for(|control| control.state == state);
        let what = || format!("the closer is {state:?}; it is {:?}", self.closer());
        // The sending end is in `self`.
        let _ = expect(what, reached).await;
    }
}

impl Drop for FakePipe {
    fn drop(&mut self) {
        self.speaker.end();
    }
}

impl FakeSpeaker {
    /// Sends a message to the client.
    pub fn send(&self, message: RawMessage) {
        self.deliver(Inbound::Message { origin: Origin::Shared, message });
    }

    /// Sends one frame to the client, as a transport reads it: a message, a batch, or junk.
    pub fn send_frame(&self, frame: impl Into<Bytes>) {
        let mut entries = Vec::new();
        Inbound::parse(Origin::Shared, &frame.into(), &mut entries);
        for entry in entries {
            self.deliver(entry);
        }
    }

    /// Hands `entry` to the client; a client that dropped its receiver misses it.
    pub fn deliver(&self, entry: Inbound) {
        if let Some(inbound) = &*self.lock() {
            let _ = inbound.send(Ok(entry));
        }
    }

    /// Ends the client's receiver in order, after what was sent before.
    pub fn end(&self) {
        self.lock().take();
    }

    /// Ends the client's receiver with `error`, after what was sent before.
    pub fn fail(&self, error: TransportError) {
        if let Some(inbound) = self.lock().take() {
            let _ = inbound.send(Err(error));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ToClient>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct FakeSender {
    to_far: mpsc::UnboundedSender<Outbound>,
    control: watch::Receiver<Sending>,
}

impl Sender for FakeSender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        while !batch.is_empty() {
            if let Sending::Failed(error) = &*self.control.borrow() {
                return Err(error.clone());
            }
            if self.to_far.is_closed() {
                return Err(closed(Delivery::NeverSent));
            }
            let Some(entry) = batch.pop_front() else { break };
            let go_on = self
                .control
                .wait_for(|sending| !matches!(sending, Sending::Stuck))
                .await
                .map_err(|_| closed(Delivery::MaybeSent))?;
            if let Sending::Failed(error) = &*go_on {
                return Err(error.clone());
            }
            self.to_far.send(entry).map_err(|_| closed(Delivery::MaybeSent))?;
        }
        Ok(())
    }
}

struct FakeReceiver {
    from_far: mpsc::UnboundedReceiver<Result<Inbound, TransportError>>,
    /// An error that came behind entries, for the next call.
    failed: Option<TransportError>,
}

impl Receiver for FakeReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        match self.from_far.recv().await {
            None => return Ok(false),
            Some(first) => into.push(first?),
        }
        while let Ok(next) = self.from_far.try_recv() {
            match next {
                Ok(entry) => into.push(entry),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(true)
    }
}

struct FakeCloser(watch::Sender<CloserControl>);

impl Closer for FakeCloser {
    async fn close(self) -> Result<(), TransportError> {
        if self.0.borrow().stuck {
            self.0.send_modify(|control| control.state = CloserState::Closing);
            std::future::pending::<()>().await;
        }
        self.0.send_modify(|control| control.state = CloserState::Closed);
        Ok(())
    }
}

impl Drop for FakeCloser {
    fn drop(&mut self) {
        self.0.send_modify(|control| {
            if control.state != CloserState::Closed {
                control.state = CloserState::Dropped;
            }
        });
    }
}

fn closed(delivery: Delivery) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, delivery, "the scripted peer ended the link")
}
