use std::{collections::VecDeque, time::Duration};

use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{
    BoxCloser, BoxExchanges, BoxReceiver, BoxSender, Connect, ExchangeEnd, Inbound, Outbound,
    OutboundMessage, RawMessage, Receiver, Sender, Sink, SinkTarget, TransportError, contract::patiently,
};
use mcp_transport_http::Http;
use mcp_types::Revision;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::WIRE;

pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

pub(crate) fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

pub(crate) fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A request of the modern era without arguments.
pub(crate) fn modern(id: i64, method: &'static str) -> RawMessage {
    RawMessage::request(id, method, Some(format!("{{{META}}}").into()))
}

/// A request of the legacy era.
pub(crate) fn legacy(id: i64, method: &'static str) -> RawMessage {
    RawMessage::request(id, method, Some("{}".into()))
}

pub(crate) fn note(method: &'static str) -> RawMessage {
    RawMessage::notification(method, None)
}

/// A link, taken apart.
pub(crate) struct Near {
    pub(crate) exchanges: BoxExchanges,
    pub(crate) sender: BoxSender,
    pub(crate) receiver: BoxReceiver,
    pub(crate) closer: Option<BoxCloser>,
}

impl Near {
    pub(crate) async fn open(http: Http) -> Self {
        let parts = http.connect().await.unwrap().into_parts();
        Self {
            exchanges: parts.exchanges.unwrap(),
            sender: parts.sender,
            receiver: parts.receiver,
            closer: parts.closer,
        }
    }

    /// Starts an exchange, which goes on by itself.
    pub(crate) fn start(&self, out: impl Into<OutboundMessage>) -> Call {
        let (to, seen) = mpsc::unbounded_channel();
        let end = tokio::spawn(self.exchanges.exchange(out.into(), Sink::new(Recorder(to))));
        Call { end, seen }
    }

    pub(crate) async fn send(&mut self, entries: impl IntoIterator<Item = Outbound>) {
        let mut batch: VecDeque<_> = entries.into_iter().collect();
        patiently(self.sender.send(&mut batch)).await.expect("no hang").unwrap();
        assert!(batch.is_empty());
    }

    /// The next entry beside the exchanges.
    pub(crate) async fn beside(&mut self) -> Inbound {
        let mut into = Vec::new();
        let more = patiently(self.receiver.recv(&mut into)).await.expect("an entry").unwrap();
        assert!(more && into.len() == 1, "{into:?}");
        into.remove(0)
    }

    pub(crate) async fn close(mut self) -> Result<(), TransportError> {
        self.send([Outbound::Close]).await;
        patiently(self.closer.take().unwrap().close()).await.expect("no hang")
    }
}

/// A link and its server, before the handshake.
pub(crate) async fn pair() -> (Near, HttpServer) {
    let server = WIRE.serve().await;
    (Near::open(WIRE.http(&server)).await, server)
}

/// A link and its server after the handshake of the legacy era, in the session `id`. The stream beside is refused.
pub(crate) async fn in_session(id: &str, revision: Revision) -> (Near, HttpServer) {
    let (mut near, mut server) = pair().await;
    initialize(&mut near, &mut server, Some(id), revision).await;
    refuse_listening(&mut near, &mut server).await;
    (near, server)
}

/// The handshake, up to the acceptance of `initialized`.
pub(crate) async fn initialize(
    near: &mut Near,
    server: &mut HttpServer,
    id: Option<&str>,
    revision: Revision,
) {
    let call = near.start(legacy(1, "initialize"));
    let exchange = server.expect("initialize").await;
    let result = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{revision}"}}}}"#);
    let mut fields = vec![("content-type", "application/json")];
    fields.extend(id.map(|id| ("Mcp-Session-Id", id)));
    exchange.respond(200, &fields, result).await;
    call.reply().await;
    let told = near.send([Outbound::Settled(revision), note("notifications/initialized").into()]);
    tokio::join!(told, async { server.expect("notifications/initialized").await.accept().await });
}

