//! The halves beside the exchanges: what belongs to no request.

use std::{collections::VecDeque, pin::Pin, sync::Arc, time::Duration};

use mcp_transport::{
    Delivery, Inbound, Origin, Outbound, OutboundMessage, Receiver, Sender, TransportError,
    TransportErrorKind,
};
use mcp_types::jsonrpc::JsonRpcMessage;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::timeout,
};

use crate::{
    body,
    link::Shared,
    listen::{hear, listen},
    refusal::Refusal,
    request::Prepared,
    sse::Events,
};

/// How long a message waits for the acceptance of the one before, so that they arrive in order. Then it goes out beside
/// it: a server may accept a reply only when it has used it.
const IN_ORDER: Duration = Duration::from_secs(1);

/// Entries that wait for the reader. Then the stream waits.
const WAITING: usize = 64;

/// What the sending half tells the receiving one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before the handshake, or in an era without one.
    Quiet,
    /// A session was opened: the server may have a stream. Counted, for sessions that follow.
    Listening(u64),
    Closed,
}

/// The halves beside exchanges.
pub(crate) fn halves(shared: &Arc<Shared>) -> (BesideSender, BesideReceiver) {
    halves_with(shared, None)
}

/// The halves of a pipe: what is sent is posted, what is received comes on one stream of events, and the link ends with
/// it.
pub(crate) fn pipe(shared: &Arc<Shared>, events: Events) -> (BesideSender, BesideReceiver) {
    halves_with(shared, Some(events))
}

fn halves_with(shared: &Arc<Shared>, events: Option<Events>) -> (BesideSender, BesideReceiver) {
    let (to, inbox) = mpsc::channel(WAITING);
    let stage = Arc::new(watch::Sender::new(Stage::Quiet));
    let is_pipe = events.is_some();
    let receiver = BesideReceiver {
        shared: Arc::clone(shared),
        inbox,
        stage: stage.subscribe(),
        stream: events.map(|events| -> Stream { Box::pin(hear(Arc::clone(shared), events, to.clone())) }),
        to: to.clone(),
        is_pipe,
        end: None,
    };
    let posting = Posting { shared: Arc::clone(shared), to, stage };
    (BesideSender { posting, late: JoinSet::new(), closed: false }, receiver)
}

pub(crate) struct BesideSender {
    posting: Posting,
    /// Messages whose acceptance is still waited for.
    late: JoinSet<()>,
    closed: bool,
}

impl Sender for BesideSender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        if self.closed && !batch.is_empty() {
            return Err(TransportError::new(
                TransportErrorKind::Closed,
                Delivery::NeverSent,
                "the link was closed",
            ));
        }
        while let Some(entry) = batch.pop_front() {
            match entry {
                Outbound::Message(out) => self.post(out).await,
                Outbound::Settled(revision) => self.posting.shared.session.settle(revision),
                Outbound::Close => {
                    self.closed = true;
                    // Each is bounded by itself.
                    while self.late.join_next().await.is_some() {}
                    self.posting.stage.send_replace(Stage::Closed);
                    break;
                }
                // The exchange of an abandoned request is dropped.
                _ => {}
            }
        }
        Ok(())
    }
}

impl BesideSender {
    async fn post(&mut self, out: OutboundMessage) {
        while self.late.try_join_next().is_some() {}
        let mut posted = Box::pin(self.posting.clone().post(out));
        if timeout(IN_ORDER, &mut posted).await.is_err() {
            self.late.spawn(posted);
        }
    }
}

#[derive(Clone)]
struct Posting {
    shared: Arc<Shared>,
    to: mpsc::Sender<Inbound>,
    stage: Arc<watch::Sender<Stage>>,
}

