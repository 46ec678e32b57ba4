use std::fmt;

use serde_core::{de::DeserializeOwned, de::Error};

use crate::{
    Json, JsonObject,
    jsonrpc::scan,
    read::{self, Blank, Read, Reader},
    union::string_member,
    write,
};

/// A JSON Schema, carried as it came: member order, unknown keywords and every digit survive.
///
/// It is checked to be an object, nothing else; validating is the host's work. Without `$schema` the dialect is
/// 2020-12. Section: [JSON Schema Usage](https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage).
#[derive(Clone, PartialEq, Eq)]
pub struct JsonSchema(Json);

write::written_as!(JsonSchema: schema => &schema.0;);
write::serialize_by_writing!(JsonSchema);

/// The JSON value is not an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnObject;

impl JsonSchema {
    /// The schema of an object with any members: what a tool without parameters has.
    pub fn any_object() -> Self {
        Self(Json::from(&JsonObject::from([("type", Json::from("object"))])))
    }

    /// Takes a schema as JSON text.
    ///
    /// # Errors
    /// When `text` is not a JSON object.
    pub fn from_text(text: impl Into<String>) -> read::Result<Self> {
        Self::try_from(Json::from_text(text)?).map_err(read::Error::custom)
    }

    /// The schema as it came.
    pub fn as_json(&self) -> &Json {
        &self.0
    }

    /// The raw text of the top-level keyword `name`.
    pub fn keyword(&self, name: &str) -> Option<&str> {
        let text = self.0.as_str();
        scan::member(text.as_bytes(), name).map(|range| &text[range])
    }

    /// The dialect that the schema names in `$schema`.
    pub fn dialect(&self) -> Option<String> {
        string_member(&self.0, "$schema").ok().flatten()
    }

    /// Decodes the schema into a type of the caller.
    ///
    /// # Errors
    /// When the schema does not have the form of `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> read::Result<T> {
        self.0.decode()
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<JsonObject> for JsonSchema {
    fn from(object: JsonObject) -> Self {
        Self(Json::from(&object))
    }
}

impl From<JsonSchema> for Json {
    fn from(schema: JsonSchema) -> Self {
        schema.0
    }
}

impl TryFrom<Json> for JsonSchema {
    type Error = NotAnObject;

    fn try_from(json: Json) -> Result<Self, NotAnObject> {
        if json.is_object() { Ok(Self(json)) } else { Err(NotAnObject) }
    }
}

impl Read for JsonSchema {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Self::try_from(Json::read(reader)?).map_err(|error| reader.error(error))
    }
}

read::deserialize_by_reading!(JsonSchema);

impl Blank for JsonSchema {
    const BLANK: Self = Self(Json::NULL);
}

impl fmt::Display for NotAnObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Schema must be a JSON object")
    }
}

impl std::error::Error for NotAnObject {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report T-07.
    #[test]
    fn order_unknown_keywords_and_digits_survive() {
        let text = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"id":{"$anchor":"id","maximum":9223372036854775808}},"properties":{"z":{"$ref":"#id"},"a":true},"unevaluatedProperties":false,"x-unknown":{"enumNames":[]}}"##;
        let schema: JsonSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&schema).unwrap(), text);
        assert_eq!(schema.dialect().as_deref(), Some("https://json-schema.org/draft/2020-12/schema"));
        assert_eq!(schema.keyword("unevaluatedProperties"), Some("false"));
        assert_eq!(schema.keyword("$anchor"), None);
    }

    #[test]
    fn only_objects_are_schemas() {
        for text in ["null", "true", "[]", "\"object\"", "1"] {
            assert!(serde_json::from_str::<JsonSchema>(text).is_err(), "{text}");
        }
        assert_eq!(JsonSchema::any_object().as_json().as_str(), r#"{"type":"object"}"#);
    }
}
