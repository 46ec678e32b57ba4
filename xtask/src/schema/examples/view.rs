//! A JSON value, seen as a Rust type sees it.

use crate::schema::{
    builtin,
    inventory::{Inventory, Lifetime, Member, Shape, TypeInfo, TypeShape},
    json::Json,
    rust_type::RustType,
};

/// How a type takes a value.
#[derive(Debug)]
pub(super) enum View {
    /// As it is, with member order and every digit.
    Exact,
    /// A string or a boolean, or a number whose digits are kept.
    Scalar,
    /// A number that may be written in another way.
    Number,
    /// A value of an open enum.
    Value,
    Array(RustType),
    Map(RustType),
    Object {
        members: Vec<Member>,
        /// Whether it keeps members that it does not know.
        open: bool,
    },
}

/// A value at a place.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) view: View,
    /// The member that tells the kind, where objects of several kinds may stand.
    pub(super) key: Option<String>,
}

/// How `ty` takes `json`. A type without a shape takes nothing, which the comparison has reported.
pub(super) fn site(inventory: &Inventory, json: &Json, ty: &RustType) -> Site {
    let plain = |view| Site { view, key: None };
    if builtin::is_verbatim(&ty.name) {
        return plain(View::Exact);
    }
    match inventory.shape(ty) {
        None | Some(Shape::Any | Shape::JsonSchema) => plain(View::Exact),
        Some(Shape::Scalar(_)) if builtin::is_rewritten(&ty.name) => plain(View::Number),
        Some(Shape::Scalar(_)) => plain(View::Scalar),
        Some(Shape::Nullable(_)) if *json == Json::Null => plain(View::Exact),
        Some(Shape::Nullable(inner)) => site(inventory, json, &inner),
        Some(Shape::Array(element)) => plain(View::Array(element)),
        Some(Shape::Map(value)) => match inventory.shape(&value) {
            Some(Shape::Any) => plain(View::Exact),
            _ => plain(View::Map(value)),
        },
        Some(Shape::Type(info)) => match &info.shape {
            TypeShape::Enum(_) => plain(View::Value),
            TypeShape::Object { members, open } => {
                plain(View::Object { members: members.clone(), open: *open })
            }
            TypeShape::Union { key, variants } => {
                let mut site = match variant(inventory, json, key.as_deref(), variants) {
                    None => plain(View::Exact),
                    Some((tag, ty)) if key.as_deref() == Some("method") => plain(message(tag, ty)),
                    Some((_, ty)) => site(inventory, json, ty),
                };
                if matches!(json, Json::Object(_)) {
                    site.key = key.clone().or(site.key);
                }
                site
            }
        },
    }
}

/// A message without an envelope.
fn message(method: &str, params: &RustType) -> View {
    let member = |name: &str, ty: &RustType, constant: Option<&str>| Member {
        name: name.to_string(),
        required: true,
        ty: ty.clone(),
        constant: constant.map(str::to_string),
        lifetime: Lifetime::ALL,
    };
    let method = member("method", &RustType::named("String"), Some(method));
    View::Object { members: vec![method, member("params", params, None)], open: false }
}

fn variant<'a>(
    inventory: &Inventory,
    json: &Json,
    key: Option<&str>,
    variants: &'a [(String, RustType)],
) -> Option<&'a (String, RustType)> {
    if let Some(kind) = key.and_then(|key| json.text(key)) {
        return variants.iter().find(|(tag, _)| tag == kind);
    }
    let fitting = variants.iter().filter_map(|variant| Some((misfit(inventory, json, &variant.1)?, variant)));
    fitting.min_by_key(|(misfit, _)| *misfit).map(|(_, variant)| variant)
}

/// How many members of the value the type does not know. `None`: it cannot be this type.
fn misfit(inventory: &Inventory, json: &Json, ty: &RustType) -> Option<usize> {
    match (inventory.shape(ty)?, json) {
        (Shape::Array(_), Json::Array(_)) => Some(0),
        (Shape::Type(TypeInfo { shape: TypeShape::Union { key, variants }, .. }), Json::Object(_)) => {
            let is_known = variant(inventory, json, key.as_deref(), variants).is_some();
            let is_unknown_kind = key.as_deref().is_some_and(|key| json.get(key).is_some());
            (is_known || is_unknown_kind).then_some(0)
        }
        (Shape::Type(TypeInfo { shape: TypeShape::Object { members, .. }, .. }), Json::Object(_)) => {
            let given = |member: &Member| json.get(&member.name).filter(|value| **value != Json::Null);
            let fits = members.iter().all(|member| match (given(member), &member.constant) {
                (Some(value), Some(constant)) => value.as_str() == Some(constant),
                (None, _) => !member.required,
                (Some(_), None) => true,
            });
            let unknown =
                json.members().iter().filter(|(name, _)| members.iter().all(|member| member.name != *name));
            fits.then(|| unknown.count())
        }
        _ => None,
    }
}
