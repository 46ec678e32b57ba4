//! `jsonrpc::parse`, what it writes again, and the scanner below it.
//!
//! - Valid JSON is never called invalid, and of a valid object the scanner finds the members that `serde_json` finds.
//! - A message that was parsed is written as one that parses to the same.
//! - As a frame it is one line.

use mcp_protocol::frame;
use mcp_types::{
    JsonObject,
    jsonrpc::{
        Incoming, JsonRpcMessage, ParseError, parse,
        scan::{self, Members},
    },
};
use serde::de::IgnoredAny;

use crate::{
    Target,
    generate::{Json, Random, Schemas},
};

/// The target.
pub const TARGET: Target = Target { name: "envelope", run, generate, inputs: 300_000 };

fn run(data: &[u8]) {
    let parsed = parse(data);
    let is_json = is_json(data);
    if is_json {
        assert!(!matches!(parsed, Err(ParseError::NotJson { .. })), "{parsed:?}");
    }
    for message in match parsed {
        Ok(Incoming::Single(message)) => vec![message],
        Ok(Incoming::Batch(messages)) => messages.into_iter().flatten().collect(),
        Err(_) => Vec::new(),
    } {
        written_again(&message, is_json);
    }
    scanned(data, is_json);
}

fn is_json(data: &[u8]) -> bool {
    std::str::from_utf8(data).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn written_again(message: &JsonRpcMessage<&[u8]>, is_json: bool) {
    let text = message.to_vec();
    let again = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(&text)));
    assert_eq!(Incoming::Single(message.clone()), again);
    if is_json {
        assert!(self::is_json(&text), "{}", String::from_utf8_lossy(&text));
    }
    let mut line = Vec::new();
    frame::encode(message, &mut line);
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
}

fn scanned(data: &[u8], is_json: bool) {
    let start = scan::skip_space(data, 0);
    let end = scan::skip_value(data, start);
    if is_json {
        assert_eq!(end.map(|end| scan::skip_space(data, end)), Ok(data.len()));
    }
    let Ok(members) = Members::of(data) else { return };
    let mut found = Vec::new();
    for member in members {
        let Ok(member) = member else {
            assert!(!is_json);
            return;
        };
        assert!(data[member.key.start - 1] == b'"' && data[member.key.end] == b'"');
        found.push((&data[member.key.start - 1..=member.key.end], &data[member.value]));
    }
    // Not every name in valid JSON can be decoded: half of a surrogate pair cannot.
    let Ok(object) = serde_json::from_slice::<JsonObject>(data) else { return };
    let decoded: Vec<(String, &[u8])> = found
        .into_iter()
        .map(|(key, value)| (serde_json::from_slice(key).expect("a string"), value))
        .collect();
    let expected = object.iter().map(|(key, value)| (key.to_owned(), value.as_str().as_bytes()));
    assert_eq!(decoded, expected.collect::<Vec<_>>());
    if let Some((key, value)) = object.iter().next() {
        assert_eq!(scan::member(data, key).map(|range| &data[range]), Some(value.as_str().as_bytes()));
    }
}

const METHODS: &[&str] = &[
    "tools/call",
    "tools/list",
    "initialize",
    "notifications/progress",
    "ping",
    "x/y",
    "notifications/\u{2028}",
];

fn generate(random: &mut Random) -> Vec<u8> {
    let message = if random.one_in(8) {
        Json::Array((0..random.below(4)).map(|_| message(random)).collect())
    } else {
        message(random)
    };
    message.twisted(random)
}

fn message(random: &mut Random) -> Json {
    let mut members = vec![("jsonrpc".to_owned(), Json::text("2.0"))];
    let types = mcp_types::inventory::types();
    let index = random.below(types.len());
    let body = Schemas::new(random).value(&types[index]);
    let id = ["7", "-1", "\"a\"", "\"7\"", "null", "1.0", "18446744073709551616", "\"\\u0061\""];
    if !random.one_in(4) {
        members.push(("id".to_owned(), Json::raw(random.pick(&id))));
    }
    match random.below(3) {
        0 => members.push(("result".to_owned(), body)),
        1 => members.push(("error".to_owned(), body)),
        _ => {
            members.push(("method".to_owned(), Json::text(random.pick(METHODS))));
            members.push(("params".to_owned(), body));
        }
    }
    if random.one_in(6) {
        let names = ["trace", "Result", "METHOD", "id\u{0}", "", "param\u{17f}", "\u{212a}ey"];
        members.push((random.pick(&names).to_owned(), Json::raw("1")));
    }
    Json::Object(members)
}
