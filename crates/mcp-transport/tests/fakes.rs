//! What the scripted links of the kit promise to the tests that stand on them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_transport::{
    BoxExchanges, Delivery, ExchangeEnd, HttpFailure, Inbound, LinkParts, Origin, Outbound, RawMessage,
    Receiver, Sender, Sink, SinkTarget, TransportError, TransportErrorKind,
    contract::{CloserState, FakeExchanges, FakePipe},
    memory,
};
use tokio::task::JoinHandle;

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl SinkTarget for Seen {
    fn deliver(&self, inbound: Inbound) {
        self.0.lock().unwrap().push(match inbound {
            Inbound::Message { message, origin } => {
                assert!(matches!(origin, Origin::Exchange(_)));
                String::from_utf8(message.to_vec()).unwrap()
            }
            other => format!("{other:?}"),
        });
    }
    fn accepted(&self) {
        self.0.lock().unwrap().push("accepted".into());
    }
}

impl Seen {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn call(exchanges: &BoxExchanges, id: i64) -> (Seen, JoinHandle<ExchangeEnd>) {
    let seen = Seen::default();
    let request = RawMessage::request(id, "tools/call", Some("{}".into()));
    let exchange = exchanges.exchange(request.into(), Sink::new(seen.clone()));
    (seen, tokio::spawn(exchange))
}

fn exchanges(parts: &LinkParts) -> &BoxExchanges {
    parts.exchanges.as_ref().unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_exchange_does_what_the_test_says_in_order() {
    let (link, mut server) = FakeExchanges::link();
    let parts = link.into_parts();
    let (seen, client) = call(exchanges(&parts), 7);
    let mut exchange = server.expect("tools/call").await;
    assert_eq!((exchange.id(), exchange.params()), (&7.into(), Some("{}")));
    assert!(seen.all().is_empty(), "nothing before the headers");

    exchange.accept();
    exchange.taken().await;
    assert_eq!(seen.all(), ["accepted"]);
    exchange.request(1, "roots/list", "{}");
    exchange.notify("notifications/progress", r#"{"progress":1}"#);
    exchange.reply("{}");
    assert!(matches!(client.await.unwrap(), ExchangeEnd::Complete));
    assert_eq!(
        seen.all()[1..],
        [
            r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        ]
    );
    assert!(!exchange.is_open() && !exchange.is_abandoned());
}

#[tokio::test(start_paused = true)]
async fn exchanges_end_in_every_way() {
    let (link, mut server) = FakeExchanges::link();
    let parts = link.into_parts();

    let (seen, client) = call(exchanges(&parts), 1);
    let http = HttpFailure::default();
    let refused =
        TransportError::new(TransportErrorKind::Http, Delivery::Refused, "refused").with_http(http.clone());
    server.next_exchange().await.fail(refused);
    let ExchangeEnd::Failed(error) = client.await.unwrap() else { panic!() };
    assert_eq!((error.delivery(), error.http()), (Delivery::Refused, Some(&http)));
    assert!(seen.all().is_empty());

    let (seen, client) = call(exchanges(&parts), 2);
    server.next_exchange().await.complete();
    assert!(matches!(client.await.unwrap(), ExchangeEnd::Complete));
    assert_eq!(seen.all(), ["accepted"]);

    let (_, client) = call(exchanges(&parts), 3);
    server.next_exchange().await.replace(memory::pair().0);
    assert!(matches!(client.await.unwrap(), ExchangeEnd::Replaced(_)));

    let (seen, client) = call(exchanges(&parts), 4);
    server.next_exchange().await.reply_error(-32602, "no");
    client.await.unwrap();
    assert!(seen.all()[1].contains(r#""error":{"code":-32602,"message":"no"}"#));

    let (_, client) = call(exchanges(&parts), 5);
    drop(server.next_exchange().await);
    let ExchangeEnd::Failed(error) = client.await.unwrap() else { panic!() };
    assert_eq!(error.delivery(), Delivery::MaybeSent);

    let (_, client) = call(exchanges(&parts), 6);
    server.next_exchange().await.hang();
    let hung = tokio::time::timeout(Duration::from_secs(86_400), client).await;
    assert!(hung.is_err());

    drop(server);
    let (_, client) = call(exchanges(&parts), 7);
    let ExchangeEnd::Failed(error) = client.await.unwrap() else { panic!() };
    assert_eq!(error.delivery(), Delivery::NeverSent);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_exchange_is_abandoned_and_an_ended_one_is_not() {
    let (link, mut server) = FakeExchanges::link();
    let parts = link.into_parts();
    let (_, client) = call(exchanges(&parts), 1);
    let exchange = server.next_exchange().await;
    assert!(exchange.is_open());
    client.abort();
    exchange.abandoned().await;
    assert!(exchange.is_abandoned());

    let (_, client) = call(exchanges(&parts), 2);
    let mut exchange = server.next_exchange().await;
    exchange.reply("{}");
    client.await.unwrap();
    assert!(
        tokio::spawn(async move { exchange.abandoned().await }).await.is_err(),
        "an exchange that ended cannot be abandoned"
    );
}

#[tokio::test(start_paused = true)]
async fn an_exchange_that_nobody_polls_takes_nothing_and_the_test_is_told() {
    let (link, mut server) = FakeExchanges::link();
    let parts = link.into_parts();
    let seen = Seen::default();
    let request = RawMessage::request(1, "tools/call", None);
    let mut future = exchanges(&parts).exchange(request.into(), Sink::new(seen.clone()));
    assert!(server.try_next_exchange().is_none(), "a future does nothing by itself");
    tokio::select! {
        biased;
        _ = &mut future => unreachable!("the server said nothing yet"),
        () = std::future::ready(()) => {}
    }
    let mut exchange = server.try_next_exchange().expect("polled once");
    let polled = exchange.last_polled();
    assert_eq!(exchange.polls(), 1);
    exchange.accept();
    let waiting = tokio::spawn(async move {
        exchange.taken().await;
    });
    let panic = waiting.await.unwrap_err().into_panic();
    let text = panic.downcast::<String>().unwrap();
    assert!(text.contains("took 0 of 1 steps"), "{text}");
    assert!(seen.all().is_empty());
    assert!(polled.elapsed() > Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn what_goes_beside_is_recorded_and_can_be_stuck() {
    let (link, mut server) = FakeExchanges::link();
    let mut parts = link.into_parts();
    let note = || RawMessage::notification("notifications/initialized", None);
    let mut batch =
        [note().into(), Outbound::Settled(mcp_types::Revision::LATEST), Outbound::Abandon(3.into())].into();
    parts.sender.send(&mut batch).await.unwrap();
    assert_eq!(server.beside.next_message().await, note());
    assert!(matches!(server.next_beside().await, Some(Outbound::Settled(_))));
    assert!(matches!(server.next_beside().await, Some(Outbound::Abandon(_))));

    server.beside.stop_reading();
    let mut batch = [note().into(), Outbound::Close].into();
    let stuck = tokio::time::timeout(Duration::from_secs(86_400), parts.sender.send(&mut batch)).await;
    assert!(stuck.is_err());
    assert_eq!(batch.len(), 1, "what hangs was taken off");
    drop(parts.sender);
    assert!(server.next_beside().await.is_none());

    server.send_beside(note());
    server.beside.end();
    let mut got = Vec::new();
    assert!(parts.receiver.recv(&mut got).await.unwrap());
    assert!(!parts.receiver.recv(&mut got).await.unwrap());
    assert_eq!(got.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pipe_fails_and_ends_as_told() {
    let error = |text| TransportError::new(TransportErrorKind::Io, Delivery::NeverSent, text);
    let (link, mut far) = FakePipe::link();
    let mut parts = link.into_parts();
    far.send_frame("no message");
    far.fail(error("read failed"));
    let mut got = Vec::new();
    assert!(parts.receiver.recv(&mut got).await.unwrap());
    assert!(matches!(got[..], [Inbound::Skipped(_)]));
    assert!(parts.receiver.recv(&mut got).await.is_err());

    far.stop_reading();
    let note: Outbound = RawMessage::notification("n", None).into();
    let batch = [note.clone(), note.clone()];
    let send = tokio::spawn(async move {
        let mut batch = batch.into();
        let outcome = parts.sender.send(&mut batch).await;
        (outcome, batch.len(), parts.sender)
    });
    tokio::task::yield_now().await;
    far.fail_sends(error("write failed"));
    let (outcome, left, mut sender) = send.await.unwrap();
    assert_eq!((outcome.unwrap_err().to_string().as_str(), left), ("write failed", 1));
    far.resume_reading();
    sender.send(&mut [note].into()).await.unwrap();
    far.next_message().await;
}

#[tokio::test(start_paused = true)]
async fn the_closer_is_watched() {
    let (link, far) = FakePipe::link();
    let closer = link.into_parts().closer.unwrap();
    assert_eq!(far.closer(), CloserState::Idle);
    closer.close().await.unwrap();
    far.closer_is(CloserState::Closed).await;

    let (link, far) = FakePipe::link();
    far.stick_closer();
    let parts = link.into_parts();
    let close = tokio::spawn(parts.closer.unwrap().close());
    far.closer_is(CloserState::Closing).await;
    close.abort();
    far.closer_is(CloserState::Dropped).await;
    drop(parts.receiver);
    far.receiver_dropped().await;
}
