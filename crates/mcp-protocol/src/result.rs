use std::sync::LazyLock;

use mcp_types::{jsonrpc::scan, read};
use memchr::memmem::Finder;

/// What a result says it is, by its `resultType`.
///
/// Section: [ResultType](https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultKind {
    /// `complete`, or no `resultType` at all: the result of the method.
    Complete,
    /// `input_required`: the server wants input first.
    InputRequired,
    /// Another text: an extension's result, or an invalid one.
    Other(String),
}

/// Reads the kind of a raw result without decoding it.
///
/// A `resultType` that is `null` is absent; one that is no string is invalid, and given as its JSON text.
pub fn result_kind(result: &[u8]) -> ResultKind {
    // A cheap search first: results that do not name it need not be read.
    static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"resultType\""));
    // As many servers write it.
    if let Some([b',' | b'}', ..]) = result.strip_prefix(br#"{"resultType":"complete""#) {
        return ResultKind::Complete;
    }
    if NAME.find(result).is_none() {
        return ResultKind::Complete;
    }
    let Some(value) = scan::member(result, "resultType") else {
        return ResultKind::Complete;
    };
    match &result[value] {
        br#""complete""# | b"null" => ResultKind::Complete,
        br#""input_required""# => ResultKind::InputRequired,
        other => match read::bytes(other) {
            Ok(text) => ResultKind::Other(text),
            Err(_) => ResultKind::Other(String::from_utf8_lossy(other).into_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field reports T-02 and P-13.
    #[test]
    fn the_kind_is_read_never_guessed() {
        assert_eq!(result_kind(br#"{"content":[]}"#), ResultKind::Complete);
        assert_eq!(result_kind(br#"{"resultType":"complete"}"#), ResultKind::Complete);
        assert_eq!(result_kind(br#"{"resultType":"complete","content":[]}"#), ResultKind::Complete);
        assert_eq!(result_kind(br#"{"resultType":"complete" }"#), ResultKind::Complete);
        assert_eq!(result_kind(br#"{"resultType":"completed"}"#), ResultKind::Other("completed".into()));
        assert_eq!(result_kind(br#"{"content":[],"resultType":null}"#), ResultKind::Complete);
        assert_eq!(
            result_kind(br#"{"content":[{"resultType":"no"}],"resultType":"complete"}"#),
            ResultKind::Complete
        );
        assert_eq!(
            result_kind(br#"{"resultType":"input_required","requestState":"s"}"#),
            ResultKind::InputRequired
        );
        assert_eq!(result_kind(br#"{"resultType":"later"}"#), ResultKind::Other("later".into()));
        assert_eq!(result_kind(br#"{"resultType":7}"#), ResultKind::Other("7".into()));
    }
}
