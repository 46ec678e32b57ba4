//! The subset of JSON Schema that an elicitation may ask for.
//!
//! Section: [Requested Schema](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema).

mod kinds;

pub use kinds::*;

use crate::{
    Json, JsonObject, JsonSchema, Map, UnknownObject,
    jsonrpc::scan,
    read::{self, Read, Reader},
    union::string_member,
    write::{self, Node, Write},
};

object! {
    /// A form: an object of simple members, in the order to show them.
    ///
    /// A typed view. Keywords that this crate does not know are in the [`JsonSchema`] that it was read from.
    pub struct ElicitationSchema [since V2025_06_18] tagged "type" = "object" {
        /// The members.
        properties: Map<PrimitiveSchemaDefinition>,
        /// The names of those that must be given.
        required? with_required: Vec<String>,
        /// The dialect. Absent means 2020-12.
        dialect? with_dialect as "$schema": String [since V2025_11_25],
    }
}

impl ElicitationSchema {
    /// Whether the member `name` must be given.
    pub fn is_required(&self, name: &str) -> bool {
        self.required.as_ref().is_some_and(|required| required.iter().any(|it| it == name))
    }

    /// The values of those members that have a default, in order.
    #[inline]
    pub fn defaults(&self) -> JsonObject {
        let mut defaults = JsonObject::new();
        for (name, member) in self.properties.iter() {
            if let Some(value) = member.default_value() {
                defaults.append(name.to_owned(), value);
            }
        }
        defaults
    }
}

impl From<ElicitationSchema> for JsonSchema {
    #[inline]
    fn from(schema: ElicitationSchema) -> Self {
        Self::try_from(Json::of(schema.node())).expect("a struct is written as an object")
    }
}

/// A member of a form. Told apart by `type`, and where that does not suffice, by the keywords that are there.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchemaDefinition {
    /// A text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of some values.
    UntitledSingleSelect(UntitledSingleSelectEnumSchema),
    /// One of some values with titles. Since 2025-11-25.
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    /// Several of some values. Since 2025-11-25.
    UntitledMultiSelect(UntitledMultiSelectEnumSchema),
    /// Several of some values with titles. Since 2025-11-25.
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    /// One of some values with titles, as it was written first.
    LegacyTitled(LegacyTitledEnumSchema),
    /// A kind that this crate does not know, kept whole.
    Unknown(UnknownObject),
}

impl PrimitiveSchemaDefinition {
    /// The name to show to people.
    #[inline]
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::String(schema) => schema.title.as_deref(),
            Self::Number(schema) => schema.title.as_deref(),
            Self::Boolean(schema) => schema.title.as_deref(),
            Self::UntitledSingleSelect(schema) => schema.title.as_deref(),
            Self::TitledSingleSelect(schema) => schema.title.as_deref(),
            Self::UntitledMultiSelect(schema) => schema.title.as_deref(),
            Self::TitledMultiSelect(schema) => schema.title.as_deref(),
            Self::LegacyTitled(schema) => schema.title.as_deref(),
            Self::Unknown(_) => None,
        }
    }

    /// What it is, for people.
    #[inline]
    pub fn description(&self) -> Option<&str> {
        match self {
            Self::String(schema) => schema.description.as_deref(),
            Self::Number(schema) => schema.description.as_deref(),
            Self::Boolean(schema) => schema.description.as_deref(),
            Self::UntitledSingleSelect(schema) => schema.description.as_deref(),
            Self::TitledSingleSelect(schema) => schema.description.as_deref(),
            Self::UntitledMultiSelect(schema) => schema.description.as_deref(),
            Self::TitledMultiSelect(schema) => schema.description.as_deref(),
            Self::LegacyTitled(schema) => schema.description.as_deref(),
            Self::Unknown(_) => None,
        }
    }

    /// The value to start with.
    #[inline]
    pub fn default_value(&self) -> Option<Json> {
        let texts = |values: &Vec<String>| Json::of(values.node());
        match self {
            Self::String(schema) => schema.default.as_deref().map(Json::from),
            Self::Number(schema) => schema.default.clone().map(Json::from),
            Self::Boolean(schema) => schema.default.map(Json::from),
            Self::UntitledSingleSelect(schema) => schema.default.as_deref().map(Json::from),
            Self::TitledSingleSelect(schema) => schema.default.as_deref().map(Json::from),
            Self::UntitledMultiSelect(schema) => schema.default.as_ref().map(texts),
            Self::TitledMultiSelect(schema) => schema.default.as_ref().map(texts),
            Self::LegacyTitled(schema) => schema.default.as_deref().map(Json::from),
            Self::Unknown(_) => None,
        }
    }
}

macro_rules! from_schemas {
    ($($variant:ident($ty:ty),)*) => {
        $(
            impl From<$ty> for PrimitiveSchemaDefinition {
                #[inline]
                fn from(schema: $ty) -> Self {
                    Self::$variant(schema)
                }
            }
        )*

        impl Write for PrimitiveSchemaDefinition {
            #[inline]
            fn node(&self) -> Node<'_> {
                match self {
                    $(Self::$variant(schema) => schema.node(),)*
                    Self::Unknown(object) => object.node(),
                }
            }
        }

        write::serialize_by_writing!(PrimitiveSchemaDefinition);
    };
}

