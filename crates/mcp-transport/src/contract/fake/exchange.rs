use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use mcp_types::{ErrorCode, JsonRpcError, RequestId, jsonrpc::MethodName};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

use super::expect;
use crate::{
    Delivery, ExchangeEnd, Inbound, Link, Origin, OutboundMessage, RawMessage, Sink, TransportError,
    TransportErrorKind,
};

/// One request of the client, for the test to answer, and to watch.
///
/// What the test says is queued and happens when the client **polls** the exchange, as with a real response that is read
/// by whoever polls: nothing arrives on an exchange that nobody drives, and [`taken`](Self::taken) then panics. A
/// response that begins (a message, a reply, an end in order) tells [`Sink::accepted`] first.
///
/// Dropping it without an end fails the exchange as a lost connection; [`hang`](Self::hang) leaves it open for ever.
pub struct FakeExchange {
    out: OutboundMessage,
    id: RequestId,
    steps: mpsc::UnboundedSender<Step>,
    queued: usize,
    accepted: bool,
    ended: bool,
    watch: watch::Receiver<Watched>,
}

enum Step {
    Accept,
    Deliver(Inbound),
    /// Boxed: a link is large.
    End(Box<ExchangeEnd>),
    /// Never go on.
    Hang,
}

#[derive(Debug, Clone, Copy)]
struct Watched {
    fate: Fate,
    polls: u64,
    last_polled: Instant,
    taken: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Ended,
    Abandoned,
}

impl FakeExchange {
    /// The request with its headers, as the client handed it over.
    pub fn out(&self) -> &OutboundMessage {
        &self.out
    }

    /// The id of the request.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// The method of the request.
    pub fn method(&self) -> &str {
        self.out.message.method().unwrap_or_default()
    }

    /// The raw `params` of the request.
    ///
    /// # Panics
    /// When they are no UTF-8.
    pub fn params(&self) -> Option<&str> {
        let body = self.out.message.body()?;
        Some(std::str::from_utf8(body).expect("params are UTF-8"))
    }

