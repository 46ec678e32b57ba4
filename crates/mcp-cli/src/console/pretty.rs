//! JSON with line breaks and indentation; member order and every digit stay.

/// Lays out a valid JSON text. Works without recursion, at any depth.
pub(crate) fn pretty(json: &str) -> String {
    let mut laid = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                laid.push(c);
                while let Some(c) = chars.next() {
                    laid.push(c);
                    match c {
                        '\\' => laid.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                laid.push(c);
                if let Some(close) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    laid.push(close);
                } else {
                    depth += 1;
                    line(&mut laid, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut laid, depth);
                laid.push(c);
            }
            ',' => {
                laid.push(c);
                line(&mut laid, depth);
            }
            ':' => laid.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => laid.push(c),
        }
    }
    laid
}

/// Deeper levels are indented like this one: a hostile depth must not make a text of the square of its length.
const DEEPEST: usize = 32;

fn line(laid: &mut String, depth: usize) {
    laid.push('\n');
    for _ in 0..depth.min(DEEPEST) {
        laid.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_digits_and_strings_stay() {
        let json = r#"{"z":9007199254740993,"a":[1.50,{}, [ ],"{\"\\"],"e":{"x":null}}"#;
        let expected = "{\n  \"z\": 9007199254740993,\n  \"a\": [\n    1.50,\n    {},\n    [],\n    \"{\\\"\\\\\"\n  ],\n  \"e\": {\n    \"x\": null\n  }\n}";
        assert_eq!(pretty(json), expected);
        assert_eq!(pretty(expected), expected);
    }

    #[test]
    fn depth_costs_no_stack_and_no_square() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(pretty(&deep).len() < 200_000 * 70);
    }
}
