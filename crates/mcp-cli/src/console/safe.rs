//! Text of a server, so that a terminal shows it and does not obey it.

use std::fmt::Write;

/// Control characters but line breaks and tabs, and characters that change the direction of text, as escapes.
pub(crate) fn safe(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// As [`safe()`], and on one line: white space of any kind becomes one space.
pub(crate) fn safe_line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "), |_| false)
}

/// The same JSON without control characters: in strings they become escapes, elsewhere there are none but line breaks.
pub(crate) fn safe_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) && !keep(c) {
            let _ = write!(safe, "{}", c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// C0, DEL, C1; and what turns the direction of the text around it, by which a text can look like another one.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_shown() {
        assert_eq!(safe("a\x1b[2Jb\r\nc\td\x7f\u{9b}1m"), "a\\u{1b}[2Jb\\u{d}\nc\td\\u{7f}\\u{9b}1m");
        assert_eq!(safe("x\u{202e}y\u{2066}"), "x\\u{202e}y\\u{2066}");
        assert_eq!(safe("päge 日本"), "päge 日本");
    }

    #[test]
    fn a_cell_is_one_line() {
        assert_eq!(safe_line("  a\n\tb\x07c "), "a b\\u{7}c");
    }

    #[test]
    fn json_stays_the_same_json() {
        let json = "{\n  \"a\": \"\u{9b}31m\u{202e}\"\n}";
        let safe = safe_json(json);
        assert_eq!(safe, "{\n  \"a\": \"\\u009b31m\\u202e\"\n}");
        let read = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&safe), read(json));
    }
}
