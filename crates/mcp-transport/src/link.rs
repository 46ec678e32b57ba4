use std::{collections::VecDeque, fmt, future::Future, pin::Pin, sync::Arc};

use crate::{Inbound, Outbound, OutboundMessage, ParamHeaders, TransportError};

/// Makes links to one server. Reusable: a client connects again after a crash, or to probe on a fresh process.
///
/// The future of [`connect`](Self::connect) may be dropped at any point, and then leaves nothing behind.
pub trait Connect: Send + Sync + 'static {
    /// Whether a link of this may be one of [exchanges](Link::exchanges). What a client needs for those, which is a tenth of a
    /// small program, is left out of programs all of whose transports say no. A link of exchanges from one that said no is
    /// refused ([`TransportErrorKind::Configuration`](crate::TransportErrorKind::Configuration)) and dropped.
    ///
    /// A transport around another one hands on what that says: `const EXCHANGES: bool = C::EXCHANGES;`
    const EXCHANGES: bool = true;

    /// Makes a link.
    ///
    /// # Errors
    /// [`TransportError`] with [`Delivery::NeverSent`](crate::Delivery::NeverSent), saying what was tried.
    fn connect(&self) -> impl Future<Output = Result<Link, TransportError>> + Send;

    /// Whether [`connect`](Self::connect) may be called again for another link to the same kind of server.
    fn repeatable(&self) -> bool {
        true
    }

    /// What this connects to, in a few words for errors and logs. No secrets.
    fn label(&self) -> String {
        String::from("server")
    }

    /// The origin of the server, where there is one that can be compared: `https://host:port`. What is known of the
    /// servers of an origin may be kept by it. No secrets.
    fn origin(&self) -> Option<String> {
        None
    }
}

/// The sending half of a pipe.
pub trait Sender: Send + 'static {
    /// Takes entries off the front of `batch`, in order, until it is empty.
    ///
    /// An entry is taken off before its first byte leaves. After an error, what is still in the batch never left.
    ///
    /// # Errors
    /// When nothing more can be sent on this link.
    fn send(
        &mut self,
        batch: &mut VecDeque<Outbound>,
    ) -> impl Future<Output = Result<(), TransportError>> + Send;
}

/// The receiving half of a pipe.
pub trait Receiver: Send + 'static {
    /// Appends at least one entry; `false` at the end.
    ///
    /// # Errors
    /// When nothing more can be received on this link. What was appended before still counts.
    fn recv(&mut self, into: &mut Vec<Inbound>) -> impl Future<Output = Result<bool, TransportError>> + Send;
}

/// One exchange a request.
pub trait Exchanges: Send + Sync + 'static {
    /// Sends the request `out` and delivers what comes back on it to `sink`. Ends with the exchange; dropping the
    /// future abandons the request.
    fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static;
}

/// Ends what stands behind a link. Dropping it ends it at once, by force.
pub trait Closer: Send + 'static {
    /// Ends it in order, within the limits that the transport was given. Both halves of the link are closed or dropped
    /// before.
    ///
    /// # Errors
    /// When it could not be ended, or not in order.
    fn close(self) -> impl Future<Output = Result<(), TransportError>> + Send;
}

/// How an exchange ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExchangeEnd {
    /// In order. Whether the reply was among its messages is for the protocol core to see.
    Complete,
    /// The request was refused or lost; the error says which.
    Failed(TransportError),
    /// The server does not speak this transport but another one, over which a link was made. Negotiation starts again.
    Replaced(Link),
}

/// Where an exchange delivers.
#[derive(Clone)]
pub struct Sink(Arc<dyn SinkTarget>);

/// What a [`Sink`] delivers to. It never blocks.
pub trait SinkTarget: Send + Sync + 'static {
    /// Takes one entry.
    fn deliver(&self, inbound: Inbound);
    /// The peer took the request.
    fn accepted(&self) {}
    /// What is delivered next came with a refusal, which is this error: a JSON-RPC error in the body of an HTTP 400, say.
    fn refused(&self, _error: &TransportError) {}
}

impl Sink {
    /// A sink that delivers to `target`.
    pub fn new(target: impl SinkTarget) -> Self {
        Self(Arc::new(target))
    }

    /// A sink that delivers to `target`, which others know too.
    pub fn shared<T: SinkTarget>(target: &Arc<T>) -> Self {
        Self(Arc::clone(target) as Arc<dyn SinkTarget>)
    }

    /// Delivers one entry.
    pub fn deliver(&self, inbound: Inbound) {
        self.0.deliver(inbound);
    }

    /// Says that the peer took the request: its response headers came.
    pub fn accepted(&self) {
        self.0.accepted();
    }