impl Posting {
    /// Posts one message, and reports it if that fails.
    async fn post(self, out: OutboundMessage) {
        let initialized = out.message.method() == Some("notifications/initialized");
        let limit = self.shared.options.accept_timeout;
        let accepted = match timeout(limit, self.accepted(&out)).await {
            Ok(accepted) => accepted,
            Err(_) => Err(TransportError::new(
                TransportErrorKind::Timeout,
                Delivery::MaybeSent,
                format!("the server did not accept the message within {limit:?}"),
            )),
        };
        if initialized {
            self.shared.session.opened();
            if accepted.is_ok() {
                self.stage.send_modify(|stage| {
                    *stage = match *stage {
                        Stage::Quiet => Stage::Listening(1),
                        Stage::Listening(count) => Stage::Listening(count + 1),
                        Stage::Closed => Stage::Closed,
                    };
                });
            }
        }
        if let Err(error) = accepted {
            // Without its receiver the link is over.
            let _ = self.to.send(Inbound::Undelivered { message: out.message, error }).await;
        }
    }

    /// Any success is acceptance, whatever comes with it.
    async fn accepted(&self, out: &OutboundMessage) -> Result<(), TransportError> {
        let Prepared { request, session, .. } = self.shared.post(out)?;
        let answer = self.shared.service.fetch(request).await?;
        if answer.status().is_success() {
            body::drain(answer.into_body()).await;
            return Ok(());
        }
        // A session that another one has replaced meanwhile is no loss.
        let in_session = session.is_some() && self.shared.session.id() == session;
        let refusal = Refusal::read(answer, in_session).await;
        if let JsonRpcMessage::Request(request) = &out.message
            && let Some(message) = refusal.rpc_error(&request.id)
        {
            // Without its receiver the link is over.
            let _ = self.to.send(Inbound::Message { origin: Origin::Shared, message }).await;
            return Ok(());
        }
        Err(refusal.into_error())
    }
}

pub(crate) struct BesideReceiver {
    shared: Arc<Shared>,
    inbox: mpsc::Receiver<Inbound>,
    to: mpsc::Sender<Inbound>,
    stage: watch::Receiver<Stage>,
    /// The server's own stream, which runs while this half receives.
    stream: Option<Stream>,
    /// The stream is all that there is to receive.
    is_pipe: bool,
    end: Option<Result<(), TransportError>>,
}

type Stream = Pin<Box<dyn Future<Output = Result<(), TransportError>> + Send>>;

impl Receiver for BesideReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        loop {
            if self.take_waiting(into) {
                return Ok(true);
            }
            if let Some(end) = &self.end {
                return end.clone().map(|()| false);
            }
            tokio::select! {
                biased;
                // Never `None`: this half holds a sender.
                Some(entry) = self.inbox.recv() => into.push(entry),
                changed = self.stage.changed() => self.enter(changed.is_ok()),
                end = poll_stream(&mut self.stream) => {
                    self.stream = None;
                    if self.is_pipe {
                        self.end = Some(end);
                    }
                }
            }
            if !into.is_empty() {
                self.take_waiting(into);
                return Ok(true);
            }
        }
    }
}

impl BesideReceiver {
    fn take_waiting(&mut self, into: &mut Vec<Inbound>) -> bool {
        let before = into.len();
        while let Ok(entry) = self.inbox.try_recv() {
            into.push(entry);
        }
        into.len() > before
    }

    /// The sending half is in another stage, or gone.
    fn enter(&mut self, alive: bool) {
        let stage = *self.stage.borrow_and_update();
        match stage {
            Stage::Listening(_) if alive && self.is_pipe => {}
            Stage::Listening(_) if alive => {
                self.stream = Some(Box::pin(listen(Arc::clone(&self.shared), self.to.clone())));
            }
            Stage::Quiet if alive => {}
            _ => {
                self.stream = None;
                self.end = Some(Ok(()));
            }
        }
    }
}

async fn poll_stream(stream: &mut Option<Stream>) -> Result<(), TransportError> {
    match stream {
        Some(stream) => stream.as_mut().await,
        None => std::future::pending().await,
    }
}
