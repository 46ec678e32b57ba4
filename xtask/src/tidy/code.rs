//! Code that is not wanted, and that no lint of the workspace finds.

use std::collections::BTreeSet;

use super::{
    Finding, Report, Tree,
    rust_text::{self, Attribute, attributes, line_of, words},
};
use crate::repository::Files;

/// Folders whose files are compiled for tests and measurements alone.
const TEST_FOLDERS: [&str; 3] = ["tests", "benches", "fuzz"];

struct Banned {
    what: &'static str,
    /// Whether tests may have it.
    in_tests: bool,
    fix: &'static str,
    /// Places in the code, as [`rust_text::code`] returns it.
    find: fn(&str) -> Vec<usize>,
}

const BANNED: &[Banned] = &[
    Banned {
        what: "#[ignore]",
        in_tests: false,
        fix: "make the test fit for every run, or delete it",
        find: |code| places(code, is_ignore),
    },
    Banned {
        what: "todo!",
        in_tests: false,
        fix: "write it, or leave it out",
        find: |code| macros(code, "todo"),
    },
    Banned {
        what: "unimplemented!",
        in_tests: false,
        fix: "write it, or return an error that says so",
        find: |code| macros(code, "unimplemented"),
    },
    Banned { what: "dbg!", in_tests: false, fix: "delete it", find: |code| macros(code, "dbg") },
    Banned {
        what: "serde(untagged)",
        in_tests: true,
        fix: "read what decides, then decode: untagged guesses, and loses the error and unknown members",
        find: |code| places(code, |attribute| is_serde(attribute, "untagged")),
    },
    Banned {
        what: "serde(other)",
        in_tests: true,
        fix: "keep what is unknown, as the open enums do",
        find: |code| places(code, |attribute| is_serde(attribute, "other")),
    },
    Banned {
        what: "async_trait",
        in_tests: false,
        fix: "`-> impl Future + Send` in the trait",
        find: |code| words(code, "async_trait").collect(),
    },
    Banned {
        what: ".unwrap()",
        in_tests: true,
        fix: "return the error, or `expect` with the reason why it cannot happen",
        find: |code| code.match_indices(".unwrap()").map(|(at, _)| at).collect(),
    },
];

pub(super) fn check(tree: &Tree) -> Report {
    violations(&tree.files).into()
}

fn violations(files: &Files) -> Vec<Finding> {
    let codes: Vec<_> = files.of_kind("rs").map(|(path, source)| (path, rust_text::code(source))).collect();
    let products: Vec<_> = codes.iter().map(|(path, code)| (*path, rust_text::without_tests(code))).collect();
    let test_modules: BTreeSet<String> = products
        .iter()
        .flat_map(|(path, product)| product.test_modules.iter().map(|name| child_module(path, name)))
        .collect();
    let mut findings = Vec::new();
    for ((path, code), (_, product)) in codes.iter().zip(&products) {
        let is_test = is_test_file(path, &test_modules);
        for banned in BANNED {
            let text = if banned.in_tests { &product.code } else { code };
            if banned.in_tests && is_test {
                continue;
            }
            findings.extend(
                (banned.find)(text)
                    .into_iter()
                    .map(|at| Finding::at(path, line_of(text, at), banned.what, banned.fix)),
            );
        }
    }
    findings
}

/// The path of a module without `.rs` or `/mod.rs`, below the file that declares it.
fn child_module(path: &str, name: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
    if matches!(file, "mod" | "lib" | "main") { format!("{folder}/{name}") } else { format!("{stem}/{name}") }
}

fn is_test_file(path: &str, test_modules: &BTreeSet<String>) -> bool {
    let in_folder = path.split('/').any(|part| TEST_FOLDERS.contains(&part));
    in_folder
        || test_modules.iter().any(|module| {
            path.strip_prefix(module.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
}

fn macros(code: &str, name: &'static str) -> Vec<usize> {
    words(code, name).filter(|at| code[at + name.len()..].starts_with('!')).collect()
}

fn places(code: &str, is_meant: impl Fn(&Attribute<'_>) -> bool) -> Vec<usize> {
    attributes(code).iter().filter(|attribute| is_meant(attribute)).map(|attribute| attribute.start).collect()
}

fn is_ignore(attribute: &Attribute<'_>) -> bool {
    let name = attribute.content.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    name == Some("ignore")
        || (name == Some("cfg_attr") && words(attribute.content, "ignore").next().is_some())
}

fn is_serde(attribute: &Attribute<'_>, word: &str) -> bool {
    words(attribute.content, "serde").next().is_some() && words(attribute.content, word).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, source: &str) -> Vec<String> {
        violations(&Files::from([(path, source)]))
            .into_iter()
            .map(|f| format!("{} {}", f.place, f.problem))
            .collect()
    }

    #[test]
    fn each_is_found_with_its_line() {
        let source = "\
fn f() {
    todo!()
}
#[derive(Serialize)]
#[serde(rename_all = \"camelCase\", untagged)]
enum A { #[serde(other)] B }
#[async_trait::async_trait]
trait T {}
fn g() { dbg!(h().unwrap()); unimplemented!() }
";
        let expected = [
            "a/src/x.rs:2 todo!",
            "a/src/x.rs:9 unimplemented!",
            "a/src/x.rs:9 dbg!",
            "a/src/x.rs:5 serde(untagged)",
            "a/src/x.rs:6 serde(other)",
            "a/src/x.rs:7 async_trait",
            "a/src/x.rs:7 async_trait",
            "a/src/x.rs:9 .unwrap()",
        ];
        assert_eq!(found("a/src/x.rs", source), expected);
    }

    #[test]
    fn comments_strings_and_longer_names_pass() {
        let source = "//! Never `todo!` or `.unwrap()`.\nfn f() { g(\"dbg!\"); my_todo!(); x.unwrap_or(1); }\n\
                      #[serde(rename = \"other\")] struct S;\n#[must_use] fn other() {}\n";
        assert_eq!(found("a/src/x.rs", source), [""; 0]);
    }

    #[test]
    fn tests_may_unwrap_but_not_be_ignored() {
        let source = "#[cfg(test)]\nmod tests {\n    #[test]\n    #[ignore = \"slow\"]\n    fn f() { g().unwrap() }\n}\n";
        assert_eq!(found("a/src/x.rs", source), ["a/src/x.rs:4 #[ignore]"]);
        let source = "#[test]\n#[cfg_attr(windows, ignore)]\nfn f() { g().unwrap() }\n";
        assert_eq!(found("a/tests/x.rs", source), ["a/tests/x.rs:2 #[ignore]"]);
        assert_eq!(found("a/src/tests/x.rs", "fn f() { g().unwrap() }"), [""; 0]);
    }

    #[test]
    fn code_behind_the_tests_is_product_code() {
        let source = "#[cfg(test)]\nmod tests {}\nfn f() { g().unwrap() }\n";
        assert_eq!(found("a/src/x.rs", source), ["a/src/x.rs:3 .unwrap()"]);
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_is_a_test() {
        let files = Files::from([
            ("a/src/x.rs", "#[cfg(test)]\nmod properties;\n"),
            ("a/src/x/properties.rs", "fn f() { g().unwrap() }"),
            ("a/src/properties.rs", "fn f() { g().unwrap() }"),
            ("a/src/lib.rs", "#[cfg(test)]\nmod support;"),
            ("a/src/support/mod.rs", "fn f() { g().unwrap() }"),
        ]);
        let places: Vec<_> = violations(&files).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["a/src/properties.rs:1"]);
    }
}
