//! `Stamp::apply`. The first byte chooses stamp and metadata, the rest is the params.
//!
//! Of an object that every reader sees the same way, the result is such an object too: its other members stay as they
//! are, and in `_meta` each name stands once, with the value of whoever counts most.

use bytes::Bytes;
use mcp_protocol::{Metadata, Stamp};
use mcp_types::{ClientCapabilities, Implementation, Json, JsonObject, Revision};

use super::{plain_object, split_first};
use crate::{
    Target,
    generate::{self, Random, Schemas},
};

/// The target.
pub const TARGET: Target = Target { name: "stamp", run, generate, inputs: 150_000 };

const TOKEN: i64 = 7;

fn run(data: &[u8]) {
    let (choice, params) = split_first(data);
    let is_modern = choice & 1 != 0;
    let stamp = if is_modern { modern() } else { Stamp::legacy() };
    let callers = callers();
    let metadata = Metadata {
        progress_token: (choice & 2 != 0).then_some(TOKEN),
        members: (choice & 4 != 0).then_some(&callers),
    };
    let Ok(applied) = stamp.apply(params.to_vec().into(), metadata) else {
        assert!(!params.is_empty() && plain_object(params).is_none(), "an object is refused");
        return;
    };
    let before = if params.is_empty() { Some(JsonObject::new()) } else { plain_object(params) };
    let Some(before) = before else { return };
    let existing = match before.get("_meta") {
        None => JsonObject::new(),
        Some(meta) => match plain_object(meta.as_str().as_bytes()) {
            Some(meta) => meta,
            None if meta.is_object() => return,
            None => JsonObject::new(),
        },
    };
    check(&before, &existing, applied.as_ref(), is_modern, metadata);
}

fn check(
    before: &JsonObject,
    existing: &JsonObject,
    applied: Option<&Bytes>,
    is_modern: bool,
    metadata: Metadata<'_>,
) {
    let nothing = !is_modern && metadata.progress_token.is_none() && metadata.members.is_none();
    let Some(applied) = applied else {
        assert!(nothing && before.is_empty());
        return;
    };
    let text = String::from_utf8_lossy(applied);
    let after = plain_object(applied).unwrap_or_else(|| panic!("ambiguous, or no JSON: {text}"));
    if nothing {
        assert_eq!(before, &after);
        return;
    }
    let others = |object: &JsonObject| -> Vec<(String, Json)> {
        object.clone().into_iter().filter(|(name, _)| name != "_meta").collect()
    };
    assert_eq!(others(before), others(&after));
    let meta = after.get("_meta").unwrap_or_else(|| panic!("no `_meta`: {text}"));
    let meta = plain_object(meta.as_str().as_bytes()).unwrap_or_else(|| panic!("ambiguous `_meta`: {text}"));
    let mut expected = if is_modern { stamped() } else { JsonObject::new() };
    let callers = metadata.members.cloned().unwrap_or_default();
    for (name, value) in existing.clone().into_iter().chain(callers) {
        expected.insert(name, value);
    }
    if let Some(token) = metadata.progress_token {
        expected.insert("progressToken", Json::from(token));
    }
    assert_eq!(sorted(meta), sorted(expected), "{text}");
}

/// What the stamp alone makes of nothing.
fn stamped() -> JsonObject {
    let params = modern().apply(Vec::new().into(), Metadata::default()).expect("nothing to refuse");
    let params: JsonObject = serde_json::from_slice(&params.expect("a stamp")).expect("JSON");
    params.get("_meta").expect("a stamp").decode().expect("an object")
}

fn sorted(object: JsonObject) -> Vec<(String, String)> {
    let mut members: Vec<_> = object.into_iter().map(|(name, value)| (name, value.to_string())).collect();
    members.sort();
    members
}

fn modern() -> Stamp {
    let info = Implementation::new("fuzz", "1");
    Stamp::modern(Revision::LATEST, &info, &ClientCapabilities::new()).expect("it can be written")
}

fn callers() -> JsonObject {
    JsonObject::from([
        ("progressToken", Json::from("mine")),
        ("io.modelcontextprotocol/clientInfo", Json::from(true)),
        ("com.example/x", Json::from(1_u64)),
    ])
}

fn generate(random: &mut Random) -> Vec<u8> {
    let mut data = vec![random.byte()];
    if random.one_in(20) {
        return data;
    }
    let params = ["CallToolRequestParams", "PaginatedRequestParams", "CompleteRequestParams", "JsonObject"];
    let params = Schemas::new(random).kind(random_kind(&params, data[0]));
    data.extend(with_reserved(params, random).twisted(random));
    data
}

fn random_kind<'a>(kinds: &[&'a str], byte: u8) -> &'a str {
    kinds[usize::from(byte >> 3) % kinds.len()]
}

fn with_reserved(params: generate::Json, random: &mut Random) -> generate::Json {
    let generate::Json::Object(mut members) = params else { return params };
    if random.one_in(2) {
        let meta = [
            r#"{"progressToken":1,"x":{"_meta":2}}"#,
            r#"{"io.modelcontextprotocol/clientInfo":null}"#,
            r#"{ "com.example/x" : 3, "com.example/\"y\"": 4 }"#,
            "{}",
            "null",
            "[]",
        ];
        members.retain(|(name, _)| name != "_meta");
        let at = random.below(members.len() + 1);
        members.insert(at, ("_meta".to_owned(), generate::Json::raw(random.pick(&meta))));
    }
    generate::Json::Object(members)
}
