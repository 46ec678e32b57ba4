//! A byte scanner over JSON text: finds where values and members begin and end without decoding them.
//!
//! It checks quotes and nesting, not the grammar in between: what a caller goes on to use is decoded by `serde_json`,
//! which checks the rest.

use std::ops::Range;

use memchr::memchr2;

/// Where and why scanning stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanError {
    /// Offset in bytes.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// The members of the top-level object of a JSON text, as byte ranges, one at a time.
#[derive(Debug)]
pub struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    first: bool,
    done: bool,
}

/// One member: the key without its quotes, escapes not decoded, and the value, without surrounding white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Range of the key between its quotes.
    pub key: Range<usize>,
    /// Range of the value.
    pub value: Range<usize>,
}

impl<'a> Members<'a> {
    /// Starts at the `{` of `bytes`, after white space.
    ///
    /// # Errors
    /// When the text does not start with an object.
    pub fn of(bytes: &'a [u8]) -> Result<Self, ScanError> {
        let at = skip_space(bytes, 0);
        if bytes.get(at) != Some(&b'{') {
            return Err(ScanError { at, expected: "an object" });
        }
        Ok(Self { bytes, at: at + 1, first: true, done: false })
    }

    /// Offset behind what was read so far; behind the `}` once the last member was given out.
    pub fn position(&self) -> usize {
        self.at
    }

    fn read(&mut self) -> Result<Option<Member>, ScanError> {
        let bytes = self.bytes;
        let mut at = skip_space(bytes, self.at);
        match bytes.get(at) {
            Some(b'}') => {
                self.at = at + 1;
                self.done = true;
                return Ok(None);
            }
            Some(b',') if !self.first => at = skip_space(bytes, at + 1),
            _ if self.first => {}
            _ => {
                return Err(ScanError { at, expected: "`,` or `}`" });
            }
        }
        self.first = false;
        if bytes.get(at) != Some(&b'"') {
            return Err(ScanError { at, expected: "a member name" });
        }
        let end = skip_string(bytes, at)?;
        let key = at + 1..end - 1;
        at = skip_space(bytes, end);
        if bytes.get(at) != Some(&b':') {
            return Err(ScanError { at, expected: "`:`" });
        }
        at = skip_space(bytes, at + 1);
        let end = skip_value(bytes, at)?;
        self.at = end;
        Ok(Some(Member { key, value: at..end }))
    }
}

impl Iterator for Members<'_> {
    type Item = Result<Member, ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let member = self.read();
        self.done |= member.is_err();
        member.transpose()
    }
}

/// The range of the value of the top-level member `key` (the first of that name, also when it is written with escapes), or
/// `None`: also when the text is no object. Stops reading as soon as it is found.
pub fn member(bytes: &[u8], key: &str) -> Option<Range<usize>> {
    Members::of(bytes)
        .ok()?
        .map_while(Result::ok)
        .find(|member| member.is_named(bytes, key))
        .map(|member| member.value)
}

impl Member {
    /// Whether this member of the object in `bytes` has the name `key`, also when it is written with escapes: what decodes
    /// the member sees through them, and must not find another one.
    pub fn is_named(&self, bytes: &[u8], key: &str) -> bool {
        let text = &bytes[self.key.clone()];
        if !text.contains(&b'\\') {
            return text == key.as_bytes();
        }
        crate::read::bytes::<String>(&bytes[self.key.start - 1..=self.key.end]).is_ok_and(|name| name == key)
    }
}

/// Offset of the first byte at or after `at` that is not JSON white space.
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Offset behind the value that starts at `at`.
///
/// # Errors
/// When no value starts there, or the text ends inside it.
pub fn skip_value(bytes: &[u8], at: usize) -> Result<usize, ScanError> {
    match bytes.get(at) {
        Some(b'"') => skip_string(bytes, at),
        Some(b'{' | b'[') => skip_nested(bytes, at),
        Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Ok(skip_scalar(bytes, at)),
        _ => Err(ScanError { at, expected: "a value" }),
    }
}

fn skip_scalar(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')) {
        at += 1;
    }
    at
}

