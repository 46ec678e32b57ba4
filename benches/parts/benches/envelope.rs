//! Reading and writing envelopes. What comes is read as `serde_json` reads it too, for comparison.

use std::hint::black_box;

use bench_parts::{large_reply, params, progress, reply};
use criterion::{Criterion, Throughput};
use mcp_types::jsonrpc::{JsonRpcMessage, parse};
use serde::Deserialize;
use serde_json::value::RawValue;

/// As a client by hand reads them: it sees neither duplicates nor members that differ by case.
#[derive(Deserialize)]
#[allow(dead_code, reason = "what is decoded is what is measured")]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("envelope");
    for (name, text) in
        [("reply", reply(7)), ("progress", progress(7)), ("reply of 1 MiB", large_reply(7, 1 << 20))]
    {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("read, {name}"), |bencher| {
            bencher.iter(|| parse(black_box(text.as_bytes())).expect("a message"));
        });
        group.bench_function(format!("read by serde_json, {name}"), |bencher| {
            bencher.iter(|| {
                serde_json::from_slice::<Message<'_>>(black_box(text.as_bytes())).expect("a message")
            });
        });
    }
    let request = JsonRpcMessage::request(7, "tools/call", Some(params()));
    let mut out = Vec::new();
    group.throughput(Throughput::Elements(1));
    group.bench_function("write, call", |bencher| {
        bencher.iter(|| {
            out.clear();
            black_box(&request).write_to(&mut out);
            out.len()
        });
    });
    group.finish();
    criterion.final_summary();
}
