//! Header fields of the modern era, which must say what the body says.
//!
//! Section: [Server Validation](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation).

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use mcp_types::{
    CallToolRequest, GetPromptRequest, Json, ReadResourceRequest, Request, jsonrpc::JsonRpcRequest, meta::key,
};

use crate::demo::methods::Params;

pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// How the fields differ from what the request says.
pub(super) fn check(headers: &HeaderMap, request: &JsonRpcRequest<Bytes>) -> Result<(), String> {
    let params = Params::new(request.params.clone());
    let meta = params.meta();
    let version = meta.get(key::PROTOCOL_VERSION).and_then(Json::as_string);
    compare(headers, &VERSION, version.as_deref().unwrap_or_default(), str::to_owned)?;
    compare(headers, &METHOD, &request.method, str::to_owned)?;
    let subject = match request.method.as_ref() {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.text("name"),
        ReadResourceRequest::METHOD => params.text("uri"),
        _ => None,
    };
    match subject {
        Some(subject) => compare(headers, &NAME, &subject, decode),
        None => Ok(()),
    }
}

fn compare<T: Into<Option<String>>>(
    headers: &HeaderMap,
    name: &HeaderName,
    expected: &str,
    decode: impl Fn(&str) -> T,
) -> Result<(), String> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(format!("`{name}` must be there, once"));
    };
    match value.to_str().ok().and_then(|value| decode(value).into()) {
        Some(value) if value == expected => Ok(()),
        Some(value) => Err(format!("`{name}` says {value:?}, the body {expected:?}")),
        None => Err(format!("`{name}` cannot be read")),
    }
}

/// Section: [Value Encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).
fn decode(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(base64(encoded)?).ok(),
        None => Some(value.to_owned()),
    }
}

/// The bytes behind Base64 with its padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in digits.bytes() {
        bits = bits << 6 | u32::from(digit(byte)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification.
    #[test]
    fn encoded_values_are_read() {
        for (encoded, text) in [
            ("us-west1", Some("us-west1")),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", Some("Hello, \u{4e16}\u{754c}")),
            ("=?base64?IHBhZGRlZCA=?=", Some(" padded ")),
            ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", Some("=?base64?literal?=")),
            ("=?base64??=", Some("")),
            ("=?BASE64?fw==?=", Some("=?BASE64?fw==?=")),
            ("=?base64?fw?=", None),
            ("=?base64?fx==?=", None),
            ("=?base64?f-==?=", None),
            ("=?base64?/w==?=", None),
        ] {
            assert_eq!(decode(encoded).as_deref(), text, "{encoded}");
        }
    }
}
