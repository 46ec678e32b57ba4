//! What a mistyped name may have meant, in a sentence.

use mcp_client::similar_names;

/// `Did you mean `a` or `b`?`, or nothing.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near: Vec<_> = similar_names(wanted, names).into_iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { None } else { Some(format!("Did you mean {}?", near.join(" or "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_named() {
        let names = ["echo", "read_file", "write_file"];
        assert_eq!(did_you_mean("ehco", names).as_deref(), Some("Did you mean `echo`?"));
        assert_eq!(
            did_you_mean("_file", names).as_deref(),
            Some("Did you mean `read_file` or `write_file`?")
        );
        assert_eq!(did_you_mean("weather", names), None);
    }
}