from_schemas! {
    String(StringSchema),
    Number(NumberSchema),
    Boolean(BooleanSchema),
    UntitledSingleSelect(UntitledSingleSelectEnumSchema),
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    UntitledMultiSelect(UntitledMultiSelectEnumSchema),
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    LegacyTitled(LegacyTitledEnumSchema),
}

impl Read for PrimitiveSchemaDefinition {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let json = Json::read(reader)?;
        let kind = string_member(&json, "type")?.ok_or_else(|| reader.error("missing field `type`"))?;
        let text = json.as_str();
        let has = |key| is_set(text.as_bytes(), key);
        let items = scan::member(text.as_bytes(), "items").map(|range| &text.as_bytes()[range]);
        let items_have = |key| items.is_some_and(|items| is_set(items, key));
        Ok(match kind.as_str() {
            "string" if has("oneOf") => Self::TitledSingleSelect(read::value(&json)?),
            "string" if has("enumNames") => Self::LegacyTitled(read::value(&json)?),
            "string" if has("enum") => Self::UntitledSingleSelect(read::value(&json)?),
            "string" => Self::String(read::value(&json)?),
            "number" | "integer" => Self::Number(read::value(&json)?),
            "boolean" => Self::Boolean(read::value(&json)?),
            "array" if items_have("anyOf") => Self::TitledMultiSelect(read::value(&json)?),
            "array" if items_have("enum") => Self::UntitledMultiSelect(read::value(&json)?),
            _ => Self::Unknown(UnknownObject::from_text(kind, json)),
        })
    }
}

read::deserialize_by_reading!(PrimitiveSchemaDefinition);

fn is_set(object: &[u8], key: &str) -> bool {
    scan::member(object, key).is_some_and(|range| &object[range] != b"null")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PrimitiveSchemaDefinition {
        let schema: PrimitiveSchemaDefinition = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&schema).unwrap(), text);
        schema
    }

    #[test]
    fn every_kind_is_told_apart() {
        use PrimitiveSchemaDefinition as P;
        assert!(matches!(
            read(r#"{"type":"string","minLength":1,"format":"phone","default":"x"}"#),
            P::String(_)
        ));
        assert!(matches!(read(r#"{"type":"integer","minimum":9007199254740993}"#), P::Number(_)));
        assert!(matches!(read(r#"{"type":"number","default":1.50}"#), P::Number(_)));
        assert!(matches!(read(r#"{"type":"boolean","default":false}"#), P::Boolean(_)));
        assert!(matches!(read(r#"{"type":"string","enum":["a"]}"#), P::UntitledSingleSelect(_)));
        assert!(matches!(read(r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#), P::LegacyTitled(_)));
        assert!(matches!(
            read(r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#),
            P::TitledSingleSelect(_)
        ));
        assert!(matches!(
            read(r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1}"#),
            P::UntitledMultiSelect(_)
        ));
        assert!(matches!(
            read(r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":["a"]}"#),
            P::TitledMultiSelect(_)
        ));
        for unknown in [r#"{"type":"array","items":{"type":"number"}}"#, r#"{"type":"file","accept":["x"]}"#]
        {
            assert!(matches!(read(unknown), P::Unknown(_)), "{unknown}");
        }
        assert!(serde_json::from_str::<P>("{}").is_err());
    }

    /// Field report T-05.
    #[test]
    fn null_tells_no_kind() {
        use PrimitiveSchemaDefinition as P;
        let read = |text| serde_json::from_str(text).unwrap();
        assert!(matches!(
            read(r#"{"type":"string","enum":["a"],"enumNames":null}"#),
            P::UntitledSingleSelect(_)
        ));
        assert!(matches!(read(r#"{"type":"string","oneOf":null,"enum":null}"#), P::String(_)));
        assert!(matches!(
            read(r#"{"type":"array","items":{"type":"string","anyOf":null,"enum":["a"]}}"#),
            P::UntitledMultiSelect(_)
        ));
    }

    /// Field report T-06.
    #[test]
    fn defaults_keep_their_digits_and_order() {
        let schema = ElicitationSchema::new([
            (
                "z",
                PrimitiveSchemaDefinition::from(
                    NumberSchema::new(NumberKind::Integer).with_default(9_007_199_254_740_993_i64),
                ),
            ),
            ("a", StringSchema::new().with_default("x").into()),
            ("n", BooleanSchema::new().into()),
        ])
        .with_required(["z".to_owned()]);
        assert_eq!(Json::from(schema.defaults()).as_str(), r#"{"z":9007199254740993,"a":"x"}"#);
        assert!(schema.is_required("z") && !schema.is_required("a"));
        assert_eq!(
            JsonSchema::from(schema).as_json().as_str(),
            r#"{"type":"object","properties":{"z":{"type":"integer","default":9007199254740993},"a":{"type":"string","default":"x"},"n":{"type":"boolean"}},"required":["z"]}"#
        );
    }

    #[test]
    fn a_form_is_read_from_the_schema_of_a_request() {
        let schema = JsonSchema::from_text(
            r#"{"$schema":"d","type":"object","x-unknown":1,"properties":{"b":{"type":"boolean"},"a":{"type":"later"}},"required":null}"#,
        )
        .unwrap();
        let form: ElicitationSchema = schema.decode().unwrap();
        let names: Vec<_> = form.properties.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(form.dialect.as_deref(), Some("d"));
        assert_eq!(form.required, None);
    }
}
