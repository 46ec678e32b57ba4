//! Requests that wait for a place.

use super::*;

const ENVELOPE: &str = r#"{"jsonrpc":"2.0","id":"#;

fn limited(limit: usize) -> (Core, Instant) {
    let mut core = Core::new(Binding::Pipe);
    core.settle(Revision::V2025_11_25);
    core.limit_open_calls(limit);
    let _ = sent(&mut core);
    (core, Instant::now())
}

fn methods(core: &mut Core) -> Vec<String> {
    let mut batch = VecDeque::new();
    core.take_outbox(&mut batch);
    batch
        .into_iter()
        .map(|entry| match entry {
            Outgoing::Message(message) => message.method().unwrap_or("reply").to_owned(),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_request_waits_until_there_is_a_place() {
    let (mut core, now) = limited(2);
    for method in ["a", "b", "c", "d"] {
        start(&mut core, now, call(method), method);
    }
    assert_eq!((methods(&mut core), core.open_calls()), (vec!["a".into(), "b".into()], 4));
    assert_ne!(core.outbox_bytes(), 0, "what waits takes memory");
    receive(&mut core, now, &format!("{ENVELOPE}2,\"result\":{{}}}}"));
    assert!(matches!(outputs(&mut core)[..], [Output::Finished { payload: "b", .. }]));
    assert_eq!(methods(&mut core), ["c"]);
    assert!(core.cancel(CallId(1), None).is_some());
    assert_eq!(methods(&mut core), ["notifications/cancelled", "Abandon(CallId(1))", "d"]);
    assert_eq!(core.outbox_bytes(), 0);
}

#[test]
fn what_is_exempt_takes_no_place() {
    let (mut core, now) = limited(1);
    start(&mut core, now, call("a"), "");
    start(&mut core, now, OutgoingCall { exempt: true, ..call("b") }, "");
    start(&mut core, now, OutgoingCall { continues: true, ..call("c") }, "");
    assert_eq!(methods(&mut core), ["a", "b", "c"]);
    start(&mut core, now, call("d"), "");
    receive(&mut core, now, &format!("{ENVELOPE}2,\"result\":{{}}}}"));
    assert!(methods(&mut core).is_empty(), "its end frees none");
}

/// Later requests have left, so the number of the last one does not tell.
#[test]
fn what_waits_has_not_left_and_cannot_be_answered() {
    let (mut core, now) = limited(1);
    start(&mut core, now, call("a"), "a");
    let waits = start(&mut core, now, call("b"), "b");
    start(&mut core, now, OutgoingCall { exempt: true, ..call("c") }, "c");
    assert_eq!(methods(&mut core), ["a", "c"]);
    assert!(!core.has_left(waits));
    receive(&mut core, now, &format!("{ENVELOPE}2,\"result\":{{}}}}"));
    assert_eq!(dropped(&mut core), [Dropped::ForeignReply(2.into())]);

    // It gets its place, but is taken back before it leaves.
    receive(&mut core, now, &format!("{ENVELOPE}1,\"result\":{{}}}}"));
    assert!(matches!(outputs(&mut core)[..], [Output::Finished { payload: "a", .. }]));
    assert!(!core.has_left(waits));
    core.cancel(waits, None);
    assert!(methods(&mut core).is_empty());
    assert_eq!(core.outbox_bytes(), 0);
}

#[test]
fn the_clock_of_what_waits_runs() {
    let (mut core, now) = limited(1);
    start(&mut core, now, call("a"), "a");
    let deadlines = Deadlines { idle: Some(secs(1)), ..Deadlines::default() };
    start(&mut core, now, OutgoingCall { deadlines, ..call("b") }, "b");
    assert_eq!(methods(&mut core), ["a"]);
    core.timeout(now + secs(1));
    assert_eq!(outcome(&mut core), Outcome::Expired { limit: Expired::Idle(secs(1)), sent: false });
    assert!(methods(&mut core).is_empty(), "the peer hears nothing of it");
}

#[test]
fn the_end_of_the_link_ends_what_waits_too() {
    let (mut core, now) = limited(1);
    start(&mut core, now, call("a"), "a");
    start(&mut core, now, call("b"), "b");
    assert_eq!(methods(&mut core), ["a"]);
    core.link_ended("gone");
    let ends: Vec<_> = outputs(&mut core)
        .into_iter()
        .map(|output| match output {
            Output::Finished { payload, outcome, .. } => (payload, outcome),
            other => panic!("{other:?}"),
        })
        .collect();
    let lost = |sent| Outcome::Lost { failure: "gone", sent };
    assert_eq!(ends, [("a", lost(true)), ("b", lost(false))]);
}

/// Over exchanges the request comes out again, to be run.
#[test]
fn over_exchanges_what_waited_goes_out_by_itself() {
    let mut core = Core::new(Binding::Exchanges);
    core.limit_open_calls(1);
    let now = Instant::now();
    let first = core.call(now, call("a"), "a").unwrap();
    assert!(first.message.is_some());
    let second = core.call(now, call("b"), "b").unwrap();
    assert!(second.message.is_none() && !core.has_left(second.id));
    core.exchange_ended(first.id, None);
    let ended = outputs(&mut core);
    let [Output::Finished { payload: "a", .. }, Output::Exchange { id, payload: "b", .. }] = &ended[..]
    else {
        panic!("{ended:?}");
    };
    assert!(*id == second.id && core.has_left(second.id));
    assert_eq!(core.outbox_bytes(), 0);
}
