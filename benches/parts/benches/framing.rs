//! Cutting a stream of bytes into lines, as it comes out of a pipe: at most 64 KiB at a time.

use std::hint::black_box;

use bench_parts::{large_reply, reply};
use bytes::BytesMut;
use criterion::{Criterion, Throughput};
use mcp_protocol::frame::LineDecoder;

const READ: usize = 64 * 1024;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("framing");
    let many: String = (0..1_000).map(|id| reply(id) + "\n").collect();
    for (name, text) in [("1,000 replies", many), ("a reply of 1 MiB", large_reply(7, 1 << 20) + "\n")] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let (mut decoder, mut buffer) = (LineDecoder::new(), BytesMut::new());
                let mut lines = 0;
                for read in black_box(text.as_bytes()).chunks(READ) {
                    buffer.extend_from_slice(read);
                    while let Some(line) = decoder.decode(&mut buffer) {
                        black_box(line);
                        lines += 1;
                    }
                }
                lines
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