/// Receives until the stream beside was asked for and refused.
pub(crate) async fn refuse_listening(near: &mut Near, server: &mut HttpServer) {
    let mut into = Vec::new();
    tokio::select! {
        more = near.receiver.recv(&mut into) => panic!("{more:?} {into:?}"),
        () = async { server.expect("GET").await.respond(405, &[], "").await } => {}
    }
}

/// A running exchange.
pub(crate) struct Call {
    end: JoinHandle<ExchangeEnd>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

#[derive(Debug)]
pub(crate) enum Seen {
    Accepted,
    Entry(Inbound),
}

struct Recorder(mpsc::UnboundedSender<Seen>);

impl SinkTarget for Recorder {
    fn deliver(&self, inbound: Inbound) {
        let _ = self.0.send(Seen::Entry(inbound));
    }

    fn accepted(&self) {
        let _ = self.0.send(Seen::Accepted);
    }
}

impl Call {
    pub(crate) fn abandon(&self) {
        self.end.abort();
    }

    pub(crate) async fn next(&mut self) -> Option<Seen> {
        patiently(self.seen.recv()).await.expect("no hang")
    }

    /// The next message, as text; `accepted` is passed over.
    pub(crate) async fn message(&mut self) -> String {
        loop {
            match self.next().await {
                Some(Seen::Accepted) => {}
                Some(Seen::Entry(Inbound::Message { message, .. })) => return text(&message),
                other => panic!("expected a message, saw {other:?}"),
            }
        }
    }

    pub(crate) async fn end(self) -> ExchangeEnd {
        patiently(self.end).await.expect("an end").unwrap()
    }

    /// Everything that came, and the end.
    pub(crate) async fn all(mut self) -> (Vec<Seen>, ExchangeEnd) {
        let end = patiently(&mut self.end).await.expect("an end").unwrap();
        let mut seen = Vec::new();
        while let Ok(next) = self.seen.try_recv() {
            seen.push(next);
        }
        (seen, end)
    }

    /// The one message that came, and an end in order.
    pub(crate) async fn reply(self) -> String {
        let (seen, end) = self.all().await;
        assert!(matches!(end, ExchangeEnd::Complete), "{end:?}");
        let [Seen::Accepted, Seen::Entry(Inbound::Message { message, .. })] = &seen[..] else {
            panic!("{seen:?}")
        };
        text(message)
    }

    /// The error, and that nothing came before it.
    pub(crate) async fn error(self) -> TransportError {
        let (seen, end) = self.all().await;
        let messages = seen.iter().filter(|seen| matches!(seen, Seen::Entry(Inbound::Message { .. })));
        assert_eq!(messages.count(), 0, "{seen:?}");
        failed(end)
    }
}

pub(crate) fn failed(end: ExchangeEnd) -> TransportError {
    match end {
        ExchangeEnd::Failed(error) => error,
        end => panic!("expected a failure, saw {end:?}"),
    }
}

pub(crate) fn text(message: &RawMessage) -> String {
    String::from_utf8(message.to_vec()).unwrap()
}

/// Answers the call of a server whose request is `exchange`, and checks that it is.
pub(crate) async fn answered(call: Call, exchange: HttpExchange) {
    exchange.result("{}").await;
    let message = call.reply().await;
    assert!(message.ends_with(r#""result":{}}"#), "{message}");
}

/// The link still works.
pub(crate) async fn still_works(near: &Near, server: &mut HttpServer) {
    let call = near.start(modern(99, "tools/list"));
    loop {
        let exchange = server.next().await;
        if exchange.request.rpc_id().as_deref() == Some("99") {
            return answered(call, exchange).await;
        }
    }
}

/// The message that could not be delivered, and why.
pub(crate) fn undelivered(entry: Inbound) -> (RawMessage, TransportError) {
    match entry {
        Inbound::Undelivered { message, error } => (message, error),
        entry => panic!("{entry:?}"),
    }
}
