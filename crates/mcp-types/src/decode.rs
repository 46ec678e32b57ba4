use std::cell::Cell;

use serde::Deserialize;

/// Decodes a JSON text, as [`serde_json::from_slice`] does and with the same outcome, but in one pass over each [`List`] as
/// long as all of its elements are good.
///
/// A list on its own cannot go back to an element that failed, so it keeps the text of the whole list until it has read
/// it. This function has the text: it reads without that, and starts again where an element was bad.
///
/// # Errors
/// As [`serde_json::from_slice`].
///
/// [`List`]: crate::List
pub fn decode<'de, T: Deserialize<'de>>(json: &'de [u8]) -> serde_json::Result<T> {
    let outer = Restore(READING.replace(Reading::Once));
    let read = serde_json::from_slice(json);
    if READING.get() != Reading::Failed {
        return read;
    }
    READING.set(Reading::Twice);
    drop(read);
    let read = serde_json::from_slice(json);
    drop(outer);
    read
}

/// How lists are read on this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The text is kept, for a second look at its elements.
    Twice,
    /// Whoever asked for it goes on when an element is bad.
    Once,
    /// As before, and one was bad. Whoever decodes with patience may have hidden that.
    Failed,
}

thread_local! {
    static READING: Cell<Reading> = const { Cell::new(Reading::Twice) };
}

/// Also when decoding panics.
struct Restore(Reading);

impl Drop for Restore {
    fn drop(&mut self) {
        READING.set(self.0);
    }
}

/// Whether a list may be read without keeping its text. Then [`bad_element`] must be called when it fails.
pub(crate) fn may_fail() -> bool {
    READING.get() != Reading::Twice
}

pub(crate) fn bad_element() {
    READING.set(Reading::Failed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputRequiredResult, List, ListToolsResult};

    fn agrees<T: for<'a> Deserialize<'a> + std::fmt::Debug + PartialEq>(text: &str) -> serde_json::Result<T> {
        let (decoded, expected) = (decode::<T>(text.as_bytes()), serde_json::from_str::<T>(text));
        match (&decoded, &expected) {
            (Ok(decoded), Ok(expected)) => assert_eq!(decoded, expected),
            (Err(decoded), Err(expected)) => assert_eq!(decoded.to_string(), expected.to_string()),
            _ => panic!("{decoded:?}, but {expected:?}"),
        }
        assert!(!may_fail());
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
    fn one_decodes_within_another() {
        #[derive(Debug, PartialEq)]
        struct Within(List<u8>);
        impl<'de> Deserialize<'de> for Within {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                decode(text.as_bytes()).map(Self).map_err(serde::de::Error::custom)
            }
        }
        let lists = agrees::<List<Within>>(r#"["[1,-1]","[2]",3]"#).unwrap();
        assert_eq!((lists.len(), lists.rejected().len(), lists[0].0.rejected().len()), (2, 1, 1));
    }
}
