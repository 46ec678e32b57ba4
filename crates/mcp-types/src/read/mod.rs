//! How the types of this crate are read: one reader over text, and code that is compiled once. Also for types of your own, and
//! for pieces of JSON of which little is wanted; what implements serde's `Deserialize` is read with [`decode`].
//!
//! serde's derive makes a visitor for each struct, and each of them is compiled again for every kind of deserializer and in
//! every crate that decodes. Here a struct is a list of names and a slot for each member; what walks them is not generic.
//! `serde_json` still reads what takes care: raw values, escapes, numbers.

mod error;
mod names;
mod reader;
mod shim;
mod slot;

pub use error::Error;
pub use reader::Reader;
pub use shim::{bytes, decode, deserialize, text};

pub(crate) use shim::{raw_value, value};

pub(crate) use names::{Layout, Names, encoded, encoded_length, names};
pub(crate) use slot::{Blank, Lenient, LenientInteger, Maybe, OneOrList, Present, Slot, Tag, needed};

use crate::{
    Json, JsonObject, List,
    number::{signed, unsigned},
};

/// What reading gives.
pub type Result<T> = std::result::Result<T, Error>;

/// What can be read from JSON text.
///
/// ```
/// use mcp_types::read::{self, Read, Reader};
///
/// #[derive(Default)]
/// struct Point {
///     x: i64,
///     label: Option<String>,
/// }
///
/// impl Read for Point {
///     fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
///         let mut point = Self::default();
///         reader.entries("a point", &mut |name, reader| match &*name {
///             "x" => i64::read(reader).map(|x| point.x = x),
///             "label" => Read::read(reader).map(|label| point.label = label),
///             _ => reader.skip(),
///         })?;
///         Ok(point)
///     }
/// }
///
/// let point: Point = read::text(r#"{"x": 3, "y": [1], "label": null}"#)?;
/// assert_eq!((point.x, point.label), (3, None));
/// # Ok::<_, read::Error>(())
/// ```
pub trait Read: Sized {
    /// Reads one value. After an error the place of the reader means nothing.
    ///
    /// # Errors
    /// When the value that comes next is none of these, or no JSON.
    fn read(reader: &mut Reader<'_>) -> Result<Self>;
}

/// Implements serde's `Deserialize` for types that can be [`Read`].
macro_rules! deserialize_by_reading {
    ($($name:ty),*) => {$(
        impl<'de> serde_core::Deserialize<'de> for $name {
            fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::read::deserialize(deserializer)
            }
        }
    )*};
}
pub(crate) use deserialize_by_reading;

/// `null` reads as `None`.
impl<T: Read> Read for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        if reader.null() { Ok(None) } else { T::read(reader).map(Some) }
    }
}

impl Read for String {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.string().map(std::borrow::Cow::into_owned)
    }
}

impl Read for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.boolean()
    }
}

impl Read for u64 {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.integer("u64", unsigned)
    }
}

impl Read for i64 {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.integer("i64", signed)
    }
}

/// To the last digit.
impl Read for f64 {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        match reader.number().map(str::parse::<Self>) {
            Some(Ok(value)) if value.is_finite() => Ok(value),
            Some(_) => Err(reader.error("number out of range")),
            None => Err(reader.error("expected a number")),
        }
    }
}

impl Read for Json {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.raw().map(|raw| Self::from(raw.to_owned()))
    }
}

impl<V: Read> Read for crate::Map<V> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut entries = Vec::new();
        reader.entries("a JSON object", &mut |key, reader| {
            entries.push((key.into_owned(), V::read(reader)?));
            Ok(())
        })?;
        Ok(entries.into())
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut list = Self::new();
        reader.elements(&mut |reader| {
            list.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(list)
    }
}

/// Good elements and bad ones, in one pass. `null` reads as an empty list.
impl<T: Read> Read for List<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut elements = Vec::new();
        let rejected = reader.good_elements(&mut |reader| {
            let element = T::read(reader)?;
            if elements.capacity() == 0 {
                // Without room for more: most lists of large elements, what a tool gives, have one.
                elements.reserve_exact(1);
            }
            elements.push(element);
            Ok(())
        })?;
        Ok(Self::from_parts(elements, rejected))
    }
}

