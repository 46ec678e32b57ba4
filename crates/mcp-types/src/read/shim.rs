use std::{fmt, marker::PhantomData, str};

use serde_core::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, Visitor, value::BorrowedStrDeserializer},
};
use serde_json::value::RawValue;

use super::{Error, Read, Reader};
use crate::Json;

/// Decodes a JSON text, as [`serde_json::from_slice`] does and with the same outcome; faster when `T` is a type of this crate,
/// because that is read from the text as it stands. By any other way `serde_json` finds the end of the value first.
///
/// # Errors
/// As [`serde_json::from_slice`]. Text that is not UTF-8 is refused wherever it is.
pub fn decode<'de, T: Deserialize<'de>>(json: &'de [u8]) -> super::Result<T> {
    T::deserialize(Whole(json))
}

/// Reads a `T` from the whole of `text`.
///
/// # Errors
/// When the text is no `T`, or no JSON.
pub fn text<T: Read>(text: &str) -> super::Result<T> {
    let mut reader = Reader::new(text);
    match T::read(&mut reader) {
        Ok(value) => match reader.end() {
            Ok(()) => Ok(value),
            Err(error) => Err(blame(text, error)),
        },
        Err(error) => Err(blame(text, error)),
    }
}

/// Reads a `T` from a value that is known to be JSON.
pub(crate) fn value<T: Read>(json: &Json) -> super::Result<T> {
    T::read(&mut Reader::new(json.as_str()))
}

/// As [`text`], of text that may not be UTF-8.
///
/// # Errors
/// As [`text`], and when the text is not UTF-8.
pub fn bytes<T: Read>(json: &[u8]) -> super::Result<T> {
    text(utf8(json)?)
}

fn utf8(json: &[u8]) -> super::Result<&str> {
    str::from_utf8(json).map_err(|error| not_utf8(json, error))
}

/// What is wrong with the form of a text comes first, and is told by `serde_json`, who is more exact than [`Reader`].
#[cold]
#[inline(never)]
fn blame(text: &str, error: Error) -> Error {
    raw_value(text).err().unwrap_or(error)
}

/// The value that is the whole of `text`. Compiled here alone: where this was inlined, `serde_json`'s parser would be with it.
#[inline(never)]
pub(crate) fn raw_value(text: &str) -> super::Result<&RawValue> {
    Ok(serde_json::from_str(text)?)
}

/// What serde's `Deserialize` is for a type that can be [`Read`]: a text is found, and read. From JSON only.
///
/// # Errors
/// Those of the deserializer, and of reading.
pub fn deserialize<'de, T: Read, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(WHOLE, Shim(PhantomData))
}

/// Asks [`Whole`] for its text. Other deserializers see a newtype in it.
const WHOLE: &str = "$mcp_types::whole";

/// Generic over the deserializer alone.
fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    Box::<RawValue>::deserialize(deserializer)
}

struct Shim<T>(PhantomData<T>);

impl<'de, T: Read> Visitor<'de> for Shim<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        let raw = raw(deserializer)?;
        text(raw.get()).map_err(D::Error::custom)
    }

    fn visit_borrowed_str<E: serde_core::de::Error>(self, whole: &'de str) -> Result<T, E> {
        text(whole).map_err(E::custom)
    }
}

/// By which `serde_json` knows a raw value.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// A raw value as `serde_json` hands it over: as a map of one entry. Not by `serde_json` itself: it would be compiled again for
/// each type of this crate, none of which ever comes here.
struct RawEntry<'de>(Option<&'de str>);

impl<'de> MapAccess<'de> for RawEntry<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> super::Result<Option<K::Value>> {
        self.0.map(|_| seed.deserialize(BorrowedStrDeserializer::new(RAW_VALUE))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> super::Result<V::Value> {
        seed.deserialize(BorrowedStrDeserializer::new(self.0.take().unwrap_or_default()))
    }
}

/// The value that is the whole of `json`.
#[inline(never)]
fn whole(json: &[u8]) -> super::Result<&str> {
    raw_value(utf8(json)?).map(RawValue::get)
}

/// A text that is one value.
struct Whole<'de>(&'de [u8]);

