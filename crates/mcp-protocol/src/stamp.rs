use std::{io::Write, sync::LazyLock};

use bytes::Bytes;
use mcp_types::{
    JsonObject, Revision,
    jsonrpc::scan::{self, Members},
};
use memchr::memmem::Finder;
use serde_core::Serialize;

/// The members that every request of a connection carries in `_meta`, encoded once.
///
/// In the modern era: protocol version, client identity and client capabilities. In the legacy era: nothing.
///
/// Section: [Per-request protocol fields](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta).
#[derive(Debug, Clone, Default)]
pub struct Stamp {
    /// The inside of a JSON object: `"key":value,"key":value`.
    members: Box<[u8]>,
}

/// What goes into `_meta` of one request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Metadata<'a> {
    /// The token by which the server reports progress.
    pub progress_token: Option<i64>,
    /// Members of the caller's own. They win over the stamp's, except for the progress token.
    pub members: Option<&'a JsonObject>,
}

const PROGRESS_TOKEN: &str = "progressToken";

impl Stamp {
    /// The stamp of the modern era.
    ///
    /// # Errors
    /// When identity or capabilities cannot be written as JSON.
    pub fn modern(
        revision: Revision,
        client_info: &impl Serialize,
        capabilities: &impl Serialize,
    ) -> serde_json::Result<Self> {
        let mut out = Vec::new();
        out.extend_from_slice(b"\"io.modelcontextprotocol/protocolVersion\":");
        serde_json::to_writer(&mut out, revision.as_str())?;
        out.extend_from_slice(b",\"io.modelcontextprotocol/clientInfo\":");
        serde_json::to_writer(&mut out, client_info)?;
        out.extend_from_slice(b",\"io.modelcontextprotocol/clientCapabilities\":");
        serde_json::to_writer(&mut out, capabilities)?;
        Ok(Self { members: out.into() })
    }

    /// The stamp of the legacy era: none.
    pub fn legacy() -> Self {
        Self::default()
    }

    /// Whether it adds nothing.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Puts stamp and metadata into `params`, which is a JSON object or empty.
    ///
    /// Returns `None` when there is nothing to send. Members of a `_meta` that `params` already has are kept; of two
    /// members of one name the caller's counts, and the progress token of `metadata` before all.
    ///
    /// # Errors
    /// When `params` is neither empty nor an object.
    pub fn apply(&self, params: Bytes, metadata: Metadata<'_>) -> Result<Option<Bytes>, scan::ScanError> {
        static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"_meta\""));
        let nothing_to_add =
            self.members.is_empty() && metadata.progress_token.is_none() && metadata.members.is_none();
        if nothing_to_add {
            return Ok((!params.is_empty()).then_some(params));
        }
        // A cheap search first: most params have no `_meta`, and then nothing of them needs to be read.
        let existing = NAME.find(&params).and_then(|_| scan::member(&params, "_meta"));
        let start = if params.is_empty() {
            0
        } else {
            let start = scan::skip_space(&params, 0);
            if params.get(start) != Some(&b'{') {
                return Err(scan::ScanError { at: start, expected: "an object" });
            }
            start + 1
        };
        let mut out = Vec::with_capacity(params.len() + self.members.len() + 64);
        out.extend_from_slice(b"{\"_meta\":{");
        // A `_meta` that is no object, `null` say, is replaced.
        let members = existing.clone().map(|range| &params[range]).filter(|json| json.starts_with(b"{"));
        self.write_members(&mut out, metadata, members)?;
        out.push(b'}');
        match existing {
            None if params.is_empty() => out.push(b'}'),
            None => {
                let rest = scan::skip_space(&params, start);
                if params.get(rest) != Some(&b'}') {
                    out.push(b',');
                }
                out.extend_from_slice(&params[rest..]);
            }
            Some(_) => {
                for member in Members::of(&params)? {
                    let member = member?;
                    if &params[member.key.clone()] != b"_meta" {
                        out.extend_from_slice(b",\"");
                        out.extend_from_slice(&params[member.key]);
                        out.extend_from_slice(b"\":");
                        out.extend_from_slice(&params[member.value]);
                    }
                }
                out.push(b'}');
            }
        }
        Ok(Some(out.into()))
    }

    fn write_members(
        &self,
        out: &mut Vec<u8>,
        metadata: Metadata<'_>,
        existing: Option<&[u8]>,
    ) -> Result<(), scan::ScanError> {
        let mut list = MemberList { out, first: true };
        let callers = |key: &[u8]| {
            metadata
                .members
                .is_some_and(|members| std::str::from_utf8(key).is_ok_and(|key| members.get(key).is_some()))
        };
        if let Some(token) = metadata.progress_token {
            list.key(PROGRESS_TOKEN.as_bytes());
            write!(list.out, "{token}").expect("writing to memory");
        }
        for (key, value) in metadata.members.into_iter().flat_map(JsonObject::iter) {
            if metadata.progress_token.is_none() || key != PROGRESS_TOKEN {
                list.start();
                serde_json::to_writer(&mut *list.out, key).expect("writing a string to memory");
                list.out.push(b':');
                list.out.extend_from_slice(value.as_str().as_bytes());
            }
        }
        if let Some(existing) = existing {
            for member in Members::of(existing)? {
                let member = member?;
                let key = &existing[member.key];
                let ours = metadata.progress_token.is_some() && key == PROGRESS_TOKEN.as_bytes();
                if !ours && !callers(key) {
                    list.key(key);
                    list.out.extend_from_slice(&existing[member.value]);
                }
            }
        }
        if metadata.members.is_none() && existing.is_none() {
            if !self.members.is_empty() {
                list.start();
                list.out.extend_from_slice(&self.members);
            }
            return Ok(());
        }
        let stamp = [b"{", &self.members[..], b"}"].concat();
        for member in Members::of(&stamp)? {
            let member = member?;
            let key = &stamp[member.key];
            let taken = callers(key)
                || existing.is_some_and(|existing| {
                    std::str::from_utf8(key).is_ok_and(|key| scan::member(existing, key).is_some())
                });
            if !taken {
                list.key(key);
                list.out.extend_from_slice(&stamp[member.value]);
            }
        }
        Ok(())
    }
}

