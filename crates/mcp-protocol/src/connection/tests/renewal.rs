//! A session that the peer lost is started anew. Field report H-01, quirk 14.

use super::*;

const HANDSHAKE: &str = r#"{"protocolVersion":"2025-11-25"}"#;
const LIMIT: u64 = 20;
const LOST: &str = "404";

fn in_session() -> Core {
    let mut core = Core::new(Binding::Exchanges);
    core.settle(Revision::V2025_06_18);
    core.keep_handshake(HANDSHAKE.into(), secs(LIMIT));
    sent(&mut core);
    core
}

/// What the core wants, in short: `initialize #2`, `tools/call #1 a`, `a: Lost`, `lost`, …
fn wants(core: &mut Core) -> Vec<String> {
    let text =
        |message: JsonRpcMessage<Bytes>| format!("{} #{}", message.method().unwrap(), message.id().unwrap());
    let short = |output| match output {
        Output::Handshake { message, .. } => text(message),
        Output::Exchange { payload, message, .. } => format!("{} {payload}", text(message)),
        Output::Finished { payload, outcome, .. } => format!("{payload}: {outcome:?}"),
        Output::Abandon(id) => format!("abandon #{}", id.0),
        Output::Event(Event::SessionLost) => "lost".into(),
        Output::Event(Event::SessionRenewed { .. }) => "renewed".into(),
        other => format!("{other:?}"),
    };
    outputs(core).into_iter().map(short).collect()
}

/// The answer to the handshake `id`.
fn renew(core: &mut Core, now: Instant, id: i64) {
    let result = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{}}"#;
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    core.receive(now, Origin::Exchange(CallId(id)), message(&text));
}

fn lose(core: &mut Core, now: Instant, call: CallId) {
    core.session_lost(now, Some(call), LOST);
}

