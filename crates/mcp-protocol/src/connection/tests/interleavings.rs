//! Any order of calls, replies, progress, cancels, deadlines, sends and the end of the link, in virtual time.

#![allow(clippy::cast_possible_wrap)]

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Call { idle: u64, total: u64, extend: bool, silent: bool, exempt: bool },
    Reply { which: usize, as_text: bool, error: bool },
    Progress { which: usize },
    Cancel { which: usize },
    Pause { which: usize, stop: bool },
    Send,
    Advance(u64),
    PeerRequest(i64),
    Respond,
    Batch(usize),
    LinkEnds,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..20_u64, 1..60_u64, any::<bool>(), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(idle, total, extend, silent, exempt)| Step::Call { idle, total, extend, silent, exempt }),
        6 => (0..40_usize, any::<bool>(), any::<bool>())
            .prop_map(|(which, as_text, error)| Step::Reply { which, as_text, error }),
        3 => (0..40_usize).prop_map(|which| Step::Progress { which }),
        3 => (0..40_usize).prop_map(|which| Step::Cancel { which }),
        2 => (0..40_usize, any::<bool>()).prop_map(|(which, stop)| Step::Pause { which, stop }),
        6 => Just(Step::Send),
        4 => (1..15_u64).prop_map(Step::Advance),
        1 => (-2..5_i64).prop_map(Step::PeerRequest),
        1 => Just(Step::Respond),
        1 => (1..4_usize).prop_map(Step::Batch),
        1 => Just(Step::LinkEnds),
    ]
}

/// What must be true of every call, whatever happens.
#[derive(Default)]
struct Ledger {
    made: HashMap<i64, bool>,
    over: HashSet<i64>,
    left: HashSet<i64>,
    cancelled_on_the_wire: HashSet<i64>,
    serving: Vec<ServeId>,
}

impl Ledger {
    fn drain(&mut self, core: &mut Connection<i64, ()>) {
        while let Some(output) = core.poll_output() {
            match output {
                Output::Finished { id, payload, .. } => {
                    assert_eq!(self.made.get(&id.0).copied(), Some(payload % 2 == 1));
                    assert!(self.over.insert(id.0), "call {id:?} ended twice");
                }
                Output::Progress { id, .. } => assert!(!self.over.contains(&id.0), "progress after the end"),
                Output::Event(Event::Request { id, .. }) => self.serving.push(id),
                _ => {}
            }
        }
    }

    fn send(&mut self, core: &mut Connection<i64, ()>) {
        let mut batch = VecDeque::new();
        core.take_outbox(&mut batch);
        for entry in batch {
            match entry {
                Outgoing::Message(JsonRpcMessage::Request(request)) => {
                    let id = request.id.as_i64().unwrap();
                    assert!(!self.over.contains(&id), "a call that was over was sent");
                    assert!(self.left.insert(id), "a call was sent twice");
                }
                Outgoing::Message(JsonRpcMessage::Notification(note)) => {
                    let text = String::from_utf8(note.params.unwrap().to_vec()).unwrap();
                    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
                    let id: i64 = digits.parse().unwrap();
                    assert!(self.left.contains(&id), "the peer was told of a call that it never saw");
                    assert!(!self.made[&id], "a silent call was cancelled on the wire");
                    assert!(self.cancelled_on_the_wire.insert(id), "cancelled twice");
                }
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_exactly_once(places in 1..12_usize, steps in prop::collection::vec(step(), 1..120)) {
        let mut core: Connection<i64, ()> = Connection::new(Binding::Pipe);
        core.limit_open_calls(places);
        core.settle(Revision::V2025_03_26);
        let mut ledger = Ledger::default();
        let mut now = Instant::now();
        let mut dropped_by_caller = HashSet::new();
        let nth = |ledger: &Ledger, which: usize| (which as i64 % (ledger.made.len() as i64 + 2)) + 1;
        for step in steps {
            match step {
                Step::Call { idle, total, extend, silent, exempt } => {
                    let token = ledger.made.len() as i64 + 1;
                    let outgoing = OutgoingCall {
                        progress_token: Some(token),
                        deadlines: Deadlines {
                            idle: Some(secs(idle)),
                            total: Some(secs(total)),
                            extend_on_progress: extend,
                        },
                        exempt,
                        cancel: if silent { CancelMode::Silent } else { CancelMode::Notify },
                        ..call("m")
                    };
                    if let Ok(Started { id, .. }) = core.call(now, outgoing, i64::from(silent)) {
                        prop_assert!(ledger.made.insert(id.0, silent).is_none(), "an id was used twice");
                    }
                }
                Step::Reply { which, as_text, error } => {
                    let id = nth(&ledger, which);
                    let id = if as_text { format!("\"{id}\"") } else { id.to_string() };
                    let body = if error { r#""error":{"code":1}"# } else { r#""result":{}"# };
                    core.receive(now, Origin::Shared, message(&format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#)));
                }
                Step::Progress { which } => {
                    let token = nth(&ledger, which);
                    let text = format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token}}}}}"#);
                    core.receive(now, Origin::Shared, message(&text));
                }
                Step::Cancel { which } => {
                    let id = CallId(nth(&ledger, which));
                    if core.cancel(id, None).is_some() {
                        prop_assert!(!ledger.over.contains(&id.0));
                        dropped_by_caller.insert(id.0);
                    }
                }
                Step::Pause { which, stop } => {
                    let id = CallId(nth(&ledger, which));
                    if stop { core.pause(now, id) } else { core.resume(now, id) }
                }
                Step::Send => ledger.send(&mut core),
                Step::Advance(by) => {
                    now += secs(by);
                    core.timeout(now);
                    prop_assert!(core.next_deadline().is_none_or(|at| at > now), "a deadline was missed");
                }
                Step::PeerRequest(id) => {
                    core.receive(now, Origin::Shared, message(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"q"}}"#)));
                }
                Step::Respond => if let Some(id) = ledger.serving.pop() { core.respond(id, Ok("{}".into())); },
                Step::Batch(count) => {
                    let one = || message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
                    core.receive_batch(now, Origin::Shared, (0..count).map(|_| one()).collect());
                }
                Step::LinkEnds => core.link_ended(()),
            }
            ledger.drain(&mut core);
        }
        ledger.send(&mut core);
        core.link_ended(());
        ledger.drain(&mut core);
        prop_assert_eq!((core.open_calls(), core.outbox_bytes()), (0, 0));
        for id in ledger.made.keys() {
            prop_assert!(ledger.over.contains(id) != dropped_by_caller.contains(id), "call {} did not end once", id);
        }
    }
}
