use std::fmt;

use serde_core::{Deserialize, Deserializer};

use crate::{
    Meta,
    read::{self, Read, Reader},
    write,
};

/// A place in a paged list. Opaque: the empty text is a cursor too, and only absence ends a list.
///
/// Section: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor(String);

write::written_as!(Cursor: cursor => &cursor.0;);
write::serialize_by_writing!(Cursor);

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl Cursor {
    /// The text, as the server wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Cursor {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Cursor {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Read for Cursor {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(Self(String::read(reader)?))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

object! {
    /// Parameters of the requests that list something page by page.
    #[derive(Default)]
    pub struct PaginatedRequestParams [for servers] {
        /// Where to go on: the `nextCursor` of the page before. Absent asks for the first page.
        cursor? with_cursor: Cursor,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report T-05.
    #[test]
    fn the_first_page_is_asked_for_without_members() {
        assert_eq!(serde_json::to_string(&PaginatedRequestParams::new()).unwrap(), "{}");
    }

    #[test]
    fn the_empty_text_is_a_cursor() {
        let params = PaginatedRequestParams::new().with_cursor("");
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(text, r#"{"cursor":""}"#);
        assert_eq!(serde_json::from_str::<PaginatedRequestParams>(&text).unwrap(), params);
    }
}
