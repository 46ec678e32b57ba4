use std::{fmt, marker::PhantomData};

use crate::{
    Json, JsonObject,
    jsonrpc::scan,
    read::{self, Read, Reader},
    write::{self, Node, Write},
};

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

    /// The whole object, that member included, as it came.
    pub fn json(&self) -> &Json {
        &self.json
    }

    pub(crate) const BLANK: Self = Self { kind: String::new(), json: Json::NULL };

    pub(crate) fn read(kind: String, reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(Self::from_text(kind, Json::read(reader)?))
    }

    pub(crate) fn from_text(kind: String, json: Json) -> Self {
        Self { kind, json }
    }
}

impl Write for UnknownObject {
    fn node(&self) -> Node<'_> {
        self.json.node()
    }
}

write::serialize_by_writing!(UnknownObject);

/// A struct with a constant member that says what it is.
pub(crate) trait Tagged {
    /// The value of that member.
    const TAG: &'static str;
}

/// The constant member itself.
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

/// The string member `key` of an object that is kept as text. `None` when it is absent, `null`, or the text is no object.
pub(crate) fn string_member(object: &Json, key: &str) -> read::Result<Option<String>> {
    let text = object.as_str();
    match scan::member(text.as_bytes(), key) {
        Some(range) => read::text(&text[range]),
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
