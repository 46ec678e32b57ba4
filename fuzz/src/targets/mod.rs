//! The targets, each with the properties that it checks.

pub mod envelope;
pub mod frame;
pub mod id;
pub mod retry;
pub mod stamp;
pub mod types;

use std::collections::BTreeSet;

use mcp_types::{JsonObject, jsonrpc::scan::Members};

use crate::Target;

/// All of them.
pub const TARGETS: &[Target] =
    &[types::TARGET, envelope::TARGET, frame::TARGET, stamp::TARGET, retry::TARGET, id::TARGET];

/// The object, if every reader sees the same in it: valid JSON, no name twice, none written with escapes.
fn plain_object(text: &[u8]) -> Option<JsonObject> {
    let object: JsonObject = serde_json::from_slice(text).ok()?;
    let names: BTreeSet<&str> = object.iter().map(|(name, _)| name).collect();
    let escaped =
        Members::of(text).ok()?.filter_map(Result::ok).any(|member| text[member.key].contains(&b'\\'));
    (names.len() == object.len() && !escaped).then_some(object)
}

/// Takes the first byte off, for the choices of a target.
fn split_first(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (*first, rest))
}
