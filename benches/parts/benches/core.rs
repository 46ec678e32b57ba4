//! Steps of the protocol core: a call and its reply, with few and with many others open.

use std::{
    collections::VecDeque,
    hint::black_box,
    time::{Duration, Instant},
};

use bench_parts::{params, progress, reply};
use bytes::Bytes;
use criterion::Criterion;
use mcp_protocol::connection::{Binding, CancelMode, Connection, Deadlines, Origin, Outgoing, OutgoingCall};
use mcp_types::{
    Revision,
    jsonrpc::{Incoming, JsonRpcMessage, parse},
};

type Core = Connection<(), ()>;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("core");
    let now = Instant::now();
    for open in [0, 64, 10_000] {
        group.bench_function(format!("a call and its reply, {open} open"), |bencher| {
            let (mut core, mut outbox) = (Core::new(Binding::Pipe), VecDeque::new());
            core.settle(Revision::V2025_11_25);
            for _ in 0..open {
                core.call(now, call(None), ()).expect("an open connection");
            }
            let template = message(&reply(0));
            bencher.iter(|| {
                let id = core.call(now, call(None), ()).expect("an open connection").id;
                send(&mut core, &mut outbox);
                let JsonRpcMessage::Response(mut response) = template.clone() else { unreachable!() };
                response.id = Some(id.into());
                core.receive(now, Origin::Shared, JsonRpcMessage::Response(response));
                drain(&mut core)
            });
        });
    }
    group.bench_function("a report of progress", |bencher| {
        let (mut core, mut outbox) = (Core::new(Binding::Pipe), VecDeque::new());
        core.settle(Revision::V2025_11_25);
        core.call(now, call(Some(7)), ()).expect("an open connection");
        send(&mut core, &mut outbox);
        let report = message(&progress(7));
        bencher.iter(|| {
            core.receive(now, Origin::Shared, report.clone());
            drain(&mut core)
        });
    });
    group.finish();
    criterion.final_summary();
}

fn call(progress_token: Option<i64>) -> OutgoingCall {
    OutgoingCall {
        method: "tools/call".into(),
        params: Some(params()),
        progress_token,
        deadlines: Deadlines {
            idle: Some(Duration::from_mins(1)),
            total: Some(Duration::from_mins(10)),
            extend_on_progress: false,
        },
        cancel: CancelMode::Notify,
        continues: false,
        exempt: false,
    }
}

fn message(text: &str) -> JsonRpcMessage<Bytes> {
    let Ok(Incoming::Single(message)) = parse(text.as_bytes()) else { panic!("no message: {text}") };
    message.map(Bytes::copy_from_slice)
}

fn send(core: &mut Core, outbox: &mut VecDeque<Outgoing>) {
    core.take_outbox(outbox);
    outbox.clear();
}

fn drain(core: &mut Core) -> usize {
    std::iter::from_fn(|| core.poll_output()).map(black_box).count()
}
