//! Enough of Markdown to find commands, headings, lists and links.

/// A line with the number that an editor shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// Lines outside of fences, and lines inside of them with the language of the fence.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Option<&str>, Line<'_>)> {
    let mut fence: Option<(&str, &str)> = None;
    text.lines().enumerate().filter_map(move |(index, text)| {
        let trimmed = text.trim_start();
        match fence {
            Some((mark, _)) if trimmed.trim_end().starts_with(mark) => {
                fence = None;
                None
            }
            Some((_, language)) => Some((Some(language), Line { number: index + 1, text })),
            None => {
                let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) else {
                    return Some((None, Line { number: index + 1, text }));
                };
                let info = trimmed.trim_start_matches(&mark[..1]);
                fence = Some((mark, info.split([' ', ',', '{']).next().unwrap_or_default().trim()));
                None
            }
        }
    })
}

/// The commands in fences of a shell. In `console`, those behind a prompt; what follows them is their output.
pub(super) fn commands(text: &str) -> Vec<(usize, String)> {
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (language, line) in lines(text) {
        let is_console = language == Some("console");
        if !is_console && !matches!(language, Some("sh" | "bash" | "shell")) {
            goes_on = false;
            continue;
        }
        let prompted = line.text.trim().strip_prefix("$ ");
        let words = prompted.unwrap_or(line.text.trim());
        let words = words.split(" #").next().unwrap_or(words);
        let (words, continued) = words.strip_suffix('\\').map_or((words, false), |words| (words, true));
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        match commands.last_mut().filter(|_| goes_on) {
            Some((_, command)) => {
                command.push(' ');
                command.push_str(&words);
            }
            None if words.is_empty() || words.starts_with('#') || (is_console && prompted.is_none()) => {
                continue;
            }
            None => commands.push((line.number, words)),
        }
        goes_on = continued;
    }
    commands
}

/// The lines below the first heading whose text contains `word`, whatever the case, up to the next of its level.
pub(super) fn section<'a>(text: &'a str, word: &str) -> Option<Vec<Line<'a>>> {
    let mut lines = lines(text).filter(|(language, _)| language.is_none()).map(|(_, line)| line);
    let depth = lines.by_ref().find_map(|line| {
        let depth = heading_depth(line.text)?;
        line.text.to_lowercase().contains(word).then_some(depth)
    })?;
    Some(lines.take_while(|line| heading_depth(line.text).is_none_or(|other| other > depth)).collect())
}

fn heading_depth(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    (depth > 0 && rest.starts_with(' ')).then_some(depth)
}

/// The first `code` span of a row of a table or an item of a list.
pub(super) fn leading_code(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let is_item = line.starts_with(['|', '-', '*', '+']) || line.starts_with(|c: char| c.is_ascii_digit());
    line.split('`').nth(1).filter(|_| is_item)
}

/// Targets of `[text](target)` that are paths, without the part from `#` on.
pub(super) fn path_links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (_, line) in lines(text).filter(|(language, _)| language.is_none()) {
        for (start, _) in line.text.match_indices("](") {
            let target = line.text[start + 2..].split([')', ' ', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                links.push((line.number, target));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_from_shell_fences_only() {
        let text = "\
cargo outside
```console
$ cargo run --example quickstart   # prints tools
connected
$ cargo run \\
    --example quickstart
```
```rust,no_run
cargo rust
```
```sh
# a comment
cargo  test --workspace
npx thing
```
";
        let expected = [
            (3, "cargo run --example quickstart"),
            (5, "cargo run --example quickstart"),
            (13, "cargo test --workspace"),
            (14, "npx thing"),
        ];
        assert_eq!(commands(text), expected.map(|(line, command)| (line, command.to_string())));
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "# A\n## The crates\none\n### Sub\n```sh\n# no heading\n```\ntwo\n## Next\nthree\n";
        let lines: Vec<_> = section(text, "crate").unwrap().iter().map(|line| line.text).collect();
        assert_eq!(lines, ["one", "### Sub", "two"]);
        assert_eq!(section(text, "limits"), None);
    }

    #[test]
    fn the_first_code_of_a_row_or_item_leads() {
        assert_eq!(leading_code("| [`mcp-types`](crates/mcp-types) | `serde` |"), Some("mcp-types"));
        assert_eq!(leading_code("- `mcp-types`: types"), Some("mcp-types"));
        assert_eq!(leading_code("1. `mcp-types`"), Some("mcp-types"));
        assert_eq!(leading_code("Then `mcp-types` is used."), None);
        assert_eq!(leading_code("| --- | --- |"), None);
    }

    #[test]
    fn links_to_paths_are_found_outside_of_fences() {
        let text = "[a](crates/a/README.md#top) [b](https://example.org) [c](#here)\n```md\n[d](d.md)\n```\n";
        assert_eq!(path_links(text), [(1, "crates/a/README.md")]);
    }
}
