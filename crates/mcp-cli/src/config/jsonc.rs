//! JSON with comments and trailing commas, as editors write it.

/// The same text with spaces for comments and trailing commas: nothing moves to another line.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    // A comma that may turn out to be a trailing one.
    let mut comma = None;
    while at < plain.len() {
        match plain[at] {
            b'"' => {
                comma = None;
                at = behind_string(&plain, at);
                continue;
            }
            b'/' if plain.get(at + 1) == Some(&b'/') => {
                while at < plain.len() && plain[at] != b'\n' {
                    plain[at] = b' ';
                    at += 1;
                }
                continue;
            }
            b'/' if plain.get(at + 1) == Some(&b'*') => {
                let end = find(&plain, at + 2).unwrap_or(plain.len());
                for byte in plain[at..end].iter_mut().filter(|byte| **byte != b'\n') {
                    *byte = b' ';
                }
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    plain[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    // Whole comments and single commas were replaced, so it still is UTF-8.
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

fn behind_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Behind the next `*/`.
fn find(text: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.windows(2).position(|pair| pair == b"*/").map(|at| from + at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        let text = "{ // a, b\n \"x\": [1, 2, /* é\n */ ], \"y//\": \"/*\\\"\", }";
        let plain = plain(text);
        assert_eq!(plain.lines().count(), text.lines().count());
        let value: serde_json::Value = serde_json::from_str(&plain).unwrap();
        assert_eq!(value, serde_json::json!({"x": [1, 2], "y//": "/*\""}));
    }

    #[test]
    fn broken_text_stays_broken() {
        for text in ["{", "\"", "\"\\", "/*", "/", "[1,,]", "{,}x"] {
            assert!(serde_json::from_str::<serde_json::Value>(&plain(text)).is_err(), "{text}");
        }
    }
}
