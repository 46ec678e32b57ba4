//! The kit passes exchanges that keep the contract, and catches those that break a clause of it.

use std::{
    future::pending,
    sync::{Arc, Mutex},
};

use mcp_transport::{
    BoxExchanges, Delivery, ExchangeEnd, Exchanges, Inbound, Link, Origin, OutboundMessage, RawMessage, Sink,
    SinkTarget, TransportError, TransportErrorKind,
    contract::{Clause, ExchangeRig, FakeExchanges, FakeServer, check_exchanges},
};

/// [`FakeExchanges`], behind a fault.
struct Fake(Fault);

impl ExchangeRig for Fake {
    type Far = FakeServer;

    async fn open(&self) -> Result<(Link, FakeServer), TransportError> {
        let (link, server) = FakeExchanges::link();
        let parts = link.into_parts();
        let exchanges = Faulty { fault: self.0, inner: parts.exchanges.unwrap(), turn: Arc::default() };
        let link = Link::exchanges(exchanges, parts.sender, parts.receiver);
        Ok((link, server))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    DropsHeaders,
    LosesParams,
    DeliversAtTheEnd,
    NeverSaysAccepted,
    SaysAcceptedLate,
    SaysShared,
    LosesLargeMessages,
    RoundsNumbers,
    OneAtATime,
    GoesOnWhenDropped,
    RepeatsWithoutReply,
    HangsWithoutReply,
    SaysNeverSent,
    SaysLostOfARefusal,
    DeliversAfterTheReply,
}

struct Faulty {
    fault: Fault,
    inner: BoxExchanges,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Delivers with a fault.
#[derive(Clone)]
struct Target {
    fault: Fault,
    sink: Sink,
    replied: Arc<Mutex<bool>>,
    kept: Arc<Mutex<Vec<Inbound>>>,
}

impl SinkTarget for Target {
    fn deliver(&self, inbound: Inbound) {
        let Inbound::Message { origin, message } = inbound else { unreachable!("the checks send messages") };
        *self.replied.lock().unwrap() |= message.method().is_none();
        let mut origin = origin;
        let mut message = message;
        match self.fault {
            Fault::SaysShared => origin = Origin::Shared,
            Fault::LosesLargeMessages if message.body().is_some_and(|body| body.len() > 1 << 20) => return,
            Fault::RoundsNumbers => {
                message = message.map(|body| {
                    serde_json::from_slice::<serde_json::Value>(&body)
                        .map_or(body, |value| value.to_string().into())
                });
            }
            _ => {}
        }
        let inbound = Inbound::Message { origin, message };
        match self.fault {
            Fault::DeliversAtTheEnd => self.kept.lock().unwrap().push(inbound),
            Fault::SaysAcceptedLate => {
                self.sink.deliver(inbound);
                self.sink.accepted();
            }
            _ => self.sink.deliver(inbound),
        }
    }

    fn accepted(&self) {
        if !matches!(self.fault, Fault::NeverSaysAccepted | Fault::SaysAcceptedLate) {
            self.sink.accepted();
        }
    }
}

impl Exchanges for Faulty {
    fn exchange(
        &self,
        mut out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static {
        let fault = self.fault;
        match fault {
            Fault::DropsHeaders => out.headers.clear(),
            Fault::LosesParams => {
                let id = out.message.id().cloned().unwrap();
                out.message = RawMessage::request(id, "tools/call", None);
            }
            _ => {}
        }
        let replied = Arc::new(Mutex::new(false));
        let target =
            Target { fault, sink: sink.clone(), replied: Arc::clone(&replied), kept: Arc::default() };
        let first = self.inner.exchange(out.clone(), Sink::new(target.clone()));
        let again = self.inner.exchange(out, Sink::new(target.clone()));
        let turn = Arc::clone(&self.turn);
        async move {
            let _turn = match fault {
                Fault::OneAtATime => Some(turn.lock().await),
                _ => None,
            };
            let end = match fault {
                Fault::GoesOnWhenDropped => tokio::spawn(first).await.unwrap(),
                _ => first.await,
            };
            let failed = matches!(end, ExchangeEnd::Failed(_));
            let replied = *replied.lock().unwrap();
            for entry in target.kept.lock().unwrap().drain(..) {
                sink.deliver(entry);
            }
            match fault {
                Fault::RepeatsWithoutReply if !replied => again.await,
                Fault::HangsWithoutReply if !replied => pending().await,
                Fault::SaysNeverSent if failed => lost(Delivery::NeverSent),
                Fault::SaysLostOfARefusal if failed => lost(Delivery::MaybeSent),
                Fault::DeliversAfterTheReply => {
                    sink.deliver(Inbound::Message {
                        origin: Origin::Shared,
                        message: RawMessage::notification("late", None),
                    });
                    end
                }
                _ => end,
            }
        }
    }
}

fn lost(delivery: Delivery) -> ExchangeEnd {
    ExchangeEnd::Failed(TransportError::new(TransportErrorKind::Closed, delivery, "lost"))
}

#[tokio::test]
async fn the_fake_exchanges_keep_the_contract() {
    check_exchanges(&Fake(Fault::None)).await.unwrap();
}

macro_rules! caught {
    ($($name:ident: $fault:ident breaks $clause:ident, $words:literal;)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            let violation = check_exchanges(&Fake(Fault::$fault)).await.expect_err("the fault was not noticed");
            let text = violation.to_string();
            assert_eq!(violation.clause(), Clause::$clause, "{text}");
            assert!(text.contains($words), "{text}");
        }
    )*};
}

caught! {
    headers: DropsHeaders breaks Exchange, "arrived as None";
    params: LosesParams breaks SameJson, r#""params":"#;
    late_delivery: DeliversAtTheEnd breaks Exchange, "hangs: a message";
    no_accepted: NeverSaysAccepted breaks Accepted, "hangs: `accepted`";
    late_accepted: SaysAcceptedLate breaks Accepted, "hangs: `accepted`";
    origin: SaysShared breaks Exchange, "came with Shared";
    large_message: LosesLargeMessages breaks SameJson, "hangs";
    rounded_number: RoundsNumbers breaks SameJson, "9223372036854775808";
    serial: OneAtATime breaks Exchange, "hangs: the server receiving a request";
    not_abandoned: GoesOnWhenDropped breaks Abandon, "hangs: the server noticing a dropped exchange";
    repeated: RepeatsWithoutReply breaks Once, "came again";
    hanging_end: HangsWithoutReply breaks Exchange, "hangs: the end of an exchange without a reply";
    wrong_fate: SaysNeverSent breaks Delivery, "NeverSent";
    refusal_lost: SaysLostOfARefusal breaks Delivery, "a refused request ended as";
    more_after_the_reply: DeliversAfterTheReply breaks Exchange, "behind the last message";
}
