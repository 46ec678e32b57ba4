//! A schema and a Rust type, side by side, for one revision.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    builtin::{SCHEMA_KEYWORDS, VIEWS},
    document::{Document, Kind, Object, Schema},
    finding::{Finding, Rule},
    inventory::{Inventory, Member, Shape, TypeInfo, TypeShape},
    json::Json,
    rust_type::RustType,
    seen::{Node, Seen},
};

/// The comparison of all revisions, as far as it has gone.
pub(super) struct Comparison<'a> {
    pub(super) inventory: &'a Inventory,
    pub(super) findings: Vec<Finding>,
    /// What all revisions together have shown.
    pub(super) seen: Seen,
    /// The schemas of properties that were compared.
    pub(super) reached: HashSet<*const Json>,
    done: HashSet<(String, RustType)>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(inventory: &'a Inventory) -> Self {
        Self {
            inventory,
            findings: Vec::new(),
            seen: Seen::default(),
            reached: HashSet::new(),
            done: HashSet::new(),
        }
    }

    /// Compares what the schema allows with what the type holds. `at` is the name for it in findings.
    pub(super) fn value(&mut self, document: &'a Document, schema: &Schema<'a>, ty: &RustType, at: &str) {
        // A definition is compared with a type once in a revision: definitions may refer to each other in circles.
        if let Some(definition) = schema.definition
            && !self.done.insert((format!("{} {definition} {at}", document.revision), ty.clone()))
        {
            return;
        }
        let inventory = self.inventory;
        match inventory.shape(ty) {
            None => {
                let fix = "list it in mcp-types/src/inventory, or in xtask/src/schema/builtin.rs";
                self.gap(document, at, Rule::Kind, format!("the type `{ty}` does not describe itself"), fix);
            }
            Some(Shape::Any) => {
                self.seen.hold(at, matches!(schema.kind, Kind::Any), || in_words(&schema.kind));
                self.reach_all(document, schema);
            }
            Some(Shape::Scalar(kinds)) => self.scalar(document, schema, kinds, ty, at),
            Some(Shape::Nullable(inner)) => self.nullable(document, schema, &inner, at),
            Some(Shape::Array(element)) => match &schema.kind {
                Kind::Array(Some(items)) => {
                    self.value(document, &document.read(items), &element, &format!("{at}[]"));
                }
                _ => self.wrong_kind(document, schema, ty, at),
            },
            Some(Shape::Map(value)) => match &schema.kind {
                Kind::Object(object) => self.map(document, object, &value, at),
                _ => self.wrong_kind(document, schema, ty, at),
            },
            Some(Shape::JsonSchema) => self.json_schema(document, schema, ty, at),
            Some(Shape::Type(info)) => self.described(document, schema, info, at),
        }
    }

    pub(super) fn gap(
        &mut self,
        document: &Document,
        place: &str,
        rule: Rule,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.findings.push(Finding::new(document.revision, place, rule, problem, fix));
    }

    /// Takes all properties in the schema as compared, references left alone.
    pub(super) fn reach_all(&mut self, document: &'a Document, schema: &Schema<'a>) {
        if schema.definition.is_some() {
            return;
        }
        match &schema.kind {
            Kind::Object(object) => {
                for property in &object.properties {
                    self.reached.insert(std::ptr::from_ref(property.schema));
                    self.reach_all(document, &document.read(property.schema));
                }
                if let Some(additional) = object.additional {
                    self.reach_all(document, &document.read(additional));
                }
            }
            Kind::Array(Some(items)) => self.reach_all(document, &document.read(items)),
            Kind::Union(alternatives) => {
                for alternative in alternatives {
                    self.reach_all(document, &document.read(alternative));
                }
            }
            _ => {}
        }
    }

    pub(super) fn wrong_kind(
        &mut self,
        document: &'a Document,
        schema: &Schema<'a>,
        ty: &RustType,
        at: &str,
    ) {
        let allowed = in_words(&schema.kind);
        self.gap(
            document,
            at,
            Rule::Kind,
            format!("the schema allows {allowed}, which `{ty}` cannot hold"),
            "widen the type",
        );
        self.reach_all(document, schema);
    }

    fn described(&mut self, document: &'a Document, schema: &Schema<'a>, info: &'a TypeInfo, at: &str) {
        self.seen.revisions.entry(info.name.clone()).or_default().insert(document.revision);
        match (&info.shape, &schema.kind) {
            (TypeShape::Object { members, .. }, Kind::Object(object)) => {
                self.object(document, object, info, members);
            }
            (TypeShape::Enum(known), kind) => self.open_enum(document, kind, info, known, at),
            (TypeShape::Union { key, variants }, _) => {
                self.union(document, schema, info, key.as_deref(), variants, at);
            }
            _ => self.wrong_kind(document, schema, &RustType::named(&info.name), at),
        }
    }

    pub(super) fn object(
        &mut self,
        document: &'a Document,
        object: &Object<'a>,
        info: &'a TypeInfo,
        members: &'a [Member],
    ) {
        let mut properties = BTreeMap::new();
        for property in &object.properties {
            self.reached.insert(std::ptr::from_ref(property.schema));
            let at = format!("{}.{}", info.name, property.name);
            let schema = document.read(property.schema);
            let Some(member) = members.iter().find(|member| member.name == property.name) else {
                let problem = format!("the schema has it ({}), the type does not", in_words(&schema.kind));
                self.gap(document, &at, Rule::Member, problem, "add the member, or a waiver");
                self.reach_all(document, &schema);
                continue;
            };
            properties.insert(property.name.to_string(), property.required);
            match &member.constant {
                Some(constant) => self.constant(document, &schema, constant, &at),
                None => self.value(document, &schema, &member.ty, &at),
            }
            for (_, view) in VIEWS.iter().filter(|(place, _)| *place == at) {
                self.value(document, &schema, &RustType::named(view), &at);
            }
        }
        for member in members.iter().filter(|member| member.required) {
            let required = properties.get(&member.name).copied();
            if required != Some(true) {
                let how = if required.is_some() { "leaves it optional" } else { "does not have it" };
                self.gap(
                    document,
                    &format!("{}.{}", info.name, member.name),
                    Rule::Required,
                    format!("the type requires it, and the schema {how}"),
                    "make the member optional",
                );
            }
        }
        self.seen
            .nodes
            .entry(info.name.clone())
            .or_default()
            .push(Node { revision: document.revision, properties });
    }

    pub(super) fn constant(&mut self, document: &Document, schema: &Schema<'a>, constant: &str, at: &str) {
        let agrees = matches!(&schema.kind, Kind::Values(values) if values.iter().all(|v| v.as_str() == Some(constant)));
        if !agrees {
            let problem = format!("the type says \"{constant}\", the schema {}", in_words(&schema.kind));
            self.gap(document, at, Rule::Value, problem, "correct the constant");
        }
    }

    fn open_enum(
        &mut self,
        document: &'a Document,
        kind: &Kind<'a>,
        info: &'a TypeInfo,
        known: &BTreeSet<String>,
        at: &str,
    ) {
        match kind {
            Kind::Values(values) => {
                for value in values {
                    let Some(text) = value.as_str() else {
                        self.gap(
                            document,
                            at,
                            Rule::Value,
                            format!("{value} is no string"),
                            "widen the type",
                        );
                        continue;
                    };
                    if !known.contains(text) {
                        let problem = format!("`{}` does not know the value \"{text}\"", info.name);
                        self.gap(document, at, Rule::Value, problem, "add the value");
                    }
                    self.seen.values.entry(info.name.clone()).or_default().insert(text.to_string());
                }
            }
            Kind::Scalar(kinds) if kinds.iter().all(|kind| *kind == "string") => {}
            other => {
                let schema = Schema { definition: None, kind: other.clone() };
                self.wrong_kind(document, &schema, &RustType::named(&info.name), at);
            }
        }
    }

    fn scalar(
        &mut self,
        document: &'a Document,
        schema: &Schema<'a>,
        kinds: &'static [&'static str],
        ty: &RustType,
        at: &str,
    ) {
        let holds = |kind: &str| kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number"));
        match &schema.kind {
            Kind::Scalar(allowed) if allowed.iter().all(|kind| holds(kind)) => {
                self.seen.kinds(at, kinds, allowed.iter().copied());
            }
            Kind::Values(values)
                if values.iter().all(|value| holds(kind_of(value)) && fits_sign(value, ty)) =>
            {
                // Fewer values than the type holds: fine as long as another revision allows them all.
                self.seen.kinds(at, kinds, []);
            }
            _ => self.wrong_kind(document, schema, ty, at),
        }
    }

    fn nullable(&mut self, document: &'a Document, schema: &Schema<'a>, inner: &RustType, at: &str) {
        let mut schema = schema.clone();
        let mut may_be_null = matches!(schema.kind, Kind::Any);
        if let Kind::Scalar(kinds) = &mut schema.kind {
            may_be_null = kinds.remove("null");
        }
        self.seen.hold(&format!("{at}?"), may_be_null, || "no `null`".to_string());
        self.value(document, &schema, inner, at);
    }

    fn map(&mut self, document: &'a Document, object: &Object<'a>, value: &RustType, at: &str) {
        if object.properties.is_empty() {
            let schema = match object.additional {
                Some(additional) => document.read(additional),
                None => Schema { definition: None, kind: Kind::Any },
            };
            self.value(document, &schema, value, &format!("{at}{{}}"));
            return;
        }
        // A map holds named properties as well as others, but knows nothing of them.
        self.seen.hold(&format!("{at}{{}}"), false, || "an object with properties".to_string());
        for property in &object.properties {
            self.reached.insert(std::ptr::from_ref(property.schema));
            self.value(document, &document.read(property.schema), value, &format!("{at}.{}", property.name));
        }
    }

    fn json_schema(&mut self, document: &'a Document, schema: &Schema<'a>, ty: &RustType, at: &str) {
        let Kind::Object(object) = &schema.kind else { return self.wrong_kind(document, schema, ty, at) };
        for property in &object.properties {
            if !SCHEMA_KEYWORDS.contains(&property.name) {
                let problem = format!("`{}` is no keyword of JSON Schema", property.name);
                self.gap(document, at, Rule::Kind, problem, "widen the type");
            }
        }
        self.reach_all(document, schema);
    }
}

/// A negative number does not fit in an unsigned one.
fn fits_sign(value: &Json, ty: &RustType) -> bool {
    ty.name != "u64" || !matches!(value, Json::Number(text) if text.starts_with('-'))
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(text) if text.contains(['.', 'e', 'E']) => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// What a schema allows, for people.
pub(super) fn in_words(kind: &Kind<'_>) -> String {
    match kind {
        Kind::Any => "any JSON".to_string(),
        Kind::Scalar(kinds) => kinds.iter().copied().collect::<Vec<_>>().join(" or "),
        Kind::Values(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        Kind::Array(_) => "an array".to_string(),
        Kind::Object(_) => "an object".to_string(),
        Kind::Union(alternatives) => format!("a union of {}", alternatives.len()),
    }
}