    /// Says what the next delivery came with, before it. The exchange ends with the same error.
    pub fn refused(&self, error: &TransportError) {
        self.0.refused(error);
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

/// A link to one server: a pipe, or exchanges. A concrete type: the transport's own types end here.
pub struct Link(LinkParts);

/// The parts of a link, for whoever drives it.
#[non_exhaustive]
pub struct LinkParts {
    /// The sending half: of the pipe, or of what belongs to no exchange.
    pub sender: BoxSender,
    /// The receiving half: of the pipe, or of what belongs to no exchange.
    pub receiver: BoxReceiver,
    /// One exchange a request; `None` for a pipe.
    pub exchanges: Option<BoxExchanges>,
    /// Ends what stands behind the link.
    pub closer: Option<BoxCloser>,
    /// What the peer said beside the protocol so far: the last lines of standard error, say. Untrusted text.
    pub diagnosis: Option<Diagnosis>,
    /// Of links whose [`OutboundMessage::headers`] reach the peer: which arguments of tools travel in them.
    pub headers: Option<&'static dyn ParamHeaders>,
}

/// Tells what a peer said beside the protocol so far; empty when it said nothing.
pub type Diagnosis = Arc<dyn Fn() -> String + Send + Sync>;

impl Link {
    /// A channel that all messages share.
    pub fn pipe(sender: impl Sender, receiver: impl Receiver) -> Self {
        Self(LinkParts {
            sender: BoxSender(Box::new(sender)),
            receiver: BoxReceiver(Box::new(receiver)),
            exchanges: None,
            closer: None,
            diagnosis: None,
            headers: None,
        })
    }

    /// One exchange a request; the halves carry what belongs to no request: notifications, replies to the server's
    /// requests, and what the server sends unasked.
    pub fn exchanges(exchanges: impl Exchanges, sender: impl Sender, receiver: impl Receiver) -> Self {
        let mut link = Self::pipe(sender, receiver);
        link.0.exchanges = Some(BoxExchanges(Arc::new(exchanges)));
        link
    }

    /// The same link with what must be ended behind it.
    pub fn with_closer(mut self, closer: impl Closer) -> Self {
        self.0.closer = Some(BoxCloser(Box::new(closer)));
        self
    }

    /// The same link with what the peer says beside the protocol, for the error of a connect that takes too long.
    pub fn with_diagnosis(mut self, diagnosis: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.0.diagnosis = Some(Arc::new(diagnosis));
        self
    }

    /// The same link, as one on which [`OutboundMessage::headers`] reach the peer. In the modern era the client then
    /// mirrors arguments of tools in them, as `params` says, and leaves out tools for which that has no plan. For links of
    /// exchanges: what is sent on a pipe has no header fields, and there this changes nothing.
    pub fn with_headers(mut self, params: &'static dyn ParamHeaders) -> Self {
        self.0.headers = Some(params);
        self
    }

    pub(crate) fn set_rest(
        &mut self,
        closer: Option<BoxCloser>,
        diagnosis: Option<Diagnosis>,
        headers: Option<&'static dyn ParamHeaders>,
    ) {
        self.0.closer = closer;
        self.0.diagnosis = diagnosis;
        self.0.headers = headers;
    }

    /// Takes the link apart.
    pub fn into_parts(self) -> LinkParts {
        self.0
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.exchanges.is_some() { "Link::exchanges" } else { "Link::pipe" })
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait DynSender: Send {
    fn send<'a>(&'a mut self, batch: &'a mut VecDeque<Outbound>)
    -> BoxFuture<'a, Result<(), TransportError>>;
}

impl<T: Sender> DynSender for T {
    fn send<'a>(
        &'a mut self,
        batch: &'a mut VecDeque<Outbound>,
    ) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(Sender::send(self, batch))
    }
}

trait DynReceiver: Send {
    fn recv<'a>(&'a mut self, into: &'a mut Vec<Inbound>) -> BoxFuture<'a, Result<bool, TransportError>>;
}

impl<T: Receiver> DynReceiver for T {
    fn recv<'a>(&'a mut self, into: &'a mut Vec<Inbound>) -> BoxFuture<'a, Result<bool, TransportError>> {
        Box::pin(Receiver::recv(self, into))
    }
}

trait DynExchanges: Send + Sync {
    fn exchange(&self, out: OutboundMessage, sink: Sink) -> BoxFuture<'static, ExchangeEnd>;
}

impl<T: Exchanges> DynExchanges for T {
    fn exchange(&self, out: OutboundMessage, sink: Sink) -> BoxFuture<'static, ExchangeEnd> {
        Box::pin(Exchanges::exchange(self, out, sink))
    }
}

trait DynCloser: Send {
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>>;
}

impl<T: Closer> DynCloser for T {
    fn close(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        Box::pin(async move { Closer::close(*self).await })
    }
}

/// A [`Sender`] whose type is erased.
pub struct BoxSender(Box<dyn DynSender>);

/// A [`Receiver`] whose type is erased.
pub struct BoxReceiver(Box<dyn DynReceiver>);

/// [`Exchanges`] whose type is erased.
#[derive(Clone)]
pub struct BoxExchanges(Arc<dyn DynExchanges>);

/// A [`Closer`] whose type is erased.
pub struct BoxCloser(Box<dyn DynCloser>);

impl Sender for BoxSender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        self.0.send(batch).await
    }
}

impl Receiver for BoxReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        self.0.recv(into).await
    }
}

impl BoxExchanges {
    /// See [`Exchanges::exchange`].
    pub fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> Pin<Box<dyn Future<Output = ExchangeEnd> + Send>> {
        self.0.exchange(out, sink)
    }
}

impl BoxCloser {
    /// See [`Closer::close`].
    ///
    /// # Errors
    /// As [`Closer::close`].
    pub async fn close(self) -> Result<(), TransportError> {
        self.0.close().await
    }
}
