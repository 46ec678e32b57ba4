//! What the types are on the wire that do not describe themselves: those of Rust, and those that are written by hand.

use super::{inventory::Shape, rust_type::RustType};

const TEXT: &[&str] = &["string"];
const INTEGER: &[&str] = &["integer"];
const NUMBER: &[&str] = &["number"];
const TEXT_OR_INTEGER: &[&str] = &["string", "integer"];

pub(super) fn shape(ty: &RustType) -> Option<Shape<'static>> {
    Some(match (ty.name.as_str(), ty.arguments.as_slice()) {
        ("String" | "Cursor" | "ProtocolVersion", []) => Shape::Scalar(TEXT),
        ("bool", []) => Shape::Scalar(&["boolean"]),
        ("u64" | "ErrorCode", []) => Shape::Scalar(INTEGER),
        ("f64" | "Number", []) => Shape::Scalar(NUMBER),
        ("RequestId" | "ProgressToken", []) => Shape::Scalar(TEXT_OR_INTEGER),
        ("Json", []) => Shape::Any,
        ("JsonObject", []) => Shape::Map(RustType::named("Json")),
        ("JsonSchema", []) => Shape::JsonSchema,
        ("Vec" | "List", [element]) => Shape::Array(element.clone()),
        ("Map", [value]) => Shape::Map(value.clone()),
        ("Option", [inner]) => Shape::Nullable(inner.clone()),
        _ => return None,
    })
}

/// The keywords of JSON Schema that a schema of the protocol may name: a [`Shape::JsonSchema`] keeps all of them.
pub(super) const SCHEMA_KEYWORDS: &[&str] = &["$schema", "properties", "required", "type"];

/// Members that are kept as they came, and the type in which they can be read: it is compared as well.
pub(super) const VIEWS: &[(&str, &str)] = &[("ElicitRequestFormParams.requestedSchema", "ElicitationSchema")];

/// Whether a type keeps JSON as it is, though its members are known.
pub(super) fn is_verbatim(name: &str) -> bool {
    name == "Meta"
}

/// Whether a type reads numbers into a form that loses how they were written, not what they are.
pub(super) fn is_rewritten(name: &str) -> bool {
    ["f64", "u64"].contains(&name)
}