    /// The value of the extra header field `name`, whose case does not matter.
    pub fn header(&self, name: &str) -> Option<&str> {
        let fields = self.out.headers.iter();
        fields.rev().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Lets the response begin: its headers came.
    pub fn accept(&mut self) {
        if !self.accepted {
            self.accepted = true;
            self.push(Step::Accept);
        }
    }

    /// Sends a message in this exchange.
    pub fn send(&mut self, message: RawMessage) {
        let origin = Origin::Exchange(self.id.clone());
        self.deliver(Inbound::Message { origin, message });
    }

    /// Sends a notification in this exchange; `params` is raw JSON.
    pub fn notify(&mut self, method: impl Into<MethodName>, params: impl Into<Bytes>) {
        self.send(RawMessage::notification(method, Some(params.into())));
    }

    /// Sends a request of the server in this exchange; `params` is raw JSON. The client's reply comes beside.
    pub fn request(
        &mut self,
        id: impl Into<RequestId>,
        method: impl Into<MethodName>,
        params: impl Into<Bytes>,
    ) {
        self.send(RawMessage::request(id, method, Some(params.into())));
    }

    /// Sends one frame in this exchange, as a transport reads it: a message, a batch, or junk.
    pub fn send_frame(&mut self, frame: impl Into<Bytes>) {
        let mut entries = Vec::new();
        Inbound::parse(Origin::Exchange(self.id.clone()), &frame.into(), &mut entries);
        for entry in entries {
            self.deliver(entry);
        }
    }

    /// Hands `entry` to the client.
    pub fn deliver(&mut self, entry: Inbound) {
        self.accept();
        self.push(Step::Deliver(entry));
    }

    /// Replies with `result`, raw JSON, and ends the exchange in order.
    pub fn reply(&mut self, result: impl Into<Bytes>) {
        self.send(RawMessage::result(self.id.clone(), result.into()));
        self.complete();
    }

    /// Replies with an error and ends the exchange in order.
    pub fn reply_error(&mut self, code: i64, message: &str) {
        let error = JsonRpcError::new(ErrorCode(code), message);
        let error = serde_json::to_vec(&error).expect("an error object is JSON");
        self.send(RawMessage::error(Some(self.id.clone()), error.into()));
        self.complete();
    }

    /// Ends the exchange in order: without a reply, unless one was sent before.
    pub fn complete(&mut self) {
        self.accept();
        self.end(ExchangeEnd::Complete);
    }

    /// Ends the exchange with `error`.
    pub fn fail(&mut self, error: TransportError) {
        self.end(ExchangeEnd::Failed(error));
    }

    /// Ends the exchange: the server is spoken to over `link` from now on.
    pub fn replace(&mut self, link: Link) {
        self.end(ExchangeEnd::Replaced(link));
    }

    /// Leaves the exchange open for ever, also after this handle is dropped.
    pub fn hang(&mut self) {
        self.ended = true;
        self.push(Step::Hang);
    }

    fn end(&mut self, end: ExchangeEnd) {
        self.push(Step::End(Box::new(end)));
        self.ended = true;
    }

    fn push(&mut self, step: Step) {
        assert!(
            !self.ended || matches!(step, Step::Hang),
            "the exchange of `{}` was ended by the test before",
            self.method()
        );
        self.queued += 1;
        // An abandoned exchange takes nothing; the test finds out by asking.
        let _ = self.steps.send(step);
    }

    /// Waits until the client took all that was said so far.
    ///
    /// # Panics
    /// When it does not: nobody polls the exchange, or it was abandoned.
    pub async fn taken(&self) {
        let mut watch = self.watch.clone();
        let taken = watch.wait_for(|watched| watched.taken >= self.queued || watched.fate == Fate::Abandoned);
        let watched = expect(|| self.what("takes what was said"), taken).await;
        if let Ok(watched) = watched {
            assert!(watched.taken >= self.queued, "{}", self.what("was to take what was said"));
        }
    }

    /// Waits until the client dropped the exchange before its end.
    ///
    /// # Panics
    /// When it does not, or the exchange ended.
    pub async fn abandoned(&self) {
        let mut watch = self.watch.clone();
        let over = watch.wait_for(|watched| watched.fate != Fate::Open);
        let _ = expect(|| self.what("is abandoned"), over).await;
        assert!(self.is_abandoned(), "{}", self.what("was to be abandoned"));
    }

    /// Waits until the client dropped the exchange before its end, without a limit.
    pub(in crate::contract) async fn dropped(&self) {
        let mut watch = self.watch.clone();
        if watch.wait_for(|watched| watched.fate == Fate::Abandoned).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the client dropped the exchange before its end.
    pub fn is_abandoned(&self) -> bool {
        self.watch.borrow().fate == Fate::Abandoned
    }

    /// Whether the exchange goes on: it neither ended nor was abandoned.
    pub fn is_open(&self) -> bool {
        self.watch.borrow().fate == Fate::Open
    }

    /// How often the client polled the exchange.
    pub fn polls(&self) -> u64 {
        self.watch.borrow().polls
    }

    /// When the client last polled the exchange.
    pub fn last_polled(&self) -> Instant {
        self.watch.borrow().last_polled
    }

    fn what(&self, what: &str) -> String {
        let watched = *self.watch.borrow();
        format!(
            "the exchange of `{}` (id {}) {what}; it is {:?}, took {} of {} steps, and was polled {} times, last {:?} ago",
            self.method(),
            self.id,
            watched.fate,
            watched.taken,
            self.queued,
            watched.polls,
            watched.last_polled.elapsed(),
        )
    }
}

/// The client's side of an exchange: counts polls, and notices when it is dropped.
pub(super) struct Running {
    sink: Sink,
    steps: mpsc::UnboundedReceiver<Step>,
    watch: Arc<watch::Sender<Watched>>,
    hangs: bool,
}

pub(super) fn start(out: OutboundMessage, sink: Sink) -> (Running, FakeExchange) {
    let (to, steps) = mpsc::unbounded_channel();
    let watch =
        watch::Sender::new(Watched { fate: Fate::Open, polls: 0, last_polled: Instant::now(), taken: 0 });
    let id = out.message.id().cloned();
    let far = FakeExchange {
        id: id.expect("an exchange is for a request, which has an id"),
        out,
        steps: to,
        queued: 0,
        accepted: false,
        ended: false,
        watch: watch.subscribe(),
    };
    let running = Running { sink, steps, watch: Arc::new(watch), hangs: false };
    (running, far)
}

impl Future for Running {
    type Output = ExchangeEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ExchangeEnd> {
        self.watch.send_modify(|watched| {
            watched.polls += 1;
            watched.last_polled = Instant::now();
        });
        while !self.hangs {
            let Poll::Ready(step) = self.steps.poll_recv(cx) else {
                return Poll::Pending;
            };
            let end = match step {
                Some(Step::Accept) => {
                    self.sink.accepted();
                    None
                }
                Some(Step::Deliver(entry)) => {
                    self.sink.deliver(entry);
                    None
                }
                Some(Step::Hang) => {
                    self.hangs = true;
                    None
                }
                Some(Step::End(end)) => Some(*end),
                None => Some(ExchangeEnd::Failed(TransportError::new(
                    TransportErrorKind::Closed,
                    Delivery::MaybeSent,
                    "the scripted server dropped the exchange",
                ))),
            };
            self.watch.send_modify(|watched| {
                watched.taken += 1;
                if end.is_some() {
                    watched.fate = Fate::Ended;
                }
            });
            if let Some(end) = end {
                return Poll::Ready(end);
            }
        }
        Poll::Pending
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.watch.send_modify(|watched| {
            if watched.fate == Fate::Open {
                watched.fate = Fate::Abandoned;
            }
        });
    }
}