#[test]
fn a_refused_call_goes_out_once_more_in_a_new_session() {
    let (mut core, now) = (in_session(), Instant::now());
    let params = OutgoingCall { params: Some(r#"{"a":1}"#.into()), ..call("tools/call") };
    let a = start(&mut core, now, params, "a");
    lose(&mut core, now, a);
    let [Output::Event(Event::SessionLost), Output::Handshake { message: handshake, .. }] =
        &outputs(&mut core)[..]
    else {
        panic!()
    };
    assert_eq!(
        handshake.to_vec(),
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"initialize","params":{HANDSHAKE}}}"#).into_bytes()
    );
    assert_eq!((core.generation(), core.open_calls()), (0, 1));
    renew(&mut core, now, 2);
    assert_eq!(sent(&mut core), [r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#]);
    let [Output::Event(Event::SessionRenewed { .. }), Output::Exchange { message: again, .. }] =
        &outputs(&mut core)[..]
    else {
        panic!()
    };
    assert_eq!(
        again.to_vec(),
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":1}}"#.to_vec()
    );
    assert_eq!(core.generation(), 1);
    core.receive(now, Origin::Exchange(a), message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    assert_eq!(wants(&mut core), ["a: Result(b\"{}\")"]);
}

#[test]
fn a_second_refusal_surfaces() {
    let (mut core, now) = (in_session(), Instant::now());
    let a = start(&mut core, now, call("m"), "a");
    lose(&mut core, now, a);
    renew(&mut core, now, 2);
    outputs(&mut core);
    lose(&mut core, now, a);
    assert_eq!(wants(&mut core), ["a: Lost { failure: \"404\", sent: true }"]);
}

#[test]
fn concurrent_refusals_share_one_handshake_also_late_ones() {
    let (mut core, now) = (in_session(), Instant::now());
    let [a, b, c] = ["a", "b", "c"].map(|name| start(&mut core, now, call("m"), name));
    lose(&mut core, now, b);
    lose(&mut core, now, a);
    assert_eq!(wants(&mut core), ["lost", "initialize #4"]);
    renew(&mut core, now, 4);
    assert_eq!(wants(&mut core), ["renewed", "m #2 b", "m #1 a"]);
    lose(&mut core, now, c);
    assert_eq!(wants(&mut core), ["m #3 c"]);
    assert_eq!(core.generation(), 1);
}

/// What the peer had taken may have been executed: it is not repeated, and its stream may be silent for ever.
#[test]
fn calls_on_streams_of_the_old_session_fail_at_once() {
    let (mut core, now) = (in_session(), Instant::now());
    let [parked, fresh] = ["parked", "fresh"].map(|name| start(&mut core, now, call("m"), name));
    core.accepted(parked);
    lose(&mut core, now, fresh);
    assert_eq!(wants(&mut core), ["lost", "initialize #3", "abandon #1", "parked: Orphaned(\"404\")"]);
    assert!(sent(&mut core).is_empty(), "nobody is left to be told of a cancellation");
}

/// A stream that cannot be taken up again because its session is gone.
#[test]
fn a_call_that_was_taken_is_not_repeated() {
    let (mut core, now) = (in_session(), Instant::now());
    let a = start(&mut core, now, call("m"), "a");
    core.accepted(a);
    lose(&mut core, now, a);
    assert_eq!(wants(&mut core), ["a: Lost { failure: \"404\", sent: true }"]);
}

#[test]
fn calls_made_meanwhile_wait_and_have_their_own_second_chance() {
    let (mut core, now) = (in_session(), Instant::now());
    let a = start(&mut core, now, call("m"), "a");
    lose(&mut core, now, a);
    let started = core.call(now, call("m"), "b").unwrap();
    assert!(started.message.is_none());
    outputs(&mut core);
    renew(&mut core, now, 2);
    assert_eq!(wants(&mut core), ["renewed", "m #1 a", "m #3 b"]);
    lose(&mut core, now, started.id);
    assert_eq!(wants(&mut core), ["lost", "initialize #4"]);
    renew(&mut core, now, 4);
    assert_eq!(wants(&mut core), ["renewed", "m #3 b"]);
}

#[test]
fn a_failed_handshake_ends_those_who_wait_and_the_next_call_tries_again() {
    type Fails = fn(&mut Core, Instant);
    let ways: [(Fails, &str); 6] = [
        (|core, _| core.exchange_ended(CallId(2), Some("refused")), "Failed(\"refused\")"),
        (|core, _| core.exchange_ended(CallId(2), None), "NoReply"),
        (
            |core, now| receive(core, now, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32022}}"#),
            r#"Refused(b"{\"code\":-32022}")"#,
        ),
        (
            |core, now| {
                receive(core, now, r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25"}}"#);
            },
            "Revision(Some(Known(V2025_11_25)))",
        ),
        (|core, now| receive(core, now, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#), "Revision(None)"),
        (|core, now| core.timeout(now + secs(LIMIT)), "Expired(20s)"),
    ];
    for (fail, why) in ways {
        let (mut core, now) = (in_session(), Instant::now());
        let a = start(&mut core, now, call("m"), "a");
        lose(&mut core, now, a);
        outputs(&mut core);
        fail(&mut core, now);
        let mut ended = wants(&mut core);
        // An exchange that has not ended by itself is ended.
        if !why.starts_with("Failed") && why != "NoReply" {
            assert_eq!(ended.remove(0), "abandon #2");
        }
        assert_eq!(ended, [format!("a: NotRenewed({why})")]);
        assert_eq!(core.open_calls(), 0);
        assert!(core.call(now, call("m"), "b").unwrap().message.is_none());
        assert_eq!(wants(&mut core), ["lost", "initialize #4"]);
        renew(&mut core, now, 4);
        assert_eq!(wants(&mut core), ["renewed", "m #3 b"]);
    }
}

#[test]
fn deadlines_hold_while_a_call_waits_and_the_peer_hears_nothing_of_it() {
    let (mut core, now) = (in_session(), Instant::now());
    let limit = |idle| OutgoingCall {
        deadlines: Deadlines { idle: Some(secs(idle)), ..Deadlines::default() },
        ..call("m")
    };
    let a = start(&mut core, now, limit(5), "a");
    let b = start(&mut core, now, limit(50), "b");
    lose(&mut core, now, a);
    lose(&mut core, now, b);
    outputs(&mut core);
    assert_eq!(core.next_deadline(), Some(now + secs(5)));
    core.timeout(now + secs(5));
    assert_eq!(wants(&mut core), ["a: Expired { limit: Idle(5s), sent: false }"]);
    assert_eq!(core.next_deadline(), Some(now + secs(LIMIT)));
    assert_eq!(core.cancel(b, None), Some("b"));
    assert!(sent(&mut core).is_empty());
    renew(&mut core, now, 3);
    assert_eq!(wants(&mut core), ["renewed"]);
}

#[test]
fn notifications_are_held_and_what_belongs_to_the_old_session_is_dropped() {
    let (mut core, now) = (in_session(), Instant::now());
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#);
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#);
    let [Output::Event(Event::Request { id: served, .. })] = &outputs(&mut core)[..] else { panic!() };
    let served = *served;
    let a = start(&mut core, now, call("m"), "a");
    let b = start(&mut core, now, call("m"), "b");
    core.cancel(b, None);
    core.notify("notifications/first", None);
    lose(&mut core, now, a);
    core.notify("notifications/second", None);
    assert!(!core.respond(served, Ok("{}".into())), "its peer is gone");
    assert!(sent(&mut core).is_empty());
    renew(&mut core, now, 3);
    assert_eq!(
        sent(&mut core),
        ["initialized", "first", "second"]
            .map(|name| format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}"}}"#))
    );
    assert_eq!(core.outbox_bytes(), 0);
}

#[test]
fn a_refused_notification_goes_out_once_more() {
    let (mut core, now) = (in_session(), Instant::now());
    let note = || message(r#"{"jsonrpc":"2.0","method":"notifications/mine"}"#);
    assert!(core.undelivered_in_lost_session(now, note(), LOST));
    assert_eq!(wants(&mut core), ["lost", "initialize #1"]);
    renew(&mut core, now, 1);
    assert_eq!(sent(&mut core).len(), 2);
    assert!(!core.undelivered_in_lost_session(now, note(), LOST));
    // A reply, and a cancellation, are of the old session.
    for of_old in [
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ] {
        assert!(!core.undelivered_in_lost_session(now, message(of_old), LOST));
    }
    assert_eq!(wants(&mut core), ["renewed", "lost", "initialize #2"]);
    core.notify("notifications/held", None);
    core.exchange_ended(CallId(2), None);
    assert_eq!(dropped(&mut core), [Dropped::Notification("notifications/held".into())]);
    assert_eq!(core.outbox_bytes(), 0);
}

#[test]
fn closing_and_the_end_of_the_link_hold_in_mid_handshake() {
    let (mut core, now) = (in_session(), Instant::now());
    let a = start(&mut core, now, call("m"), "a");
    lose(&mut core, now, a);
    outputs(&mut core);
    core.stop();
    assert!(core.call(now, call("m"), "b").is_err());
    renew(&mut core, now, 2);
    assert_eq!(wants(&mut core), ["renewed", "m #1 a"]);

    let mut core = in_session();
    let a = start(&mut core, now, call("m"), "a");
    lose(&mut core, now, a);
    outputs(&mut core);
    core.link_ended("closed");
    assert_eq!(wants(&mut core), ["a: Lost { failure: \"closed\", sent: false }"]);
    assert_eq!(core.next_deadline(), None);
    core.exchange_ended(CallId(2), None);
    assert!(outputs(&mut core).is_empty());
}

/// Where no handshake was kept (the modern era, servers without sessions) a refusal is a refusal.
#[test]
fn without_a_kept_handshake_nothing_is_repeated() {
    let (mut core, now) = (Core::new(Binding::Exchanges), Instant::now());
    core.settle(Revision::V2026_07_28);
    let a = start(&mut core, now, call("m"), "a");
    lose(&mut core, now, a);
    assert_eq!(wants(&mut core), ["a: Lost { failure: \"404\", sent: true }"]);
}

mod any_order {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Call { idle: u64 },
        Refuse(usize),
        Accept(usize),
        Reply(usize),
        Cancel(usize),
        Handshake { answered: bool },
        Advance(u64),
        Notify,
        Send,
        Close,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (1..30_u64).prop_map(|idle| Step::Call { idle }),
            6 => (0..20_usize).prop_map(Step::Refuse),
            3 => (0..20_usize).prop_map(Step::Accept),
            4 => (0..20_usize).prop_map(Step::Reply),
            1 => (0..20_usize).prop_map(Step::Cancel),
            5 => any::<bool>().prop_map(|answered| Step::Handshake { answered }),
            2 => (1..15_u64).prop_map(Step::Advance),
            2 => Just(Step::Notify),
            2 => Just(Step::Send),
            1 => Just(Step::Close),
        ]
    }

    #[derive(Default)]
    struct Ledger {
        /// How often each call was sent.
        sent: HashMap<i64, usize>,
        accepted: HashMap<i64, bool>,
        over: HashMap<i64, usize>,
        handshake: Option<i64>,
    }

    impl Ledger {
        fn drain(&mut self, core: &mut Core) {
            for output in outputs(core) {
                match output {
                    Output::Exchange { id, .. } => {
                        assert!(!self.accepted.contains_key(&id.0), "it may have been executed");
                        assert!(!self.over.contains_key(&id.0), "a call that is over was sent");
                        *self.sent.entry(id.0).or_default() += 1;
                    }
                    Output::Finished { id, .. } => *self.over.entry(id.0).or_default() += 1,
                    Output::Handshake { id, .. } => {
                        assert!(self.handshake.replace(id.0).is_none(), "two handshakes at once");
                    }
                    Output::Abandon(id) if self.handshake == Some(id.0) => self.handshake = None,
                    _ => {}
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

        #[test]
        fn every_call_ends_once_and_is_sent_twice_at_most(
            places in 1..12_usize,
            steps in prop::collection::vec(step(), 1..150),
        ) {
            let mut core = in_session();
            core.limit_open_calls(places);
            let mut ledger = Ledger::default();
            let mut now = Instant::now();
            let mut made: Vec<CallId> = Vec::new();
            for step in steps {
                let nth = |which: usize| made.get(which % made.len().max(1)).copied();
                // What is not with the peer can be neither refused nor taken nor answered by it.
                let with_peer = |core: &Core, which| nth(which).filter(|id| core.has_left(*id));
                match step {
                    Step::Call { idle } => {
                        let deadlines = Deadlines { idle: Some(secs(idle)), ..Deadlines::default() };
                        if let Ok(Started { id, message }) = core.call(now, OutgoingCall { deadlines, ..call("m") }, "c") {
                            made.push(id);
                            ledger.sent.insert(id.0, usize::from(message.is_some()));
                        }
                    }
                    Step::Refuse(which) => if let Some(id) = with_peer(&core, which) { lose(&mut core, now, id); },
                    Step::Accept(which) => if let Some(id) = with_peer(&core, which) {
                        core.accepted(id);
                        ledger.accepted.insert(id.0, true);
                    },
                    Step::Reply(which) => if let Some(id) = with_peer(&core, which) {
                        let text = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, id.0);
                        core.receive(now, Origin::Exchange(id), message(&text));
                    },
                    Step::Cancel(which) => if let Some(id) = nth(which) && core.cancel(id, None).is_some() {
                        *ledger.over.entry(id.0).or_default() += 1;
                    },
                    Step::Handshake { answered } => if let Some(id) = ledger.handshake.take() {
                        if answered { renew(&mut core, now, id) } else { core.exchange_ended(CallId(id), None) }
                    },
                    Step::Advance(by) => {
                        now += secs(by);
                        core.timeout(now);
                        prop_assert!(core.next_deadline().is_none_or(|at| at > now), "a deadline was missed");
                    }
                    Step::Notify => prop_assert!(core.notify("notifications/roots/list_changed", None)),
                    Step::Send => drop(sent(&mut core)),
                    Step::Close => core.stop(),
                }
                ledger.drain(&mut core);
            }
            core.link_ended("end");
            ledger.drain(&mut core);
            prop_assert_eq!((core.open_calls(), core.outbox_bytes()), (0, 0));
            for id in made {
                prop_assert_eq!(ledger.over.get(&id.0), Some(&1), "call {} did not end once", id.0);
                prop_assert!(ledger.sent[&id.0] <= 2, "call {} was sent {} times", id.0, ledger.sent[&id.0]);
            }
        }
    }
}
