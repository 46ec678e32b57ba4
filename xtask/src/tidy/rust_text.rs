//! Rust source as plain text with what is no code blanked out. Every byte keeps its place, so that lines can be named.

/// The source with comments and the insides of literals as spaces.
pub(crate) fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => end_of_line(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => end_of_block_comment(bytes, at),
            b'"' => end_of_quoted(bytes, at),
            b'\'' => end_of_char(bytes, at),
            b'r' if starts_word(bytes, at) => end_of_raw_string(bytes, at),
            _ => at,
        };
        blank(&mut code, at, end);
        at = end.max(at + 1);
    }
    // Only whole literals and comments were replaced, so what is left is valid.
    String::from_utf8_lossy(&code).into_owned()
}

/// Code without its tests, and the names of the test modules that have a file of their own.
pub(crate) struct Product {
    pub(crate) code: String,
    pub(crate) test_modules: Vec<String>,
}

/// Takes what [`code`] returns and blanks every item under `#[cfg(test)]`.
pub(crate) fn without_tests(code: &str) -> Product {
    let mut product = Product { code: code.to_string(), test_modules: Vec::new() };
    for attribute in attributes(code) {
        if !is_test_cfg(attribute.content) {
            continue;
        }
        let end = if attribute.is_inner { code.len() } else { end_of_item(code, attribute.end) };
        let item = code[attribute.end..end].trim();
        let file =
            item.strip_suffix(';').and_then(|item| item.split_once("mod ")).map(|(_, name)| name.trim());
        product.test_modules.extend(file.map(str::to_string));
        let mut bytes = product.code.into_bytes();
        blank(&mut bytes, attribute.start, end);
        product.code = String::from_utf8_lossy(&bytes).into_owned();
    }
    product
}

/// `#[content]` or `#![content]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) content: &'a str,
    pub(super) start: usize,
    /// Behind the closing bracket.
    end: usize,
    is_inner: bool,
}

/// The attributes of what [`code`] returns.
pub(super) fn attributes(code: &str) -> Vec<Attribute<'_>> {
    let mut attributes = Vec::new();
    for (start, _) in code.match_indices('#') {
        let is_inner = code[start + 1..].starts_with('!');
        let open = start + 1 + usize::from(is_inner);
        if !code[open..].starts_with('[') {
            continue;
        }
        let end = end_of_brackets(code, open);
        let content = code[open + 1..end].strip_suffix(']').unwrap_or_default().trim();
        attributes.push(Attribute { content, start, end, is_inner });
    }
    attributes
}

/// Where `word` stands as a whole identifier.
pub(super) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !code[..*at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
}

/// The number that an editor shows for the line of a byte.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn is_test_cfg(attribute: &str) -> bool {
    let compact: String = attribute.split_whitespace().collect();
    compact == "cfg(test)" || compact.starts_with("cfg(all(test,")
}

/// Behind the `;` or the block that ends the item which starts at `start`.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return at + 1,
            b'{' if depth == 0 => return end_of_brackets(code, at),
            _ => {}
        }
    }
    code.len()
}

/// Behind the bracket that closes the one at `open`.
fn end_of_brackets(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

fn blank(bytes: &mut [u8], start: usize, end: usize) {
    for byte in bytes[start..end].iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|place| bytes[place]);
    let is_part = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match before(1) {
        Some(b'b' | b'c') => !is_part(before(2)),
        other => !is_part(other),
    }
}

fn end_of_line(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| start + length)
}

fn end_of_block_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_quoted(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A lifetime is no literal: its end is its start.
fn end_of_char(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start + 1) {
        Some(b'\\') => end_of_quoted(bytes, start),
        Some(first) => {
            let length = match first {
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0.. => 4,
            };
            if bytes.get(start + 1 + length) == Some(&b'\'') { start + length + 2 } else { start }
        }
        None => start,
    }
}

fn end_of_raw_string(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|byte| **byte == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return start;
    }
    let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
    let inside = &bytes[open + 1..];
    inside
        .windows(close.len())
        .position(|window| window == close)
        .map_or(bytes.len(), |at| open + 1 + at + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(code: &str) -> String {
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_blanked_and_keep_their_room() {
        let source =
            "a // x\nb /* y /* z */ y */ c \"q\\\"q\" d r#\"r\"r\"# e '\"' f '\\'' g 'é' h br\"k\" i\n";
        let code = code(source);
        assert_eq!(compact(&code), "a b c d e f g h b i");
        assert_eq!(code.len(), source.len());
        assert_eq!(line_of(&code, code.find(" i").unwrap()), 2);
    }

    #[test]
    fn lifetimes_and_raw_identifiers_are_code() {
        let source = "fn f<'a>(r#type: &'a str) -> &'static str { for_each(var) }";
        assert_eq!(code(source), source);
    }

    #[test]
    fn an_open_literal_ends_with_the_text() {
        for source in ["\"", "'\\", "r#\"", "/*", "b'", "\"\\"] {
            assert_eq!(code(source).len(), source.len(), "{source}");
        }
    }

    #[test]
    fn items_under_a_test_configuration_are_blanked() {
        let source = "\
fn a() {}
#[cfg(test)]
#[path = \"x\"]
mod far;
#[cfg(all(test, unix))]
fn helper(x: [u8; 2]) { { b() } }
#[cfg(not(test))]
fn c() {}
#[cfg(test)]
mod tests { fn d() {} }
fn e() {}
";
        let product = without_tests(&code(source));
        assert_eq!(compact(&product.code), "fn a() {} #[cfg(not(test))] fn c() {} fn e() {}");
        assert_eq!(product.test_modules, ["far"]);
        assert_eq!(compact(&without_tests("#![cfg(test)] fn a() {}").code), "");
    }

    #[test]
    fn attributes_and_words_are_found_whole() {
        let code = "#[serde(untagged)] #![allow(x[0])] # [no]";
        let contents: Vec<_> = attributes(code).iter().map(|attribute| attribute.content).collect();
        assert_eq!(contents, ["serde(untagged)", "allow(x[0])"]);
        assert_eq!(words("todo todo_x my_todo todo!", "todo").collect::<Vec<_>>(), [0, 20]);
    }
}
