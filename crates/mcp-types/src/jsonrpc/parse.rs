use std::{fmt, sync::Arc};

use super::{
    Extra, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, MethodName, RequestId,
    scan::{self, Members, ScanError},
};
use crate::{Json, method::method, read};

/// What one frame holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// One message.
    Single(JsonRpcMessage<&'a [u8]>),
    /// A JSON-RPC batch (revision 2025-03-26 only): each element parsed by itself.
    Batch(Vec<Result<JsonRpcMessage<&'a [u8]>, ParseError>>),
}

/// Why a frame is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is not JSON (or ends too early). Offset in bytes, and what was expected there.
    NotJson {
        /// Offset in bytes.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// The text is JSON, but not a JSON-RPC 2.0 message.
    NotAMessage(&'static str),
    /// An envelope member stands twice, differs from a known one by case only, or is written with escapes: two readers
    /// could see two different messages, so none is taken.
    Ambiguous(&'static str),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { at, expected } => write!(f, "not JSON: expected {expected} at byte {at}"),
            Self::NotAMessage(why) => write!(f, "JSON, but not a JSON-RPC message: {why}"),
            Self::Ambiguous(member) => write!(f, "ambiguous envelope member `{member}`"),
        }
    }
}

impl std::error::Error for ParseError {}

impl From<ScanError> for ParseError {
    fn from(error: ScanError) -> Self {
        Self::NotJson { at: error.at, expected: error.expected }
    }
}

/// Parses the envelope of one frame in a single pass; bodies are borrowed, not decoded.
///
/// Members may come in any order, unknown ones are kept. `null` reads as absent on optional members.
///
/// # Errors
/// [`ParseError`] when the frame is no message; nothing of it should be used then.
pub fn parse(frame: &[u8]) -> Result<Incoming<'_>, ParseError> {
    let start = scan::skip_space(frame, 0);
    match frame.get(start) {
        Some(b'{') => {
            let (message, end) = parse_object(&frame[start..])?;
            expect_end(frame, start + end)?;
            Ok(Incoming::Single(message?))
        }
        Some(b'[') => parse_batch(frame, start),
        _ => {
            let end = scan::skip_value(frame, start)?;
            expect_end(frame, end)?;
            if read::bytes::<Json>(frame).is_err() {
                return Err(ParseError::NotJson { at: start, expected: "a value" });
            }
            Err(ParseError::NotAMessage("no object"))
        }
    }
}

fn expect_end(frame: &[u8], at: usize) -> Result<(), ParseError> {
    let at = scan::skip_space(frame, at);
    if at == frame.len() { Ok(()) } else { Err(ParseError::NotJson { at, expected: "the end" }) }
}

/// The longest id and method, in bytes.
const MAX_NAME: usize = 1024;

/// The most unknown members of an envelope.
const MAX_EXTRA: usize = 64;

/// An element takes more memory than its text, so a long list of short ones must not be taken for a batch.
const MAX_BATCH: usize = 10_000;

fn parse_batch(frame: &[u8], start: usize) -> Result<Incoming<'_>, ParseError> {
    let mut messages = Vec::new();
    let mut at = scan::skip_space(frame, start + 1);
    if frame.get(at) == Some(&b']') {
        return Err(ParseError::NotAMessage("an empty batch"));
    }
    loop {
        if messages.len() == MAX_BATCH {
            return Err(ParseError::NotAMessage("a batch of more than 10,000 elements"));
        }
        let end = scan::skip_value(frame, at)?;
        messages.push(match frame[at] {
            b'{' => parse_object(&frame[at..end]).and_then(|(message, _)| message),
            _ => Err(ParseError::NotAMessage("a batch element that is no object")),
        });
        at = scan::skip_space(frame, end);
        match frame.get(at) {
            Some(b',') => at = scan::skip_space(frame, at + 1),
            Some(b']') => break,
            _ => {
                return Err(ParseError::NotJson { at, expected: "`,` or `]`" });
            }
        }
    }
    expect_end(frame, at + 1)?;
    Ok(Incoming::Batch(messages))
}

#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a [u8]>,
    id: Option<&'a [u8]>,
    method: Option<&'a [u8]>,
    params: Option<&'a [u8]>,
    result: Option<&'a [u8]>,
    error: Option<&'a [u8]>,
}

const KNOWN: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

type Parsed<'a> = Result<JsonRpcMessage<&'a [u8]>, ParseError>;

