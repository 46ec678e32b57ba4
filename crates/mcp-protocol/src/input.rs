//! Multi round-trip requests: the retry of a request, with the input that the server asked for.
//!
//! Section: [Multi Round-Trip Requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use bytes::Bytes;
use mcp_types::{
    Json, JsonObject,
    jsonrpc::scan::{Members, ScanError},
};

/// Methods whose result may be `input_required`. From any other method it is a fault of the server.
pub fn may_require_input(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// The params of a retry: those of the request before, with `responses` and `state` in place of what it carried of them.
///
/// The state is echoed as its raw JSON came; without one, none is sent.
///
/// # Errors
/// When `params` is no object.
pub fn retry_params(
    params: Option<&Bytes>,
    responses: Option<&JsonObject>,
    state: Option<&Json>,
) -> Result<Bytes, ScanError> {
    let params: &[u8] = params.map_or(b"{}", |params| params);
    let mut out = Vec::with_capacity(params.len() + 256);
    out.push(b'{');
    let mut separate = false;
    let mut member = |out: &mut Vec<u8>, key: &[u8], value: &[u8]| {
        if std::mem::replace(&mut separate, true) {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(key);
        out.extend_from_slice(b"\":");
        out.extend_from_slice(value);
    };
    for found in Members::of(params)? {
        let found = found?;
        let key = &params[found.key];
        if !matches!(key, b"inputResponses" | b"requestState") {
            member(&mut out, key, &params[found.value]);
        }
    }
    if let Some(responses) = responses {
        let text = serde_json::to_vec(responses).expect("raw JSON can be written");
        member(&mut out, b"inputResponses", &text);
    }
    if let Some(state) = state {
        member(&mut out, b"requestState", state.as_str().as_bytes());
    }
    out.push(b'}');
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(params: &str, responses: Option<&str>, state: Option<&str>) -> String {
        let responses = responses.map(|text| serde_json::from_str(text).unwrap());
        let state = state.map(|text| Json::from_text(text).unwrap());
        let params = Bytes::copy_from_slice(params.as_bytes());
        let out = retry_params(Some(&params), responses.as_ref(), state.as_ref()).unwrap();
        String::from_utf8(out.to_vec()).unwrap()
    }

    /// Field report P-13: the state goes back byte for byte, responses only when there are any.
    #[test]
    fn a_retry_carries_the_same_params() {
        let first = r#"{"_meta":{"a":1},"name":"t","arguments":{"x":1.50}}"#;
        assert_eq!(
            retry(first, None, Some(r#""s\u0074""#)),
            r#"{"_meta":{"a":1},"name":"t","arguments":{"x":1.50},"requestState":"s\u0074"}"#
        );
        let second = retry(first, Some(r#"{"k":{"action":"accept"}}"#), Some("\"one\""));
        assert_eq!(
            second,
            r#"{"_meta":{"a":1},"name":"t","arguments":{"x":1.50},"inputResponses":{"k":{"action":"accept"}},"requestState":"one"}"#
        );
        // What belonged to the round before does not stay.
        assert_eq!(retry(&second, None, None), first);
        assert_eq!(retry("{}", Some("{}"), None), r#"{"inputResponses":{}}"#);
    }
}
