use std::{borrow::Cow, fmt};

use serde_core::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    Map,
    write::{Node, Write},
};

/// Open JSON, kept as the text it came in: member order, unknown keywords and every digit of a number survive.
///
/// Decode it with [`Json::decode`], make it with [`Json::encode`]. It can be a member of any struct that derives
/// serde's traits, but not of one that uses `#[serde(flatten)]`, `#[serde(tag)]` or `#[serde(untagged)]`: those
/// buffer through serde's own tree, which cannot hold raw text.
#[derive(Clone)]
pub struct Json(
    /// `None` is `null`, for which nothing is allocated.
    Option<Box<RawValue>>,
);

impl Json {
    /// The JSON value `null`.
    pub const NULL: Self = Self(None);

    /// The JSON text of `value`.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON (a map whose keys are not strings, or its `Serialize` fails).
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// What a type of this crate is written as.
    pub(crate) fn of(node: Node<'_>) -> Self {
        Self::encode(&node).expect("types of the schema can always be written as JSON")
    }

    /// Takes a JSON text as it is, after checking that it is one.
    ///
    /// # Errors
    /// When `text` is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> crate::read::Result<Self> {
        Ok(RawValue::from_string(text.into()).map(Self::from)?)
    }

    /// The text as it came.
    pub fn as_str(&self) -> &str {
        self.raw().get()
    }

    fn raw(&self) -> &RawValue {
        match &self.0 {
            Some(raw) => raw,
            None => RawValue::NULL,
        }
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// When the text is not a value of `T`; the error says where.
    pub fn decode<T: DeserializeOwned>(&self) -> crate::read::Result<T> {
        crate::decode(self.as_str().as_bytes())
    }

    /// Whether this is the JSON value `null`.
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// Whether this is a JSON object.
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }

    /// The decoded text, if this is a JSON string.
    pub fn as_string(&self) -> Option<Cow<'_, str>> {
        let text = self.as_str();
        let inner = text.strip_prefix('"')?.strip_suffix('"')?;
        if inner.as_bytes().contains(&b'\\') {
            serde_json::from_str(text).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inner))
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Equal when the texts are equal: no numbers are compared by value, no members reordered.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        Self(Some(raw))
    }
}

impl From<&JsonObject> for Json {
    fn from(object: &JsonObject) -> Self {
        Self::of(object.node())
    }
}

impl From<JsonObject> for Json {
    fn from(object: JsonObject) -> Self {
        Self::from(&object)
    }
}

/// The JSON string.
impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::of(Node::Text(text))
    }
}

/// The JSON string.
impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::of(Node::Flag(value))
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::of(Node::Signed(value))
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::of(Node::Unsigned(value))
    }
}

/// The JSON number; `null` for what is no number.
impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::of(Node::Float(value))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// An open JSON object: members in the order they came, each value as raw text.
///
/// Used where the schema is open: `_meta`, capabilities, arguments. Lookup is linear; such objects are small.
pub type JsonObject = Map<Json>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_order_survive() {
        let text = r#"{"z":9007199254740993,"a":9223372036854775808,"m":{"y":1.50,"x":[]}}"#;
        let object: JsonObject = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), text);
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
    }

    #[test]
    fn insert_keeps_the_place_of_a_member() {
        let mut object: JsonObject = serde_json::from_str(r#"{"a":1,"b":2}"#).unwrap();
        object.insert("a", Json::encode(&3).unwrap());
        object.insert("c", Json::encode("x").unwrap());
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"a":3,"b":2,"c":"x"}"#);
        assert_eq!(object.remove("b").unwrap().as_str(), "2");
        assert_eq!(object.get("c").unwrap().as_string().unwrap(), "x");
    }
}