/// The outer error: the text does not scan. The inner one: it does, but is no message. The offset is behind the object.
fn parse_object(bytes: &[u8]) -> Result<(Parsed<'_>, usize), ParseError> {
    let mut envelope = Envelope::default();
    let mut extra = Vec::new();
    let mut ambiguous = None;
    let mut members = Members::of(bytes)?;
    for member in members.by_ref() {
        let member = member?;
        let key = &bytes[member.key];
        let value = &bytes[member.value];
        let slot = match key {
            b"jsonrpc" => &mut envelope.jsonrpc,
            b"id" => &mut envelope.id,
            b"method" => &mut envelope.method,
            b"params" => &mut envelope.params,
            b"result" => &mut envelope.result,
            b"error" => &mut envelope.error,
            _ => {
                if extra.len() == MAX_EXTRA {
                    return Err(ParseError::NotAMessage("too many unknown members"));
                }
                match unknown_member(key) {
                    Ok(name) => extra.push((name, value)),
                    Err(name) => ambiguous = Some(name),
                }
                continue;
            }
        };
        if slot.replace(value).is_some() {
            ambiguous = KNOWN.into_iter().find(|name| name.as_bytes() == key);
        }
    }
    let parsed = match ambiguous {
        Some(name) => Err(ParseError::Ambiguous(name)),
        None => assemble(&envelope, (!extra.is_empty()).then(|| Arc::new(extra))),
    };
    Ok((parsed, members.position()))
}

/// The name of a member that is not one of the envelope's, or the known one that a second reader may take it for.
fn unknown_member(key: &[u8]) -> Result<String, &'static str> {
    let name = String::from_utf8_lossy(key);
    let decoded = if key.contains(&b'\\') {
        read::text::<String>(&format!("\"{name}\"")).unwrap_or_default()
    } else {
        name.clone().into_owned()
    };
    let bare = decoded.trim_matches(|c: char| c.is_control() || c.is_whitespace());
    match KNOWN.into_iter().find(|known| is_folded(known, bare)) {
        Some(known) => Err(known),
        None => Ok(decoded),
    }
}

/// Whether `name` is `known` to a reader that does not tell upper case from lower.
fn is_folded(known: &str, name: &str) -> bool {
    name.chars().map(ascii_of).eq(known.chars())
}

/// The small letter of ASCII that a letter becomes, through upper case or lower: there are three beside those of ASCII.
fn ascii_of(letter: char) -> char {
    match letter {
        '\u{131}' => 'i',
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => letter.to_ascii_lowercase(),
    }
}

fn assemble<'a>(envelope: &Envelope<'a>, extra: Extra<&'a [u8]>) -> Parsed<'a> {
    if envelope.jsonrpc != Some(b"\"2.0\"") {
        return Err(ParseError::NotAMessage("`jsonrpc` is not \"2.0\""));
    }
    let present = |member: Option<&'a [u8]>| member.filter(|value| *value != b"null");
    let id = match present(envelope.id) {
        None => None,
        // It is echoed, so a peer could make us hold it many times over.
        Some(token) if token.len() > MAX_NAME => return Err(ParseError::NotAMessage("`id` is too long")),
        Some(token) => Some(
            std::str::from_utf8(token)
                .ok()
                .and_then(RequestId::from_token)
                .ok_or(ParseError::NotAMessage("`id` is neither a string nor a number"))?,
        ),
    };
    if let Some(name) = envelope.method {
        if name.len() > MAX_NAME {
            return Err(ParseError::NotAMessage("`method` is too long"));
        }
        if present(envelope.result).is_some() || present(envelope.error).is_some() {
            return Err(ParseError::NotAMessage("both a method and an outcome"));
        }
        let method = method_name(name).ok_or(ParseError::NotAMessage("`method` is not a string"))?;
        let params = present(envelope.params);
        return Ok(match id {
            Some(id) => JsonRpcMessage::Request(JsonRpcRequest { id, method, params, extra }),
            None => JsonRpcMessage::Notification(JsonRpcNotification { method, params, extra }),
        });
    }
    let outcome = match (envelope.result, present(envelope.error)) {
        (Some(result), Some(_)) if result != b"null" => {
            return Err(ParseError::NotAMessage("both `result` and `error`"));
        }
        (_, Some(error)) => Err(error),
        (Some(result), None) => Ok(result),
        (None, None) => return Err(ParseError::NotAMessage("no method, result or error")),
    };
    if id.is_none() && outcome.is_ok() {
        return Err(ParseError::NotAMessage("a result without an id"));
    }
    Ok(JsonRpcMessage::Response(JsonRpcResponse { id, outcome, extra }))
}