macro_rules! pass_on {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> super::Result<V::Value> {
            let mut deserializer = serde_json::Deserializer::from_str(utf8(self.0)?);
            let value = deserializer.$method($($argument,)* visitor)?;
            deserializer.end()?;
            Ok(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for Whole<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> super::Result<V::Value> {
        match name {
            WHOLE => visitor.visit_borrowed_str(utf8(self.0)?),
            RAW_VALUE => visitor.visit_map(RawEntry(Some(whole(self.0)?))),
            // What is within is read from the same text.
            _ => visitor.visit_newtype_struct(self),
        }
    }

    pass_on! {
        deserialize_any() deserialize_bool() deserialize_char() deserialize_str() deserialize_string()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_bytes() deserialize_byte_buf()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

#[cold]
#[inline(never)]
fn not_utf8(text: &[u8], error: str::Utf8Error) -> Error {
    let good = str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default();
    let mut reader = Reader::new(good);
    reader.skip_all();
    reader.error("invalid unicode code point")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputRequiredResult, List, ListToolsResult, jsonrpc::scan::BLOCK};

    fn agrees<T: for<'a> Deserialize<'a> + fmt::Debug + PartialEq>(text: &str) -> super::super::Result<T> {
        let (decoded, expected) = (decode::<T>(text.as_bytes()), serde_json::from_str::<T>(text));
        match (&decoded, &expected) {
            (Ok(decoded), Ok(expected)) => assert_eq!(decoded, expected),
            (Err(decoded), Err(expected)) => assert_eq!(decoded.to_string(), expected.to_string()),
            _ => panic!("{decoded:?}, but {expected:?}"),
        }
        decoded
    }

    #[test]
    fn good_and_bad_lists_come_out_as_always() {
        let good = r#"{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"c"}"#;
        assert_eq!(agrees::<ListToolsResult>(good).unwrap().tools.len(), 1);
        let mixed = r#"{"tools":[{"name":"a","inputSchema":{}},{"name":7},{"name":"b","inputSchema":{},"icons":[1,{"src":"s"}]}]}"#;
        let tools = agrees::<ListToolsResult>(mixed).unwrap().tools;
        assert_eq!((tools.len(), tools.rejected().len()), (2, 1));
        assert_eq!(tools[1].icons.as_ref().unwrap().rejected().len(), 1);
        assert!(agrees::<ListToolsResult>(r#"{"tools":null}"#).unwrap().tools.is_empty());
        for bad in ["{", "[]", r#"{"tools":{}}"#, r#"{"nextCursor":"c"}"#, r#"{"tools":[]} x"#] {
            agrees::<ListToolsResult>(bad).unwrap_err();
        }
    }

    /// An error that is taken for absence must not hide that a list was given up too early.
    #[test]
    fn a_bad_element_below_a_lenient_member_is_still_kept_beside() {
        let text = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":
            {"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"t"}},7]}}}}"#;
        agrees::<InputRequiredResult>(text).unwrap();
    }

    #[test]
    fn raw_values_and_newtypes_are_read_too() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Newtype<T>(T);
        agrees::<Newtype<ListToolsResult>>(r#"{"tools":[]}"#).unwrap();
        agrees::<Newtype<Newtype<u8>>>("7").unwrap();
        agrees::<Newtype<u8>>("7 8").unwrap_err();
        agrees::<Newtype<String>>("7").unwrap_err();
        for text in ["[1, 2.50 ]", " {} ", "[1", "1 2"] {
            let raw = decode::<Box<RawValue>>(text.as_bytes()).map(|raw| raw.get().to_owned());
            let expected = serde_json::from_str::<Box<RawValue>>(text).map(|raw| raw.get().to_owned());
            assert_eq!(raw.map_err(|error| error.to_string()), expected.map_err(|error| error.to_string()));
            let raw = decode::<&RawValue>(text.as_bytes()).map(RawValue::get);
            assert_eq!(raw.is_ok(), serde_json::from_str::<&RawValue>(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_long_string_is_what_serde_json_reads_wherever_its_escapes_are() {
        let compare = |json: &str| {
            let read = text::<String>(json);
            let expected = serde_json::from_str::<String>(json);
            let outcomes = (read.as_ref().err(), expected.as_ref().err());
            assert!(read.as_ref().ok() == expected.as_ref().ok(), "{outcomes:?}");
            read.is_ok()
        };
        // Blocks count from the quote, and from the end of each escape.
        for near in BLOCK - 3..=BLOCK + 2 {
            let fillers = ["x".repeat(near), format!("{}é", "x".repeat(near - 1)), "é".repeat(near / 2)];
            for escape in [r"\n", r#"\""#, r"\\", r"\u00e9", r"\ud83d\ude00"] {
                for filler in &fillers {
                    assert!(compare(&format!(
                        "\"{filler}{escape}{filler}{filler}{escape}{escape}{filler}\""
                    )));
                }
            }
            for wrong in ["\n", "\0", r"\x", r"\ud83d"] {
                assert!(!compare(&format!("\"{}{wrong}{}\"", fillers[1], fillers[0])));
            }
            assert!(!compare(&format!("\"{}\\", fillers[0])));
        }
    }

    #[test]
    fn one_decodes_within_another() {
        #[derive(Debug, PartialEq)]
        struct Within(List<u8>);
        impl<'de> Deserialize<'de> for Within {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                decode(text.as_bytes()).map(Self).map_err(serde_core::de::Error::custom)
            }
        }
        let lists = agrees::<List<Within>>(r#"["[1,-1]","[2]",3]"#).unwrap();
        assert_eq!((lists.len(), lists.rejected().len(), lists[0].0.rejected().len()), (2, 1, 1));
    }
}
