//! Header fields: what the user may set, and what mirrors a message.

use std::borrow::Cow;

use http::{HeaderName, HeaderValue, header};
use mcp_param_headers::is_param_field;
use mcp_transport::{Delivery, RawMessage, TransportError, TransportErrorKind};
use mcp_types::{Era, Revision, jsonrpc::scan, meta};

pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Fields that the transport sets, or that belong to the connection.
const RESERVED: [HeaderName; 16] = [
    PROTOCOL_VERSION,
    METHOD,
    NAME,
    SESSION_ID,
    LAST_EVENT_ID,
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::HOST,
    header::TE,
    header::UPGRADE,
    header::EXPECT,
];

/// A field of the user for every request.
pub(crate) fn fixed_field(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TransportError> {
    let (name, value) = field(name, value)?;
    if is_param_field(name.as_str()) {
        return Err(unusable(&format!("the header field `{name}` mirrors an argument of a single call")));
    }
    Ok((name, value))
}

/// A field that comes with a message.
pub(crate) fn field(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TransportError> {
    let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
        return Err(unusable(&format!("`{}` is no name of a header field", name.escape_debug())));
    };
    if RESERVED.contains(&parsed) {
        return Err(unusable(&format!("the header field `{parsed}` is set by the transport")));
    }
    let Ok(mut value) = HeaderValue::from_str(value) else {
        return Err(unusable(&format!("the value of the header field `{parsed}` cannot be sent")));
    };
    value.set_sensitive(true);
    Ok((parsed, value))
}

fn unusable(why: &str) -> TransportError {
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, why.to_owned())
}

/// What of a message stands in header fields too.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Mirrored<'a> {
    /// The revision that the message names in its metadata: messages of the modern era do.
    pub(crate) version: Option<Cow<'a, str>>,
    /// The tool, prompt, resource or task that it is about.
    pub(crate) name: Option<Cow<'a, str>>,
}

impl<'a> Mirrored<'a> {
    pub(crate) fn of(message: &'a RawMessage) -> Self {
        let (Some(method), Some(params)) = (message.method(), message.body()) else { return Self::default() };
        let subject = subject(method);
        let mut mirrored = Self::default();
        let Ok(members) = scan::Members::of(params) else { return mirrored };
        for member in members.map_while(Result::ok) {
            let key = &params[member.key];
            if key == b"_meta" {
                let metadata = &params[member.value];
                let version = scan::member(metadata, meta::key::PROTOCOL_VERSION);
                mirrored.version = version.and_then(|range| text(&metadata[range]));
            } else if subject.is_some_and(|subject| key == subject.as_bytes()) {
                mirrored.name = text(&params[member.value]);
            }
            if mirrored.version.is_some() && (mirrored.name.is_some() || subject.is_none()) {
                break;
            }
        }
        mirrored
    }

    /// Whether the message names a revision that is not one of the legacy era.
    pub(crate) fn is_modern(&self) -> bool {
        let Some(version) = &self.version else { return false };
        Revision::from_wire(version).is_none_or(|revision| revision.era() == Era::Modern)
    }
}

/// The member of `params` that `Mcp-Name` mirrors.
fn subject(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// The string that `token` is.
fn text(token: &[u8]) -> Option<Cow<'_, str>> {
    let inner = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        serde_json::from_slice(token).ok().map(Cow::Owned)
    } else {
        std::str::from_utf8(inner).ok().map(Cow::Borrowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirrored(method: &'static str, params: &str) -> (Option<String>, Option<String>) {
        let message = RawMessage::request(1, method, Some(params.to_owned().into()));
        let mirrored = Mirrored::of(&message);
        (mirrored.version.map(Cow::into_owned), mirrored.name.map(Cow::into_owned))
    }

    #[test]
    fn version_and_subject_are_read_off_the_message() {
        let meta = r#""_meta":{"x":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let version = || Some("2026-07-28".to_owned());
        let call = format!(r#"{{"arguments":{{"name":"no","_meta":{{}}}},{meta},"name":"a\u0062\n"}}"#);
        assert_eq!(mirrored("tools/call", &call), (version(), Some("ab\n".into())));
        let read = format!(r#"{{"uri":"file:///a%20b",{meta}}}"#);
        assert_eq!(mirrored("resources/read", &read), (version(), Some("file:///a%20b".into())));
        assert_eq!(mirrored("tasks/get", r#"{"taskId":"t"}"#), (None, Some("t".into())));
        assert_eq!(mirrored("tools/list", &format!(r#"{{"name":"no",{meta}}}"#)), (version(), None));
        for odd in [
            "[]",
            "{",
            r#"{"name":7,"_meta":[]}"#,
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}"#,
        ] {
            assert_eq!(mirrored("tools/call", odd), (None, None), "{odd}");
        }
    }

    /// Field report H-09.
    #[test]
    fn required_fields_cannot_be_replaced_by_accident() {
        for name in ["accept", "Accept", "CONTENT-TYPE", "Mcp-Session-Id", "mcp-protocol-version", "Host"] {
            let error = field(name, "x").unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Configuration, "{name}");
            assert_eq!(error.delivery(), Delivery::NeverSent);
        }
        assert!(field("a b", "x").is_err() && field("", "x").is_err());
        let error = field("x-api-key", "secret\r\nx: y").unwrap_err();
        assert!(!format!("{error:?}").contains("secret"));
        let (name, value) = field("X-Api-Key", "k").unwrap();
        assert_eq!((name.as_str(), format!("{value:?}").as_str()), ("x-api-key", "Sensitive"));
    }
}
