use std::fmt;

use serde_core::{Deserialize, Deserializer};

use crate::{
    Json,
    read::{self, Blank, Maybe, Read, Reader},
    write::{self, Members, Node, Write},
};

/// A JSON-RPC error code. Any integer may come; the constants are those that the specification names.
///
/// Section: [Error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// Invalid JSON was received.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method does not exist or is not available.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// Invalid method parameters. In the modern era also: unknown tool, prompt, resource or cursor.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// Internal error of the peer.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// Resource not found. Until 2025-11-25; later servers answer [`Self::INVALID_PARAMS`].
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// HTTP headers do not match the body. Since 2026-07-28.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare. Since 2026-07-28.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The server does not support the requested protocol version. Since 2026-07-28.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// The client must first complete an elicitation in URL mode. 2025-11-25 only.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
}

write::written_as!(ErrorCode: code => &code.0;);
write::serialize_by_writing!(ErrorCode);
write::serialize_by_members!(JsonRpcError);

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The `error` object of a response. Schema: `Error`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonRpcError {
    /// What kind of error.
    pub code: ErrorCode,
    /// A short description, from the peer: show it as untrusted text. Empty when the peer leaves it out.
    pub message: String,
    /// More about the error, as the peer defines it.
    pub data: Option<Json>,
}

impl JsonRpcError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same error with `data`.
    pub fn with_data(mut self, data: Json) -> Self {
        self.data = Some(data);
        self
    }

    /// The standard answer to a method that nobody serves.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }
}

impl Read for JsonRpcError {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let mut error = Self::BLANK;
        reader.object(
            &read::Layout {
                what: "JsonRpcError",
                names: read::names!("code", "message", "data"),
                needed: read::needed(&[true]),
            },
            &mut [&mut error.code.0, &mut Maybe(&mut error.message), &mut error.data],
        )?;
        Ok(error)
    }
}

impl Blank for JsonRpcError {
    const BLANK: Self = Self { code: ErrorCode(0), message: String::new(), data: None };
}

read::deserialize_by_reading!(JsonRpcError);

impl Members for JsonRpcError {
    fn visit(&self, each: &mut dyn FnMut(&str, Node<'_>)) {
        each("code", self.code.node());
        each("message", Node::Text(&self.message));
        if let Some(data) = &self.data {
            each("data", Node::Json(data));
        }
    }
}

impl fmt::Display for JsonRpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", Shown(&self.message), self.code)
    }
}

impl std::error::Error for JsonRpcError {}

/// Text of a peer, as it may be shown: control characters but line breaks and tabs are escaped, and a long text is cut.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(pub &'a str);

impl Shown<'_> {
    /// How many characters of a text are shown.
    pub const LIMIT: usize = 4096;
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shown, c) in self.0.chars().enumerate() {
            if shown == Self::LIMIT {
                return f.write_str("…");
            }
            if c.is_control() && !matches!(c, '\n' | '\t') {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                fmt::Write::write_char(f, c)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quirk 18. Field report T-05.
    #[test]
    fn zero_is_a_code_and_a_message_may_be_missing() {
        for text in [r#"{"code":0}"#, r#"{"code":0,"message":null,"data":null}"#] {
            let error: JsonRpcError = serde_json::from_str(text).unwrap();
            assert_eq!(error, JsonRpcError::new(ErrorCode(0), ""));
        }
    }

    #[test]
    fn text_of_a_peer_cannot_command_a_terminal() {
        let error = JsonRpcError::new(ErrorCode(1), "a\u{1b}[31mb\r\nc");
        assert_eq!(error.to_string(), "a\\u{1b}[31mb\\u{d}\nc (code 1)");
        assert!(Shown(&"x".repeat(1 << 20)).to_string().len() < 5000);
    }
}
