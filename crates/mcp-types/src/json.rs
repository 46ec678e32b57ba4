use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

/// Open JSON, kept as the text it came in: member order, unknown keywords and every digit of a number survive.
///
/// Decode it with [`Json::decode`], make it with [`Json::encode`]. It can be a member of any struct that derives
/// serde's traits, but not of one that uses `#[serde(flatten)]`, `#[serde(tag)]` or `#[serde(untagged)]`: those
/// buffer through serde's own tree, which cannot hold raw text.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The JSON text of `value`.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON (a map whose keys are not strings, or its `Serialize` fails).
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes a JSON text as it is, after checking that it is one.
    ///
    /// # Errors
    /// When `text` is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// The text as it came.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// When the text is not a value of `T`; the error says where.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.as_str())
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
        if inner.contains('\\') {
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
        Self(raw)
    }
}

impl From<&JsonObject> for Json {
    fn from(object: &JsonObject) -> Self {
        Self::encode(object).expect("an object of JSON values can always be written as JSON")
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
        Self::encode(text).expect("a string can always be written as JSON")
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
        Self::encode(&value).expect("a boolean can always be written as JSON")
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::encode(&value).expect("an integer can always be written as JSON")
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::encode(&value).expect("an integer can always be written as JSON")
    }
}

/// The JSON number; `null` for what is no number.
impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::encode(&value).expect("a number can always be written as JSON")
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// An open JSON object: members in the order they came, each value as raw text.
///
/// Used where the schema is open: `_meta`, capabilities, arguments. Lookup is linear; such objects are small.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct JsonObject(Vec<(String, Json)>);

impl JsonObject {
    /// An object without members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of the member `key`. Of duplicates, the last one counts, as for most JSON readers.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets the member `key`: in place if it is there, otherwise at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: Json) {
        let key = key.into();
        match self.0.iter_mut().rev().find(|(name, _)| *name == key) {
            Some(member) => member.1 = value,
            None => self.0.push((key, value)),
        }
    }

    /// Takes the member `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().rposition(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl IntoIterator for JsonObject {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, const N: usize> From<[(K, Json); N]> for JsonObject {
    fn from(members: [(K, Json); N]) -> Self {
        members.into_iter().collect()
    }
}

impl<K: Into<String>> FromIterator<(K, Json)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(members: I) -> Self {
        Self(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = JsonObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(map.size_hint().unwrap_or(0).min(64));
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(JsonObject(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

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
