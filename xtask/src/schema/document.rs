//! The official schema of one revision, read one level at a time with references and intersections resolved.

use std::collections::BTreeSet;

use super::{json::Json, revision::Revision};

/// Keywords that say which values are valid, and that this program reads.
const READ: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "properties",
    "required",
    "type",
];
/// Keywords that narrow a value in ways that no type here takes part in, or that are for people.
const PASSED_OVER: &[&str] = &[
    "default",
    "deprecated",
    "description",
    "format",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "title",
];

pub(super) struct Document {
    pub(super) revision: Revision,
    definitions: Vec<(String, Json)>,
}

/// A schema with its reference followed.
#[derive(Debug, Clone)]
pub(super) struct Schema<'a> {
    /// The definition that a reference named.
    pub(super) definition: Option<&'a str>,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind<'a> {
    Any,
    /// Any value of these kinds: `string`, `number`, `integer`, `boolean`, `null`.
    Scalar(BTreeSet<&'a str>),
    /// One of these values.
    Values(Vec<&'a Json>),
    /// The schema of the elements.
    Array(Option<&'a Json>),
    Object(Object<'a>),
    Union(Vec<&'a Json>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a> {
    pub(super) properties: Vec<Property<'a>>,
    /// The schema of all other members, if it is said.
    pub(super) additional: Option<&'a Json>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Property<'a> {
    pub(super) name: &'a str,
    pub(super) required: bool,
    pub(super) schema: &'a Json,
}

impl Document {
    /// # Errors
    /// It is no schema, or one with a keyword that this program does not know.
    pub(super) fn parse(revision: Revision, text: &str) -> Result<Self, String> {
        let mut json = Json::parse(text)?;
        let Json::Object(members) = &mut json else { return Err("is no object".to_string()) };
        let definitions = members
            .iter_mut()
            .find(|(name, _)| name == "$defs" || name == "definitions")
            .map(|(_, definitions)| std::mem::replace(definitions, Json::Null));
        let Some(Json::Object(definitions)) = definitions else {
            return Err("has neither `$defs` nor `definitions`".to_string());
        };
        for (name, schema) in &definitions {
            check_keywords(name, schema, &definitions)?;
        }
        Ok(Self { revision, definitions })
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.definitions.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    pub(super) fn definition(&self, name: &str) -> Option<&Json> {
        self.definitions().find(|(key, _)| *key == name).map(|(_, schema)| schema)
    }

    /// One level of a schema, with references followed and intersections merged.
    pub(super) fn read<'a>(&'a self, schema: &'a Json) -> Schema<'a> {
        match reference(schema) {
            Some(name) => {
                let target = self.definitions().find(|(key, _)| *key == name);
                let (name, target) = target.expect("checked when the document was read");
                Schema { definition: Some(name), kind: self.read(target).kind }
            }
            None => Schema { definition: None, kind: self.kind(schema) },
        }
    }

    fn kind<'a>(&'a self, schema: &'a Json) -> Kind<'a> {
        if let Some(value) = schema.get("const") {
            return Kind::Values(vec![value]);
        }
        if let Some(values) = schema.get("enum") {
            return Kind::Values(values.elements().iter().collect());
        }
        if let Some(alternatives) = schema.get("anyOf") {
            return Kind::Union(alternatives.elements().iter().collect());
        }
        if let Some(parts) = schema.get("allOf") {
            return Kind::Object(self.merged(parts.elements()));
        }
        match schema.get("type") {
            Some(Json::String(kind)) if kind == "array" => Kind::Array(schema.get("items")),
            Some(Json::String(kind)) if kind == "object" => Kind::Object(object(schema)),
            Some(Json::String(kind)) => Kind::Scalar(BTreeSet::from([kind.as_str()])),
            Some(Json::Array(kinds)) => Kind::Scalar(kinds.iter().filter_map(Json::as_str).collect()),
            _ if schema.get("properties").is_some() => Kind::Object(object(schema)),
            _ => Kind::Any,
        }
    }

    fn merged<'a>(&'a self, parts: &'a [Json]) -> Object<'a> {
        let mut whole = Object::default();
        for part in parts {
            if let Kind::Object(part) = self.read(part).kind {
                whole.extend(part);
            }
        }
        whole
    }
}

impl<'a> Object<'a> {
    pub(super) fn property(&self, name: &str) -> Option<&Property<'a>> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Adds the properties of another schema of the same object. Of two for one name the later is the narrower.
    pub(super) fn extend(&mut self, other: Self) {
        for property in other.properties {
            match self.properties.iter_mut().find(|mine| mine.name == property.name) {
                Some(mine) => *mine = Property { required: mine.required || property.required, ..property },
                None => self.properties.push(property),
            }
        }
        self.additional = self.additional.or(other.additional);
    }
}

fn object(schema: &Json) -> Object<'_> {
    let required = schema.get("required").map(Json::elements).unwrap_or_default();
    let properties = schema.get("properties").map(Json::members).unwrap_or_default();
    Object {
        properties: properties
            .iter()
            .map(|(name, schema)| Property {
                name,
                required: required.iter().any(|required| required.as_str() == Some(name)),
                schema,
            })
            .collect(),
        additional: schema.get("additionalProperties").filter(|schema| **schema != Json::Bool(false)),
    }
}

fn reference(schema: &Json) -> Option<&str> {
    let path = schema.text("$ref")?;
    path.strip_prefix("#/$defs/").or_else(|| path.strip_prefix("#/definitions/"))
}

/// Everything must be understood, or something could go unread.
fn check_keywords(place: &str, schema: &Json, definitions: &[(String, Json)]) -> Result<(), String> {
    let members = match schema {
        Json::Object(members) => members,
        Json::Bool(_) => return Ok(()),
        _ => return Err(format!("{place}: is no schema")),
    };
    for (keyword, value) in members {
        let inner = |name: &str| format!("{place}.{name}");
        match keyword.as_str() {
            "properties" => {
                for (name, schema) in value.members() {
                    check_keywords(&inner(name), schema, definitions)?;
                }
            }
            "anyOf" | "allOf" => {
                for schema in value.elements() {
                    check_keywords(&inner(keyword), schema, definitions)?;
                }
            }
            "items" | "additionalProperties" => check_keywords(&inner(keyword), value, definitions)?,
            "$ref" => {
                let name = reference(schema).unwrap_or_default();
                if definitions.iter().all(|(definition, _)| definition != name) {
                    return Err(format!("{place}: refers to {value}, which is not there"));
                }
            }
            keyword if READ.contains(&keyword) || PASSED_OVER.contains(&keyword) => {}
            keyword => {
                return Err(format!("{place}: the keyword `{keyword}` is not known to `xtask schema`"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(definitions: &str) -> Result<Document, String> {
        Document::parse(Revision::ALL[0], &format!(r#"{{"definitions":{{{definitions}}}}}"#))
    }

    #[test]
    fn references_and_intersections_are_resolved() {
        let document = document(
            r##""A": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
                "B": {"allOf": [{"$ref": "#/definitions/A"}, {"type": "object", "properties": {"x": {"const": 7}, "y": {}}}]},
                "C": {"$ref": "#/definitions/B"}"##,
        )
        .unwrap();
        let schema = document.read(document.definition("C").unwrap());
        assert_eq!(schema.definition, Some("B"));
        let Kind::Object(object) = schema.kind else { panic!("{schema:?}") };
        let x = object.property("x").unwrap();
        assert!(x.required && matches!(document.read(x.schema).kind, Kind::Values(_)));
        assert!(matches!(document.read(object.property("y").unwrap().schema).kind, Kind::Any));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let refused = |definitions| document(definitions).err().unwrap();
        assert!(refused(r#""A": {"properties": {"x": {"not": {}}}}"#).contains("A.x: the keyword `not`"));
        assert!(refused(r##""A": {"$ref": "#/definitions/B"}"##).contains("not there"));
        assert!(refused(r#""A": 7"#).contains("no schema"));
        assert!(Document::parse(Revision::ALL[0], "{}").is_err());
    }
}