struct MemberList<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl MemberList<'_> {
    fn start(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// Writes a key that is already in its JSON form, less the quotes.
    fn key(&mut self, key: &[u8]) {
        self.start();
        self.out.push(b'"');
        self.out.extend_from_slice(key);
        self.out.extend_from_slice(b"\":");
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::Json;

    use super::*;

    fn apply(stamp: &Stamp, params: &str, metadata: Metadata<'_>) -> Option<String> {
        let bytes = stamp.apply(params.to_owned().into(), metadata).unwrap()?;
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Json::from_text(text.clone()).expect(&text);
        Some(text)
    }

    fn modern() -> Stamp {
        Stamp { members: (*b"\"v\":1,\"c\":{}").into() }
    }

    #[test]
    fn legacy_params_go_out_as_they_are() {
        assert_eq!(apply(&Stamp::legacy(), "", Metadata::default()), None);
        assert_eq!(apply(&Stamp::legacy(), r#"{"a":1}"#, Metadata::default()).unwrap(), r#"{"a":1}"#);
        let token = Metadata { progress_token: Some(7), members: None };
        assert_eq!(apply(&Stamp::legacy(), "", token).unwrap(), r#"{"_meta":{"progressToken":7}}"#);
    }

    #[test]
    fn the_stamp_is_spliced_in_front() {
        let none = Metadata::default();
        assert_eq!(apply(&modern(), "", none).unwrap(), r#"{"_meta":{"v":1,"c":{}}}"#);
        assert_eq!(apply(&modern(), "{ }", none).unwrap(), r#"{"_meta":{"v":1,"c":{}}}"#);
        assert_eq!(
            apply(&modern(), r#" {"a":"\"_meta\""}"#, none).unwrap(),
            r#"{"_meta":{"v":1,"c":{}},"a":"\"_meta\""}"#
        );
    }

    #[test]
    fn the_callers_members_win() {
        let members: JsonObject =
            [("c", Json::encode("mine").unwrap()), ("x", Json::encode(&1).unwrap())].into_iter().collect();
        let metadata = Metadata { progress_token: Some(3), members: Some(&members) };
        let params = r#"{"a":1,"_meta":{"progressToken":"old","v":9,"x":0,"y":2},"b":2}"#;
        assert_eq!(
            apply(&modern(), params, metadata).unwrap(),
            r#"{"_meta":{"progressToken":3,"c":"mine","x":1,"v":9,"y":2},"a":1,"b":2}"#
        );
    }

    #[test]
    fn metadata_that_is_no_object_is_replaced() {
        let none = Metadata::default();
        let stamped = apply(&modern(), r#"{"_meta":null,"a":1}"#, none).unwrap();
        assert_eq!(stamped, r#"{"_meta":{"v":1,"c":{}},"a":1}"#);
    }

    #[test]
    fn params_that_are_no_object_are_refused() {
        assert!(modern().apply("[1]".into(), Metadata::default()).is_err());
    }
}
