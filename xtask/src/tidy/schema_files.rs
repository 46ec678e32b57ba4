//! The official schema is read from a checkout of the specification, never kept here.

use super::{Finding, Report, Tree};
use crate::repository::Files;

/// Definitions that every revision of the schema has.
const MARKS: [&str; 3] = ["JSONRPCMessage", "InitializeResult", "CallToolResult"];
const MARKS_MODERN: [&str; 3] = ["JSONRPCMessage", "DiscoverResult", "CallToolResult"];

pub(super) fn check(tree: &Tree) -> Report {
    copies(&tree.files).into()
}

fn copies(files: &Files) -> Vec<Finding> {
    files
        .iter()
        .filter(|(path, text)| is_schema(path, text))
        .map(|(path, _)| {
            let fix = "delete it; `cargo xtask schema --spec DIR` reads the schema where it is published";
            Finding::new(path, "is a copy of the official schema", fix)
        })
        .collect()
}

fn is_schema(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let holds = |marks: &[&str]| marks.iter().all(|mark| text.contains(mark));
    match name.rsplit_once('.') {
        Some((_, "ts")) => text.contains("export") && (holds(&MARKS) || holds(&MARKS_MODERN)),
        Some((_, "json")) => {
            let is_json_schema = text.contains("\"$defs\"") || text.contains("\"definitions\"");
            is_json_schema && (holds(&MARKS) || holds(&MARKS_MODERN))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_found_by_what_is_in_it() {
        let json = r#"{"$defs": {"JSONRPCMessage": {}, "InitializeResult": {}, "CallToolResult": {}}}"#;
        let source = "export interface JSONRPCMessage {} export interface DiscoverResult {} interface CallToolResult {}";
        let files = Files::from([("spec/types.json", json), ("a/x.ts", source), ("a/lib.rs", json)]);
        let places: Vec<_> = copies(&files).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["a/x.ts", "spec/types.json"]);
    }

    #[test]
    fn recordings_and_other_schemas_pass() {
        let recording = r#"{"method": "tools/call", "note": "CallToolResult"}"#;
        let config = r#"{"$defs": {"Server": {}}}"#;
        assert_eq!(copies(&Files::from([("a.json", recording), ("config.schema.json", config)])), []);
    }
}
