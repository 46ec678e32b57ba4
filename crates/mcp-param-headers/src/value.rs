use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_types::read;

const START: &str = "=?base64?";
const END: &str = "?=";

/// `text` as the value of a header field: as it is, or in the Base64 form where it could not be read back as it is.
///
/// For `Mcp-Param-*` and `Mcp-Name`. A tab counts as a control character wherever it stands: some servers take it for one.
///
/// Section: [Value Encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let marked = text.starts_with(START) && text.ends_with(END);
    let padded = text.starts_with(' ') || text.ends_with(' ');
    let plain = !marked && !padded && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if plain { Cow::Borrowed(text) } else { Cow::Owned(format!("{START}{}{END}", STANDARD.encode(text))) }
}

/// The text that `value`, the value of a header field, stands for; `None` when its Base64 form is broken: padding and
/// unused bits must be as [`encode_value`] writes them, and the bytes UTF-8.
pub fn decode_value(value: &str) -> Option<Cow<'_, str>> {
    match payload(value) {
        None => Some(Cow::Borrowed(value)),
        Some(payload) => String::from_utf8(STANDARD.decode(payload).ok()?).ok().map(Cow::Owned),
    }
}

/// What stands between the marks, if both are there.
fn payload(value: &str) -> Option<&str> {
    value.strip_prefix(START)?.strip_suffix(END)
}

/// The text of a JSON string, number or boolean.
pub(super) fn text_of(json: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(json).ok()?;
    match json.first()? {
        b'"' if json.contains(&b'\\') => read::bytes(json).ok().map(Cow::Owned),
        b'"' => text.get(1..text.len() - 1).map(Cow::Borrowed),
        b't' | b'f' => Some(Cow::Borrowed(text)),
        b'-' | b'0'..=b'9' => Some(decimal(text)),
        _ => None,
    }
}

/// A whole number in digits alone, to the last one; another number, or one of more digits than a float can have, as it is
/// written.
fn decimal(number: &str) -> Cow<'_, str> {
    const MOST_DIGITS: i64 = 309;
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    if digits.bytes().all(|byte| byte.is_ascii_digit()) && digits != "0" {
        return Cow::Borrowed(number);
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let Ok(exponent) = exponent.parse::<i64>() else { return Cow::Borrowed(number) };
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Cow::Borrowed("0");
    }
    // How many zeros follow the digits; fewer than none when some of them stand behind the point.
    let zeros = exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
    let significant = digits.trim_end_matches('0');
    let trailing = i64::try_from(digits.len() - significant.len()).unwrap_or(0);
    let length = zeros.saturating_add(i64::try_from(digits.len()).unwrap_or(i64::MAX));
    if zeros.saturating_add(trailing) < 0 || length > MOST_DIGITS {
        return Cow::Borrowed(number);
    }
    let length = usize::try_from(length).unwrap_or(0);
    let mut text = format!("{sign}{significant}");
    while text.len() < sign.len() + length {
        text.push('0');
    }
    Cow::Owned(text)
}
