//! A union of the schema and a union of Rust: each alternative must have its variant.

use super::{
    compare::{Comparison, in_words},
    document::{Document, Kind, Schema},
    finding::Rule,
    inventory::{Shape, TypeInfo, TypeShape},
    rust_type::RustType,
};

/// The key of unions whose alternatives are messages: a variant holds the parameters.
const METHOD: &str = "method";

impl<'a> Comparison<'a> {
    pub(super) fn union(
        &mut self,
        document: &'a Document,
        schema: &Schema<'a>,
        info: &'a TypeInfo,
        key: Option<&str>,
        variants: &'a [(String, RustType)],
        at: &str,
    ) {
        for alternative in alternatives(document, schema) {
            let Some((tag, ty)) = self.variant(document, &alternative, key, variants) else {
                let name = alternative.definition.map_or_else(|| in_words(&alternative.kind), str::to_string);
                let problem = format!("`{}` has no variant for {name}", info.name);
                self.gap(document, at, Rule::Variant, problem, "add the variant");
                self.reach_all(document, &alternative);
                continue;
            };
            self.seen.variants.entry(info.name.clone()).or_default().insert(tag.clone());
            match (&alternative.kind, key) {
                (Kind::Object(object), Some(METHOD)) => {
                    for property in &object.properties {
                        self.reached.insert(std::ptr::from_ref(property.schema));
                    }
                    if let Some(params) = object.property("params") {
                        let at = format!("{}({tag})", info.name);
                        self.value(document, &document.read(params.schema), ty, &at);
                    }
                }
                _ => self.value(document, &alternative, ty, &format!("{}({tag})", info.name)),
            }
        }
    }

    /// The variant for an alternative: by the name of its definition, by its tag, or by what it has.
    fn variant(
        &self,
        document: &Document,
        alternative: &Schema<'_>,
        key: Option<&str>,
        variants: &'a [(String, RustType)],
    ) -> Option<&'a (String, RustType)> {
        let place = alternative.definition.and_then(|definition| self.inventory.place(definition));
        if let Some(found) = variants.iter().find(|(_, ty)| Some(ty) == place.as_ref()) {
            return Some(found);
        }
        if let Some(tag) = key.and_then(|key| constant(document, alternative, key)) {
            return variants.iter().find(|(other, _)| *other == tag);
        }
        // What has a type of its own must not pass for another one; only a union in this one may hold it.
        let has_own = place.is_some_and(|place| self.inventory.types.contains_key(&place.name));
        let may_hold = |ty: &RustType| !has_own || self.is_union(ty);
        let fitting = variants
            .iter()
            .filter(|(_, ty)| may_hold(ty))
            .filter_map(|variant| Some((self.surplus(document, alternative, &variant.1)?, variant)));
        fitting.min_by_key(|(surplus, _)| *surplus).map(|(_, variant)| variant)
    }

    fn is_union(&self, ty: &RustType) -> bool {
        matches!(self.inventory.shape(ty), Some(Shape::Type(TypeInfo { shape: TypeShape::Union { .. }, .. })))
    }

    /// How many members the type has that the alternative lacks. `None`: it does not fit at all.
    fn surplus(&self, document: &Document, alternative: &Schema<'_>, ty: &RustType) -> Option<usize> {
        match (self.inventory.shape(ty)?, &alternative.kind) {
            (Shape::Array(_), Kind::Array(_)) => Some(0),
            (Shape::Type(TypeInfo { shape: TypeShape::Union { key, variants }, .. }), _) => {
                self.variant(document, alternative, key.as_deref(), variants).map(|_| 0)
            }
            (
                Shape::Type(TypeInfo { shape: TypeShape::Object { members, .. }, .. }),
                Kind::Object(object),
            ) => {
                let fits = object.properties.iter().all(|property| {
                    let member = members.iter().find(|member| member.name == property.name);
                    member.is_some_and(|member| {
                        member.constant.is_none()
                            || member.constant == constant(document, alternative, property.name)
                    })
                });
                let complete = members
                    .iter()
                    .filter(|member| member.required)
                    .all(|member| object.property(&member.name).is_some());
                (fits && complete).then(|| members.len() - object.properties.len())
            }
            _ => None,
        }
    }
}

/// What a schema allows, with unions in unions taken apart.
pub(super) fn alternatives<'a>(document: &'a Document, schema: &Schema<'a>) -> Vec<Schema<'a>> {
    match &schema.kind {
        Kind::Union(parts) => {
            parts.iter().flat_map(|part| alternatives(document, &document.read(part))).collect()
        }
        _ => vec![schema.clone()],
    }
}

/// The constant that a property of an object must have.
pub(super) fn constant(document: &Document, schema: &Schema<'_>, property: &str) -> Option<String> {
    let Kind::Object(object) = &schema.kind else { return None };
    match document.read(object.property(property)?.schema).kind {
        Kind::Values(values) => match values.as_slice() {
            [value] => value.as_str().map(str::to_string),
            _ => None,
        },
        _ => None,
    }
}
