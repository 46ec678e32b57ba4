//! Prints what the types of this crate say about themselves, as one JSON object, for tools that compare them with the
//! official schemas.

use std::io::{self, Write};

use mcp_types::inventory::{self, Lifetime, MemberInfo, Presence, Shape};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let types: Vec<Value> = inventory::types()
        .iter()
        .zip(inventory::codecs())
        .map(|(info, codec)| {
            json!({
                "name": info.name,
                "module": module(codec.path),
                "lifetime": lifetime(info.lifetime),
                "shape": shape(&info.shape),
            })
        })
        .collect();
    let markers: Vec<Value> = inventory::methods()
        .iter()
        .zip(inventory::method_paths())
        .map(|(info, path)| {
            json!({
                "name": info.name,
                "module": module(path),
                "method": info.method,
                "params": (info.params)(),
                "result": info.result.map(|name| name()),
            })
        })
        .collect();
    let methods: Vec<Value> = mcp_types::methods()
        .iter()
        .map(|info| {
            let directions: serde_json::Map<String, Value> = mcp_types::Revision::ALL
                .into_iter()
                .filter_map(|revision| {
                    let direction = info.direction_in(revision)?;
                    Some((revision.as_str().to_owned(), format!("{direction:?}").into()))
                })
                .collect();
            json!({
                "name": info.name,
                "kind": format!("{:?}", info.kind),
                "directions": directions,
                "embeddedSince": info.embedded_since.map(mcp_types::Revision::as_str),
            })
        })
        .collect();
    let aliases: serde_json::Map<String, Value> =
        inventory::ALIASES.iter().map(|(name, of)| ((*name).to_owned(), (*of).into())).collect();
    let codes: Vec<Value> =
        inventory::CODES.iter().map(|(name, code)| json!({ "name": name, "code": code })).collect();
    let all = json!({
        "types": types,
        "markers": markers,
        "methods": methods,
        "aliases": aliases,
        "codes": codes,
    });
    writeln!(io::stdout(), "{all}")
}

/// The path of a type without its name.
fn module(path: &str) -> &str {
    path.rsplit_once("::").map_or("", |(module, _)| module)
}

fn lifetime(span: Lifetime) -> Value {
    json!({ "since": span.since.as_str(), "until": span.until.as_str(), "extension": span.extension })
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Object { members, open } => {
            json!({ "object": members.iter().map(member).collect::<Vec<_>>(), "open": open })
        }
        Shape::Enum { values } => json!({ "enum": values }),
        Shape::Union { key, variants } => json!({ "union": variants, "key": key }),
    }
}

fn member(info: &MemberInfo) -> Value {
    json!({
        "name": info.wire_name(),
        "required": info.presence == Presence::Required,
        "kind": info.kind,
        "constant": info.constant,
        "lifetime": lifetime(info.lifetime),
    })
}