/// An object whose known members are all optional. Members that are not known, or of another kind, go into `extra`.
pub(crate) fn open(
    reader: &mut Reader<'_>,
    names: &'static str,
    slots: &mut [&mut dyn Slot],
    extra: &mut JsonObject,
) -> Result<()> {
    let mut names = Names::of(names);
    reader.entries("a JSON object", &mut |key, reader| {
        let raw = reader.raw()?;
        let known =
            names.find(&key).is_some_and(|place| slots[place].fill(&mut Reader::new(raw.get())).is_ok());
        if !known {
            extra.append(key.into_owned(), Json::from(raw.to_owned()));
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::{CallToolResult, Implementation, ListToolsResult, Tool};

    /// What `serde_json` takes for JSON is taken here, and nothing else.
    #[test]
    fn the_grammar_is_that_of_json() {
        let good = r#" { "name" : "a\u00e9\ud83d\ude00\"" , "version":"é😀","x":[1,{"y":[]}, -0.5e+3,true,null] , "icons":[ ] } "#;
        let read: Implementation = serde_json::from_str(good).unwrap();
        assert_eq!((read.name.as_str(), read.version.as_str()), ("aé😀\"", "é😀"));
        for bad in [
            r#"{"name":"a","version":"b",}"#,
            r#"{"name":"a" "version":"b"}"#,
            r#"{,"name":"a","version":"b"}"#,
            r#"{"name":"a","version":"b"}}"#,
            r#"{"name":"a","version":"b"} x"#,
            r#"{"name":"a","version":"b"#,
            r#"{"name":"a","version":"b","x":[1,]}"#,
            r#"{"name":"a","version":"b","icons":[,]}"#,
            r#"{"name":"a","version":"b","icons":[{"src":"s"}{"src":"s"}]}"#,
            r#"{"name":"a","version":"b","icons":[{"src":"s"},]}"#,
            r#"{"name":"a","version":"b","x":01}"#,
            r#"{"name":"a","version":"b","x":tru}"#,
            r#"{"name":"a","version":"\x"}"#,
            r#"{"name":"a","version":"\ud800"}"#,
            "{\"name\":\"a\",\"version\":\"b\nc\"}",
            r#"{name:"a","version":"b"}"#,
            r#"{"name":"a","version":nul}"#,
            "",
        ] {
            let error = crate::decode::<Implementation>(bad.as_bytes()).unwrap_err();
            let expected = serde_json::from_str::<serde_core::de::IgnoredAny>(bad);
            if let Err(expected) = expected {
                assert_eq!(error.to_string(), expected.to_string(), "{bad}");
            }
            assert!(serde_json::from_str::<Implementation>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "-0", "7", "-12", "0.5", "-0.25e-3", "1E5", "1e+2", "10.0"] {
            assert_eq!(crate::read::text::<f64>(text).ok(), text.parse::<f64>().ok(), "{text}");
        }
        for text in [
            "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e2", "inf", "NaN", "0x1", "1 2", "\"1\"",
            "1e999",
        ] {
            assert!(crate::read::text::<f64>(text).is_err(), "{text}");
        }
        for text in ["0", "18446744073709551615"] {
            assert_eq!(crate::read::text::<u64>(text).unwrap().to_string(), text);
        }
        for text in ["-1", "1.0", "1e3", "01", "18446744073709551616", "null"] {
            assert!(crate::read::text::<u64>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_may_have_escapes_and_stand_once() {
        let read: Implementation = serde_json::from_str(r#"{"n\u0061me":"a","version":"b"}"#).unwrap();
        assert_eq!(read.name, "a");
        let error = serde_json::from_str::<Implementation>(r#"{"name":"a","version":"b","name":"c"}"#);
        assert!(error.unwrap_err().to_string().starts_with("duplicate field `name`"));
        let error = serde_json::from_str::<Tool>(r#"{"name":"a","input_schema":{}}"#).unwrap_err();
        assert!(error.to_string().starts_with("missing field `inputSchema`"), "{error}");
    }

    #[test]
    fn text_that_is_no_utf_8_is_refused() {
        let error = crate::decode::<Implementation>(b"{\"name\":\"\xff\",\"version\":\"1\"}").unwrap_err();
        assert_eq!(error.to_string(), "invalid unicode code point at line 1 column 9");
    }

    #[test]
    fn errors_say_where() {
        let text = "{\"content\":[],\n \"isError\": 7}";
        let error = crate::decode::<CallToolResult>(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "invalid type: integer `7`, expected a boolean at line 2 column 13");
        assert_eq!(serde_json::from_str::<CallToolResult>(text).unwrap_err().to_string(), error);
    }

    #[test]
    fn a_bad_element_says_where_it_is_bad() {
        let text = "{\"tools\":[{\"name\":\"a\",\n\"inputSchema\":{}},{\"name\":\n7}]}";
        let list: ListToolsResult = crate::decode(text.as_bytes()).unwrap();
        assert_eq!(list.tools.len(), 1);
        let [rejected] = list.tools.rejected() else { panic!("{:?}", list.tools.rejected()) };
        assert_eq!(rejected.reason, "invalid type: integer `7`, expected a string at line 2 column 1");
        assert_eq!(rejected.json.as_str(), "{\"name\":\n7}");
    }
}