fn skip_nested(bytes: &[u8], start: usize) -> Result<usize, ScanError> {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = skip_string(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Err(ScanError { at, expected: "`}` or `]`" })
}

/// Offset behind the closing quote of the string whose opening quote is at `start`.
fn skip_string(bytes: &[u8], start: usize) -> Result<usize, ScanError> {
    let mut at = start + 1;
    loop {
        at = find_quote_or_escape(bytes, at).ok_or(ScanError { at: bytes.len(), expected: "`\"`" })?;
        if bytes[at] == b'"' {
            return Ok(at + 1);
        }
        at += 2;
    }
}

/// Where the piece of a string that begins at `start` ends: at a quote or a backslash. `None` if it has no end, or a control
/// character, which a string must not hold as it is.
#[inline]
pub(crate) fn piece(bytes: &[u8], start: usize) -> Option<usize> {
    match piece_in_block(bytes, start)? {
        (end, true) => Some(end),
        (end, false) => long_piece(bytes, end),
    }
}

#[inline(never)]
fn long_piece(bytes: &[u8], mut start: usize) -> Option<usize> {
    while start < bytes.len() {
        match piece_in_block(bytes, start)? {
            (end, true) => return Some(end),
            (end, false) => start = end,
        }
    }
    None
}

/// What is looked at twice in a row is still in the nearest cache the second time.
pub(crate) const BLOCK: usize = 16 * 1024;

/// Where the piece ends, or else the block, and whether it is the piece.
#[inline]
fn piece_in_block(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let block = &bytes[..bytes.len().min(start + BLOCK)];
    let found = find_quote_or_escape(block, start);
    let end = found.unwrap_or(block.len());
    (!has_control(&block[start..end])).then_some((end, found.is_some()))
}

/// Most strings are short names: those are searched a word at a time, which costs less than the call of a search that is made
/// for long ones.
fn find_quote_or_escape(bytes: &[u8], start: usize) -> Option<usize> {
    const WORDS: usize = 4;
    let mut at = start;
    for _ in 0..WORDS {
        match bytes.get(at..)?.first_chunk() {
            Some(word) => match first_in_word(*word) {
                Some(found) => return Some(at + found),
                None => at += 8,
            },
            None => break,
        }
    }
    memchr2(b'"', b'\\', bytes.get(at..)?).map(|found| at + found)
}

/// Whether control characters are among the bytes.
fn has_control(bytes: &[u8]) -> bool {
    /// The least of a block is found many bytes at a time, without a branch.
    const BLOCK: usize = 128;
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let in_block = |block: &[u8; BLOCK]| block.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < b' ';
    let (words, rest) = rest.as_chunks();
    // The last word of all may overlap the one before.
    let in_rest = || match bytes.last_chunk() {
        Some(last) => control_in_word(*last),
        None => rest.iter().any(|byte| *byte < b' '),
    };
    blocks.iter().any(in_block) || words.iter().any(|word| control_in_word(*word)) || in_rest()
}

fn control_in_word(word: [u8; 8]) -> bool {
    let word = u64::from_le_bytes(word);
    word.wrapping_sub(repeated(b' ')) & !word & repeated(0x80) != 0
}

const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Place of the first quote or backslash of eight bytes.
fn first_in_word(word: [u8; 8]) -> Option<usize> {
    // The high bit of each byte that is zero. Bytes above the first such may be wrong; the first never is.
    const fn zero_bytes(word: u64) -> u64 {
        word.wrapping_sub(repeated(0x01)) & !word & repeated(0x80)
    }
    let word = u64::from_le_bytes(word);
    let hits = zero_bytes(word ^ repeated(b'"')) | zero_bytes(word ^ repeated(b'\\'));
    (hits != 0).then(|| hits.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Result<Vec<(&str, &str)>, ScanError> {
        Members::of(text.as_bytes())?
            .map(|member| member.map(|member| (&text[member.key], &text[member.value])))
            .collect()
    }

    #[test]
    fn finds_members_whatever_the_white_space() {
        let text = " { \"a\" : [1,{\"b\":\"]}\"}] ,\t\"c\":\"\\\"x\\\\\", \"d\":null}";
        let expected = vec![("a", "[1,{\"b\":\"]}\"}]"), ("c", "\"\\\"x\\\\\""), ("d", "null")];
        assert_eq!(members(text).unwrap(), expected);
        assert_eq!(members("{}").unwrap(), vec![]);
    }

    #[test]
    fn long_strings_end_at_their_own_quote() {
        for length in 0..200 {
            let text = format!("{{\"k\":\"{}\\\"{}\",\"z\":1}}", "x".repeat(length), "y".repeat(70));
            assert_eq!(members(&text).unwrap()[1], ("z", "1"));
        }
    }

    #[test]
    fn a_control_character_is_found_anywhere() {
        for length in [0, 1, 2, 3, 4, 5, 6, 7, 12, 60, 123, 124, 130, 255, 300] {
            let mut text = vec![b' '; length];
            text.extend("é\u{7f}~".bytes());
            assert!(!has_control(&text), "{length}");
            for at in 0..text.len() {
                let mut text = text.clone();
                text[at] = [0, b'\n', 0x1f][at % 3];
                assert!(has_control(&text), "{length}, {at}");
            }
        }
    }

    #[test]
    fn a_piece_ends_where_it_should_however_long_it_is() {
        for length in [0, 1, 40, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 7] {
            for start in [0, 1, 9] {
                let mut text = vec![b'"'; start];
                text.resize(start + length, b'x');
                assert_eq!(piece(&text, start), None, "{length}");
                text.extend(*b"\\\"");
                assert_eq!(piece(&text, start), Some(start + length), "{length}");
                let places =
                    [0, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5, length.wrapping_sub(1)];
                for place in places.into_iter().filter(|place| *place < length) {
                    let at = start + place;
                    text[at] = b'\n';
                    assert_eq!(piece(&text, start), None, "{length}, {place}");
                    // What is behind the end does not count.
                    text[at - usize::from(place > 0)] = b'\\';
                    let expected = start + place.saturating_sub(1);
                    assert_eq!(piece(&text, start), Some(expected), "{length}, {place}");
                    text[start..start + length].fill(b'x');
                }
            }
        }
    }

    #[test]
    fn truncated_text_is_an_error_at_every_byte() {
        let text = r#"{"a":[1,{"b":"c\"d"}],"e":{"f":"0123456789012345678901234567890123456789"}}"#;
        for end in 0..text.len() {
            assert!(members(&text[..end]).is_err(), "{}", &text[..end]);
        }
    }

    #[test]
    fn member_finds_top_level_only() {
        let text = br#"{"x":{"resultType":"no"},"resultType":"yes"}"#;
        assert_eq!(&text[member(text, "resultType").unwrap()], br#""yes""#);
        assert_eq!(member(b"[1]", "a"), None);
    }

    #[test]
    fn member_sees_through_escapes() {
        let text = br#"{"\u006d\u006Fde":1,"mode":2,"\ud800":3,"\"":4}"#;
        assert_eq!(&text[member(text, "mode").unwrap()], b"1");
        assert_eq!(&text[member(text, "\"").unwrap()], b"4");
        assert_eq!(member(text, "\\u006d\\u006Fde"), None);
    }
}
