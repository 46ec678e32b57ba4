//! Variables in the strings of a configuration.

/// Replaces `${name}` and `${name:-default}`; `$$` before a brace keeps it as it is.
///
/// # Errors
/// In words: a variable that is not set and has no default, or one that has no end.
pub(super) fn expand(text: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            expanded.push_str(&rest[..at]);
            expanded.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        expanded.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('}') else { return Err(format!("`${{` without `}}` in {text:?}")) };
        let (name, default) = match inner[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inner[..end], None),
        };
        // As in a shell: an empty variable is as good as none, where there is a default.
        let value = lookup(name).filter(|value| default.is_none() || !value.is_empty());
        match (value, default) {
            (Some(value), _) => expanded.push_str(&value),
            (None, Some(default)) => expanded.push_str(default),
            (None, None) if name.starts_with("input:") => {
                return Err(format!(
                    "`${{{name}}}` asks the user of an editor: set a variable and write `${{VAR}}` instead"
                ));
            }
            (None, None) => return Err(format!("the variable `{name}` is not set, and there is no default")),
        }
        rest = &inner[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Option<String> {
        match name {
            "A" => Some("1".into()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn variables_and_defaults() {
        for (text, expected) in [
            ("x${A}y${A}", "x1y1"),
            ("${B:-d}", "d"),
            ("${B:-}", ""),
            ("${EMPTY}", ""),
            ("${EMPTY:-d}", "d"),
            ("${A:-d}", "1"),
            ("$A $ {A} $5", "$A $ {A} $5"),
            ("$${A}", "${A}"),
            ("${B:-http://x:1}", "http://x:1"),
        ] {
            assert_eq!(expand(text, known).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(expand("${B}", known).unwrap_err().contains("`B` is not set"));
        assert!(expand("a${A", known).unwrap_err().contains("without `}`"));
        assert!(expand("${input:key}", known).unwrap_err().contains("asks the user"));
    }
}