fn method_name(token: &[u8]) -> Option<MethodName> {
    let inner = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return read::bytes::<String>(token).ok().map(MethodName::Owned);
    }
    let name = std::str::from_utf8(inner).ok()?;
    Some(match method(name) {
        Some(info) => MethodName::Borrowed(info.name),
        None => MethodName::Owned(name.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(text: &str) -> Result<JsonRpcMessage<&[u8]>, ParseError> {
        match parse(text.as_bytes())? {
            Incoming::Single(message) => Ok(message),
            Incoming::Batch(_) => panic!("a batch"),
        }
    }

    #[test]
    fn every_kind_of_message_in_any_order() {
        let request =
            single(r#" {"params":{"a":[1]},"id":"x","method":"tools/list","jsonrpc":"2.0","trace":7} "#);
        let JsonRpcMessage::Request(request) = request.unwrap() else { panic!() };
        assert_eq!(request.method, "tools/list");
        assert_eq!(request.params, Some(&br#"{"a":[1]}"#[..]));
        assert_eq!(*request.extra.unwrap(), [("trace".to_owned(), &b"7"[..])]);

        let JsonRpcMessage::Notification(note) =
            single(r#"{"jsonrpc":"2.0","method":"x/y","params":null,"id":null}"#).unwrap()
        else {
            panic!()
        };
        assert_eq!((note.method.as_ref(), note.params), ("x/y", None));

        let JsonRpcMessage::Response(response) =
            single(r#"{"error":{"code":0},"result":null,"jsonrpc":"2.0","id":null}"#).unwrap()
        else {
            panic!()
        };
        assert_eq!((response.id, response.outcome), (None, Err(&br#"{"code":0}"#[..])));

        let JsonRpcMessage::Response(response) =
            single(r#"{"error":null,"result":{},"jsonrpc":"2.0","id":7}"#).unwrap()
        else {
            panic!()
        };
        assert_eq!((response.id, response.outcome), (Some(7.into()), Ok(&b"{}"[..])));
    }

    /// Advisories GHSA-wvj2-96wp-fq3f and GHSA-q382-vc8q-7jhj.
    #[test]
    fn ambiguous_members_are_refused() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"METHOD":"a"}"#,
            r#"{"jsonrpc":"2.0","id":1,"re\u0073ult":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"id\u0000":2}"#,
            // The Kelvin sign and the long s fold to ASCII letters.
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"param\u{17f}\":2}",
        ] {
            assert!(matches!(single(text), Err(ParseError::Ambiguous(_))), "{text}: {:?}", single(text));
        }
    }

    #[test]
    fn every_letter_folds_as_unicode_says() {
        for letter in char::MIN..=char::MAX {
            let folded = letter.to_string().to_lowercase().to_uppercase().to_ascii_lowercase();
            let expected = folded.chars().next().filter(|c| folded.len() == 1 && c.is_ascii_lowercase());
            let ascii = Some(ascii_of(letter)).filter(char::is_ascii_lowercase);
            assert_eq!(ascii, expected, "{letter:?}");
        }
    }

    /// Field report S-04.
    #[test]
    fn text_json_and_messages_are_told_apart() {
        for text in [
            "hello",
            "",
            "{\"half\":",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} trailing",
            "nonsense",
            "[1",
            "{]",
        ] {
            assert!(matches!(single(text), Err(ParseError::NotJson { .. })), "{text}: {:?}", single(text));
        }
        for text in [
            "42",
            "\"x\"",
            "null",
            "{}",
            "[]",
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\tb\",\"result\":{}}",
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        ] {
            assert!(matches!(single(text), Err(ParseError::NotAMessage(_))), "{text}: {:?}", single(text));
        }
    }

    #[test]
    fn an_endless_batch_takes_no_memory() {
        let text = format!("[{}1]", "1,".repeat(1_000_000));
        assert_eq!(
            parse(text.as_bytes()),
            Err(ParseError::NotAMessage("a batch of more than 10,000 elements"))
        );
    }

    #[test]
    fn a_batch_is_split_and_judged_by_element() {
        let text = br#"[{"jsonrpc":"2.0","id":1,"result":{}}, 7 ,{"jsonrpc":"2.0","method":"a"}]"#;
        let Incoming::Batch(messages) = parse(text).unwrap() else { panic!() };
        assert_eq!(messages.len(), 3);
        assert!(messages[0].is_ok() && messages[1].is_err() && messages[2].is_ok());
    }
}
