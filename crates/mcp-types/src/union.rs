use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{Json, JsonObject, jsonrpc::scan};

/// An object of a kind that this crate does not know, kept whole, with its kind readable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownObject {
    kind: String,
    json: Json,
}

impl UnknownObject {
    /// An object whose member `key`, put first, says that it is a `kind`.
    pub fn new(key: &str, kind: impl Into<String>, members: &JsonObject) -> Self {
        let kind = kind.into();
        let mut text = ObjectText::new();
        text.member(key, &quoted(&kind));
        for (name, value) in members.iter().filter(|(name, _)| *name != key) {
            text.member(name, value.as_str());
        }
        Self { json: text.finish(), kind }
    }

    /// What the member that tells the kind says, for example the `type` of a content block.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The whole object, that member included. White space between members may differ from what came.
    pub fn json(&self) -> &Json {
        &self.json
    }

    pub(crate) fn from_text(kind: String, json: Json) -> Self {
        Self { kind, json }
    }
}

impl Serialize for UnknownObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

/// A struct with a constant member that says what it is.
pub(crate) trait Tagged {
    /// The value of that member.
    const TAG: &'static str;
}

/// The constant member itself. Absent reads as right, so that a union can read it before the struct.
pub(crate) struct Tag<T>(PhantomData<T>);

impl<T> Tag<T> {
    /// `key` is the name of the member; it is given for the reader of the code only.
    pub(crate) const fn of(_key: &'static str) -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for Tag<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T> Clone for Tag<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<T> PartialEq for Tag<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Tag<T> {}

impl<T: Tagged> fmt::Debug for Tag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::TAG)
    }
}

impl<T: Tagged> Serialize for Tag<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(T::TAG)
    }
}

impl<'de, T: Tagged> Deserialize<'de> for Tag<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Exact<T>(PhantomData<T>);
        impl<T: Tagged> Visitor<'_> for Exact<T> {
            type Value = Tag<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", T::TAG)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Tag<T>, E> {
                if text == T::TAG {
                    Ok(Tag(PhantomData))
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
                }
            }
        }
        deserializer.deserialize_str(Exact(PhantomData))
    }
}

/// What the first look at an object of a union has found.
pub(crate) enum Head<'de> {
    /// The tag came first; the map still holds the other members.
    First(Cow<'de, str>),
    /// It came later, or not at all: the whole object, and the tag.
    Later(Option<String>, Json),
}

/// Finds the tag of an object. One pass when it comes first, which is how nearly everybody writes it; then nothing is
/// copied.
pub(crate) fn head<'de, A: MapAccess<'de>>(map: &mut A, key: &str) -> Result<Head<'de>, A::Error> {
    let mut text = ObjectText::new();
    let mut tag = None;
    while let Some(name) = map.next_key_seed(Name { tag: key })? {
        if name.is_none() && text.is_empty() {
            return map.next_value_seed(Text).map(Head::First);
        }
        let value: Box<RawValue> = map.next_value()?;
        if name.is_none() {
            tag = Some(serde_json::from_str(value.get()).map_err(A::Error::custom)?);
        }
        text.member(name.as_deref().unwrap_or(key), value.get());
    }
    Ok(Head::Later(tag, text.finish()))
}

/// The name of a member: `None` if it is the tag.
struct Name<'a> {
    tag: &'a str,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<String>, E> {
        Ok((text != self.tag).then(|| text.to_owned()))
    }
}

/// A string, borrowed where it stands in the text as it is.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_string(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// The rest of an object of an unknown kind whose tag came first.
pub(crate) fn unknown<'de, A: MapAccess<'de>>(
    mut map: A,
    key: &str,
    kind: String,
) -> Result<UnknownObject, A::Error> {
    let mut text = ObjectText::new();
    text.member(key, &quoted(&kind));
    while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
        text.member(&name, value.get());
    }
    Ok(UnknownObject { kind, json: text.finish() })
}

/// The string member `key` of an object that is kept as text. `None` when it is absent, `null`, or the text is no object.
pub(crate) fn string_member(object: &Json, key: &str) -> serde_json::Result<Option<String>> {
    let text = object.as_str();
    match scan::member(text.as_bytes(), key) {
        Some(range) => serde_json::from_str(&text[range]),
        None => Ok(None),
    }
}

/// An object, written member by member from raw values.
struct ObjectText(String);

impl ObjectText {
    fn new() -> Self {
        Self(String::new())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn member(&mut self, name: &str, value: &str) {
        self.0.push(if self.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self.0.push_str(value);
    }

    fn finish(mut self) -> Json {
        self.0.push_str(if self.is_empty() { "{}" } else { "}" });
        Json::from_text(self.0).expect("made of JSON strings and JSON values")
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string can always be written as JSON")
}
