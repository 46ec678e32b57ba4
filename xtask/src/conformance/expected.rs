//! The runs that are known to fail.

use std::{fs, path::Path};

use serde::Deserialize;

use super::suite::Run;
use crate::command::Failure;

/// Entries of the file, in its order.
#[derive(Debug, Default)]
pub(super) struct Expected(Vec<Entry>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    scenario: String,
    wires: Vec<String>,
    reason: String,
}

impl Expected {
    /// # Errors
    /// The file cannot be read, or an entry names no run, or one that another entry names too.
    pub(super) fn read(file: &Path, runs: &[Run]) -> Result<Self, Failure> {
        let failed = |why: String| Failure::failed(format!("{}: {why}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
        Self::parse(&text, runs).map_err(failed)
    }

    fn parse(text: &str, runs: &[Run]) -> Result<Self, String> {
        let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut seen = Vec::new();
        for entry in &entries {
            if entry.reason.trim().is_empty() {
                return Err(format!("`{}` has no reason", entry.scenario));
            }
            if entry.wires.is_empty() {
                return Err(format!("`{}` names no revision", entry.scenario));
            }
            for wire in &entry.wires {
                let name = format!("{} at {wire}", entry.scenario);
                if !runs.iter().any(|run| run.name() == name) {
                    return Err(format!("the suite has no run `{name}`"));
                }
                if seen.contains(&name) {
                    return Err(format!("`{name}` is there twice"));
                }
                seen.push(name);
            }
        }
        Ok(Self(entries))
    }

    /// Why `run` is expected to fail, if it is.
    pub(super) fn reason(&self, run: &Run) -> Option<&str> {
        let of = |entry: &&Entry| entry.scenario == run.scenario && entry.wires.iter().any(|w| w == run.wire);
        self.0.iter().find(of).map(|entry| entry.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Vec<Run> {
        ["2025-11-25", "2026-07-28"].map(|wire| Run { scenario: "tools_call".to_string(), wire }).into()
    }

    /// The suite is not here to be asked; the rest can be said without it.
    #[test]
    fn the_file_of_the_repository_can_be_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let text = fs::read_to_string(root.join("crates/mcp-conformance/expected-failures.json")).unwrap();
        let entries: Vec<Entry> = serde_json::from_str(&text).unwrap();
        assert!(entries.iter().all(|entry| !entry.reason.is_empty() && !entry.wires.is_empty()));
    }

    #[test]
    fn an_entry_is_for_the_runs_that_it_names() {
        let text = r#"[{"scenario":"tools_call","wires":["2026-07-28"],"reason":"not built yet"}]"#;
        let expected = Expected::parse(text, &runs()).unwrap();
        assert_eq!(expected.reason(&runs()[0]), None);
        assert_eq!(expected.reason(&runs()[1]), Some("not built yet"));
    }

    #[test]
    fn entries_must_be_true_and_whole() {
        for (entry, why) in [
            (r#"{"scenario":"tool_calls","wires":["2026-07-28"],"reason":"r"}"#, "no run"),
            (r#"{"scenario":"tools_call","wires":["2025-03-26"],"reason":"r"}"#, "no run"),
            (r#"{"scenario":"tools_call","wires":[],"reason":"r"}"#, "names no revision"),
            (r#"{"scenario":"tools_call","wires":["2026-07-28"],"reason":" "}"#, "no reason"),
            (r#"{"scenario":"tools_call","wires":["2026-07-28"]}"#, "missing field"),
            (r#"{"scenario":"tools_call","wires":["2026-07-28","2026-07-28"],"reason":"r"}"#, "twice"),
            (r#"{"scenario":"tools_call","wires":["2026-07-28"],"reason":"r","x":1}"#, "unknown field"),
        ] {
            let error = Expected::parse(&format!("[{entry}]"), &runs()).unwrap_err();
            assert!(error.contains(why), "{entry}: {error}");
        }
    }
}
