//! Decoding one page of 500 tools: time, and what it allocates, against `serde_json::Value` of the same text.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --package bench-parts --bench page`. The allocations are exact and the same on every run; criterion measures
//! the time.

use std::{
    fmt::{Debug, Write as _},
    hint::black_box,
};

use bench_kit::Allocations;
use criterion::{Criterion, Throughput};
use mcp_types::{JsonObject, ListToolsResult};

const TOOLS: usize = 500;

fn main() {
    Allocations::start_counting();
    let page = page();
    let tools: ListToolsResult = serde_json::from_str(&page).expect("a page of tools");
    assert_eq!((tools.tools.len(), tools.tools.rejected().len()), (TOOLS, 0));
    println!("{TOOLS} tools, {} bytes of JSON\n", page.len());
    println!("{:<26} {:>12} {:>12} {:>12}", "into", "allocations", "bytes", "bytes kept");
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion, "ListToolsResult by decode", &page, |page| {
        mcp_types::decode::<ListToolsResult>(page)
    });
    measure(&mut criterion, "ListToolsResult", &page, |page| serde_json::from_slice::<ListToolsResult>(page));
    measure(&mut criterion, "JsonObject (one level)", &page, |page| {
        serde_json::from_slice::<JsonObject>(page)
    });
    measure(&mut criterion, "serde_json::Value", &page, |page| {
        serde_json::from_slice::<serde_json::Value>(page)
    });
    criterion.final_summary();
}

fn measure<T, E: Debug>(
    criterion: &mut Criterion,
    name: &str,
    page: &str,
    decode: fn(&[u8]) -> Result<T, E>,
) {
    let before = Allocations::now();
    let value = decode(page.as_bytes()).expect("a page of tools");
    let made = Allocations::now().since(before);
    drop(black_box(value));
    println!("{name:<26} {:>12} {:>12} {:>12}", made.count, made.bytes, made.kept());
    let mut group = criterion.benchmark_group("a page of 500 tools");
    group.throughput(Throughput::Bytes(page.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter_with_large_drop(|| decode(black_box(page.as_bytes())).expect("a page of tools"));
    });
    group.finish();
}

/// As servers in practice write them: all with descriptions and schemas, most with annotations, some with more.
fn page() -> String {
    let mut text = String::from(r#"{"tools":["#);
    for index in 0..TOOLS {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{}", tool(index));
    }
    text.push_str(
        r#"],"nextCursor":"eyJwIjoxfQ==","ttlMs":60000,"cacheScope":"public","resultType":"complete"}"#,
    );
    text
}

fn tool(index: usize) -> String {
    let mut text = format!(
        r#"{{"name":"repository_lookup_{index}","title":"Look up number {index}","description":"Looks something up in a repository and gives it back as text.\nNumber {index} of many; the words are here so that the definition has the length that such definitions have in practice.","inputSchema":{{"type":"object","properties":{{"#
    );
    for (at, name) in ["repository", "branch", "path", "author", "since", "page"].iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}"{name}":{{"type":"string","description":"The {name} that the operation applies to","maxLength":{}}}"#,
            100 + at
        );
    }
    text.push_str(r#"},"required":["repository"],"additionalProperties":false}"#);
    if index.is_multiple_of(4) {
        text.push_str(r#","outputSchema":{"type":"object","properties":{"text":{"type":"string"},"lines":{"type":"integer","minimum":0}},"required":["text"]}"#);
    }
    if !index.is_multiple_of(5) {
        text.push_str(
            r#","annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}"#,
        );
    }
    if index.is_multiple_of(10) {
        text.push_str(r#","icons":[{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48"]}],"_meta":{"com.example/category":"lookup","com.example/cost":1.50}"#);
    }
    text.push('}');
    text
}
