//! Whether the inventory is whole: a type that is not in it is compared with nothing.

use std::collections::BTreeSet;

use super::{
    builtin,
    finding::{Finding, Rule},
    inventory::Inventory,
    rust_type::RustType,
};
use crate::{
    repository::Files,
    tidy::rust_text::{code, without_tests},
};

const SOURCE: &str = "crates/mcp-types/src/";
/// What describes the types is not described itself.
const DESCRIPTION: &str = "crates/mcp-types/src/inventory/";

/// The public types and marker types of mcp-types that are not in its inventory.
pub(super) fn unlisted(files: &Files, inventory: &Inventory) -> Vec<Finding> {
    let mut names = BTreeSet::new();
    for (path, text) in files.of_kind("rs") {
        if path.starts_with(SOURCE) && !path.starts_with(DESCRIPTION) {
            let code = without_tests(&code(text)).code;
            names.extend(types(&code));
            names.extend(markers(&code));
        }
    }
    let listed = |name: &str| {
        inventory.types.contains_key(name)
            || inventory.markers.contains_key(name)
            || inventory.extensions.iter().any(|(_, other)| other == name)
            || is_builtin(name)
    };
    names
        .into_iter()
        .filter(|name| !listed(name))
        .map(|name| {
            let fix = "list it in crates/mcp-types/src/inventory/list.rs, or a waiver that says what it is";
            Finding::new(None, name, Rule::Listed, "is not in the inventory", fix)
        })
        .collect()
}

fn is_builtin(name: &str) -> bool {
    let plain = RustType::named(name);
    let generic = RustType { arguments: vec![RustType::named("Json")], ..plain.clone() };
    builtin::shape(&plain).or_else(|| builtin::shape(&generic)).is_some()
}

/// `pub struct NAME` and `pub enum NAME`. Another name for a type is no type.
fn types(code: &str) -> Vec<String> {
    let declared = ["pub struct ", "pub enum "].into_iter().flat_map(|start| {
        code.match_indices(start).map(move |(at, _)| identifier(&code[at + start.len()..]))
    });
    // In the definition of a macro the name is a variable.
    declared.filter(|name| !name.is_empty()).map(str::to_string).collect()
}

/// `NAME = "METHOD" (…)` in `requests!` and `notifications!`.
fn markers(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for start in ["requests! {", "notifications! {"] {
        for (at, _) in code.match_indices(start) {
            let body = &code[at + start.len()..];
            let body = &body[..body.find('}').unwrap_or(body.len())];
            let entries = body.split(';').filter(|entry| entry.contains('='));
            names.extend(entries.map(|entry| identifier(entry.trim_start()).to_string()));
        }
    }
    names
}

fn identifier(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_type_and_marker_must_be_listed() {
        let source = r#"
            macro_rules! object { () => { pub struct $name {} } }
            object! { /// pub struct Words
                pub struct Tool { name: String, } }
            pub enum Era { Legacy }
            pub struct Map<V>(V);
            pub type Other = Tool;
            pub(crate) struct Inner;
            requests! {
                /// Calls; a tool.
                CallRequest = "tools/call" (Params) -> Outcome;
                ListRequest =
                    "tools/list" (Params) -> Outcome;
            }
            #[cfg(test)]
            mod tests { pub struct InTests; }
        "#;
        let inventory = Inventory::parse(
            r#"{"types":[],"methods":[],"codes":[],"aliases":{},"markers":[
                {"name":"ListRequest","module":"mcp_types::tools","method":"tools/list","params":"P","result":"R"}]}"#,
        )
        .unwrap();
        let files = Files::from([
            ("crates/mcp-types/src/a.rs", source),
            ("crates/other/src/lib.rs", "pub struct X;"),
        ]);
        let names: Vec<_> = unlisted(&files, &inventory).into_iter().map(|finding| finding.place).collect();
        assert_eq!(names, ["CallRequest", "Era", "Tool"]);
    }
}
