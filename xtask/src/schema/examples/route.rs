//! How an example reaches its type: as a value, or inside an envelope.

use std::collections::BTreeSet;

use crate::schema::{
    document::{Document, Kind, Schema},
    errors::error_of,
    inventory::{Inventory, Lifetime, Member, TypeInfo, TypeShape},
    json::Json,
    messages::{answered, method_of},
    rust_type::RustType,
    union::alternatives,
};

/// The type of messages that stand in results.
const EMBEDDED: &str = "InputRequest";
const ERROR: &str = "JsonRpcError";
const UNFINISHED: &str = "InputRequiredResult";

#[derive(Debug)]
pub(super) struct Route {
    /// What the program of mcp-types is told: `value TYPE`, or `message MEMBER TYPE`, with the type of an error's data
    /// behind it if there is one.
    pub(super) command: String,
    /// The type of the whole.
    pub(super) ty: RustType,
    /// What `ty` is made of and no inventory has: envelopes are generic in Rust.
    pub(super) types: Vec<TypeInfo>,
}

/// The route for an example of `definition`.
///
/// # Errors
/// There is none: why.
pub(super) fn route(
    inventory: &Inventory,
    document: &Document,
    definition: &str,
    json: &Json,
) -> Result<Route, String> {
    let schema = document.definition(definition).ok_or("the schema has no such definition")?;
    let schema = document.read(schema);
    let marker = |name: &str| inventory.markers.get(name).ok_or_else(|| format!("{name} has no marker type"));
    if let Kind::Object(object) = &schema.kind {
        if method_of(document, &schema).is_some() {
            if object.property("jsonrpc").is_none() {
                return Ok(value(RustType::named(EMBEDDED)));
            }
            return Ok(message(definition, "params", &marker(definition)?.params));
        }
        if let Some(request) = answered(document, definition) {
            let unfinished = allows_unfinished(document, &schema)
                && json.get("result").and_then(|result| result.text("resultType")) == Some("input_required");
            let result =
                if unfinished { Some(RustType::named(UNFINISHED)) } else { marker(&request)?.result.clone() };
            return Ok(message(definition, "result", &result.ok_or("the request has no result")?));
        }
        if object.property("error").is_some() && error_of(document, &schema).is_some() {
            let wanted = format!("{definition}Data");
            let data = inventory.types.keys().find(|ty| ty.eq_ignore_ascii_case(&wanted));
            return Ok(error(inventory, definition, data.map(|name| RustType::named(name))));
        }
        if error_of(document, &schema).is_some() {
            return Ok(value(RustType::named(ERROR)));
        }
    }
    inventory.place(definition).map(value).ok_or_else(|| "the definition has no type".to_string())
}

fn allows_unfinished(document: &Document, response: &Schema<'_>) -> bool {
    let Kind::Object(object) = &response.kind else { return false };
    let Some(result) = object.property("result") else { return false };
    let names: BTreeSet<_> = alternatives(document, &document.read(result.schema))
        .iter()
        .filter_map(|schema| schema.definition.map(str::to_string))
        .collect();
    names.contains(UNFINISHED)
}

fn value(ty: RustType) -> Route {
    Route { command: format!("value {ty}"), ty, types: Vec::new() }
}

fn message(definition: &str, body: &str, ty: &RustType) -> Route {
    let name = format!("{definition} of {ty}");
    let own = [("jsonrpc", "String"), ("id", "RequestId"), ("method", "String")];
    let members = own.map(|(name, ty)| member(name, RustType::named(ty))).into_iter();
    let members = members.chain([member(body, ty.clone())]).collect();
    let shape = TypeShape::Object { members, open: true };
    Route {
        command: format!("message {body} {ty}"),
        ty: RustType::named(&name),
        types: vec![TypeInfo { name, lifetime: Lifetime::ALL, shape }],
    }
}

/// An error whose data has a type is read in two steps, as a user does it.
fn error(inventory: &Inventory, definition: &str, data: Option<RustType>) -> Route {
    let plain = message(definition, "error", &RustType::named(ERROR));
    let (Some(data), Some(mut whole)) = (data, inventory.types.get(ERROR).cloned()) else { return plain };
    if let TypeShape::Object { members, .. } = &mut whole.shape {
        for member in members.iter_mut().filter(|member| member.name == "data") {
            member.ty = data.clone();
        }
    }
    whole.name = format!("{ERROR} of {data}");
    let mut route = message(definition, "error", &RustType::named(&whole.name));
    route.command = format!("{} {data}", plain.command);
    route.types.push(whole);
    route
}

fn member(name: &str, ty: RustType) -> Member {
    Member { name: name.to_string(), required: true, ty, constant: None, lifetime: Lifetime::ALL }
}
