//! A JSON value that keeps what a comparison must see: the order of members, and every digit.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The member of an object. `None` on everything else.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The members of an object. Nothing else has any.
    pub(super) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array. Nothing else has any.
    pub(super) fn elements(&self) -> &[Self] {
        match self {
            Self::Array(elements) => elements,
            _ => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The string of member `name`.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    fn from_text(text: &str) -> serde_json::Result<Self> {
        Ok(match text.as_bytes().first() {
            Some(b'{') => Self::Object(serde_json::from_str::<Members>(text)?.0),
            Some(b'[') => Self::Array(serde_json::from_str(text)?),
            Some(b'"') => Self::String(serde_json::from_str(text)?),
            Some(b't' | b'f') => Self::Bool(serde_json::from_str(text)?),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.to_string()),
        })
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The text of each value, level by level: the only way to every digit without a parser of our own. A schema is
        // flat enough for it.
        let raw = <&RawValue>::deserialize(deserializer)?;
        Self::from_text(raw.get()).map_err(D::Error::custom)
    }
}

struct Members(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// On one line, without white space.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let string = |f: &mut fmt::Formatter<'_>, text: &str| {
            f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
        };
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(text) => f.write_str(text),
            Self::String(text) => string(f, text),
            Self::Array(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    element.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    string(f, name)?;
                    f.write_str(":")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_digits_survive() {
        let text = r#"{"z":[1.50,9007199254740993,-0,true,null],"a":{"":"\"\n"},"e":1e999}"#;
        let json = Json::parse(text).unwrap();
        assert_eq!(json.to_string(), text);
        assert_eq!(json.get("a").and_then(|a| a.text("")), Some("\"\n"));
        assert_ne!(Json::parse(r#"{"a":1,"b":2}"#), Json::parse(r#"{"b":2,"a":1}"#));
        assert_ne!(Json::parse("1.0"), Json::parse("1"));
        assert!(Json::parse("{\"a\":}").is_err());
    }
}
