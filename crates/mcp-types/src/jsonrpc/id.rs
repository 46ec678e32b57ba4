use std::{borrow::Cow, fmt, hash};

use serde_core::{Serialize, Serializer};

use crate::{
    Json,
    number::signed,
    read::{self, Blank, Read, Reader},
    write,
};

/// The id of a request: a string or an integer.
///
/// An id is echoed as it came, type and digits included; numbers that are no 64-bit integer (`7.0`, `2e3`, 2^64) and
/// strings with escapes keep their text.
#[derive(Clone)]
pub struct RequestId(Repr);

/// The token that ties `notifications/progress` to a request: a string or an integer.
///
/// Section: [Progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProgressToken(RequestId);

#[derive(Clone)]
enum Repr {
    Integer(i64),
    /// The JSON token as it came: a quoted string, or a number that does not fit `Integer`.
    Text(Box<str>),
}

impl RequestId {
    /// The id, if it was written as a 64-bit integer.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Integer(number) => Some(number),
            Repr::Text(_) => None,
        }
    }

    /// The decoded id, if it is a string.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        match &self.0 {
            Repr::Text(text) if text.starts_with('"') => Some(unquote(text)),
            _ => None,
        }
    }

    /// The number of ours that this id answers to: itself, or the canonical decimal string of it (some servers echo
    /// `7` as `"7"`; `"07"`, `"7.0"` and `7.5` are not ours).
    pub fn answers_to(&self) -> Option<i64> {
        match &self.0 {
            Repr::Integer(number) => Some(*number),
            Repr::Text(text) => {
                let digits = text.strip_prefix('"')?.strip_suffix('"')?;
                let number = signed(digits)?;
                (!digits.starts_with('+') && number.to_string() == digits).then_some(number)
            }
        }
    }

    /// Takes one JSON token: a number or a quoted string. `None` for anything else.
    pub fn from_token(token: &str) -> Option<Self> {
        match token.as_bytes().first()? {
            b'"' => {
                // The token may come from the scanner, which takes what is between two quotes.
                if token.bytes().any(|byte| byte == b'\\' || byte < b' ') {
                    read::text::<String>(token).ok()?;
                }
                Some(Self(Repr::Text(token.into())))
            }
            b'-' | b'0'..=b'9' => match signed(token) {
                Some(number) if token != "-0" => Some(Self(Repr::Integer(number))),
                _ => {
                    read::text::<Json>(token).ok()?;
                    Some(Self(Repr::Text(token.into())))
                }
            },
            _ => None,
        }
    }
}

fn unquote(token: &str) -> Cow<'_, str> {
    let inner = &token[1..token.len() - 1];
    if inner.as_bytes().contains(&b'\\') {
        read::text(token).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}

/// As JSON: `7` or `"seven"`.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Integer(number) => number.fmt(f),
            Repr::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Integer(a), Repr::Integer(b)) => a == b,
            (Repr::Text(a), Repr::Text(b)) => {
                a == b || (a.starts_with('"') && b.starts_with('"') && unquote(a) == unquote(b))
            }
            _ => false,
        }
    }
}

impl Eq for RequestId {}

impl hash::Hash for RequestId {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Integer(number) => number.hash(state),
            Repr::Text(text) if text.starts_with('"') => unquote(text).hash(state),
            Repr::Text(text) => text.hash(state),
        }
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self(Repr::Integer(number))
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self(Repr::Text(Json::from(text).as_str().into()))
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Integer(number) => serializer.serialize_i64(*number),
            Repr::Text(text) => {
                read::raw_value(text).map_err(serde_core::ser::Error::custom)?.serialize(serializer)
            }
        }
    }
}

impl Read for RequestId {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Self::from_token(reader.raw()?.get())
            .ok_or_else(|| reader.error("an id must be a string or an integer"))
    }
}

read::deserialize_by_reading!(RequestId, ProgressToken);

impl Read for ProgressToken {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(Self(RequestId::read(reader)?))
    }
}

impl Blank for RequestId {
    const BLANK: Self = Self(Repr::Integer(0));
}

impl Blank for ProgressToken {
    const BLANK: Self = Self(RequestId::BLANK);
}

impl ProgressToken {
    /// The token, if it was written as a 64-bit integer.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    /// The decoded token, if it is a string.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        self.0.as_str()
    }

    /// As [`RequestId::answers_to`].
    pub fn answers_to(&self) -> Option<i64> {
        self.0.answers_to()
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T: Into<RequestId>> From<T> for ProgressToken {
    fn from(token: T) -> Self {
        Self(token.into())
    }
}

write::written_as!(ProgressToken: token => &token.0;);
write::serialize_by_writing!(ProgressToken);

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report T-08.
    #[test]
    fn ids_are_echoed_as_they_came() {
        for token in [
            "7",
            "-1",
            "0",
            "9007199254740993",
            "18446744073709551615",
            "7.0",
            "2e3",
            "-0",
            "\"abc\"",
            "\"7\"",
            r#""a\u0062\n""#,
        ] {
            let id: RequestId = serde_json::from_str(token).unwrap();
            assert_eq!(id.to_string(), token);
            assert_eq!(serde_json::to_string(&id).unwrap(), token);
        }
        for token in ["null", "true", "{}", "[1]"] {
            assert!(serde_json::from_str::<RequestId>(token).is_err(), "{token}");
        }
    }

    /// Field report T-08.
    #[test]
    fn only_a_canonical_decimal_string_answers_to_our_number() {
        let answers = |token: &str| serde_json::from_str::<RequestId>(token).unwrap().answers_to();
        assert_eq!(answers("7"), Some(7));
        assert_eq!(answers("\"7\""), Some(7));
        for token in ["\"07\"", "\"7.0\"", "7.5", "7.0", "\" 7\"", "\"+7\"", "\"\"", r#""\u0037""#] {
            assert_eq!(answers(token), None, "{token}");
        }
    }

    #[test]
    fn equality_is_of_the_value_and_its_type() {
        let id = |token: &str| serde_json::from_str::<RequestId>(token).unwrap();
        assert_eq!(id(r#""\u0061""#), id("\"a\""));
        assert_ne!(id("7"), id("\"7\""));
        assert_eq!(RequestId::from("a\"b"), id(r#""a\"b""#));
    }
}
