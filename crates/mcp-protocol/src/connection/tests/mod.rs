mod calls;
mod interleavings;
mod places;
mod renewal;
mod serving;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use bytes::Bytes;
use mcp_types::jsonrpc::{Incoming, JsonRpcMessage, parse};

use super::*;

type Core = Connection<&'static str, &'static str>;

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn message(text: &str) -> JsonRpcMessage<Bytes> {
    let Ok(Incoming::Single(message)) = parse(text.as_bytes()) else { panic!("no message: {text}") };
    message.map(Bytes::copy_from_slice)
}

fn call(method: &'static str) -> OutgoingCall {
    OutgoingCall {
        method: method.into(),
        params: None,
        progress_token: None,
        deadlines: Deadlines { idle: Some(secs(60)), total: Some(secs(600)), extend_on_progress: false },
        cancel: CancelMode::Notify,
        continues: false,
        exempt: false,
    }
}

fn start(core: &mut Core, now: Instant, outgoing: OutgoingCall, payload: &'static str) -> CallId {
    core.call(now, outgoing, payload).expect("an open connection").id
}

/// Everything that is to be sent, as JSON text; other entries as their debug text.
fn sent(core: &mut Core) -> Vec<String> {
    let mut batch = VecDeque::new();
    core.take_outbox(&mut batch);
    batch
        .into_iter()
        .map(|entry| match entry {
            Outgoing::Message(message) => String::from_utf8(message.to_vec()).unwrap(),
            other => format!("{other:?}"),
        })
        .collect()
}

fn outputs(core: &mut Core) -> Vec<Output<&'static str, &'static str>> {
    std::iter::from_fn(|| core.poll_output()).collect()
}

fn receive(core: &mut Core, now: Instant, text: &str) {
    core.receive(now, Origin::Shared, message(text));
}

/// The outcome of the only call that is over.
fn outcome(core: &mut Core) -> Outcome<&'static str> {
    match outputs(core).as_slice() {
        [Output::Finished { outcome, .. }] => outcome.clone(),
        other => panic!("{other:?}"),
    }
}

fn dropped(core: &mut Core) -> Vec<Dropped> {
    outputs(core)
        .into_iter()
        .map(|output| match output {
            Output::Event(Event::Dropped(dropped)) => dropped,
            other => panic!("{other:?}"),
        })
        .collect()
}
