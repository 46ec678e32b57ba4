//! How many crates of others the smallest clients bring.

use std::collections::BTreeSet;

use super::{Finding, Report, Tree};
use crate::process::Invocation;

/// One count for every machine that asks.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";

struct Stack {
    name: &'static str,
    packages: &'static [&'static str],
    limit: usize,
}

const STACKS: &[Stack] = &[
    // 21: tokio with processes and signals, serde_core and serde_json, rustix. The room is for a dependency that splits a part
    // off, not for a new family of them.
    Stack { name: "client over stdio", packages: &["mcp-client", "mcp-transport-stdio"], limit: 30 },
    // 60 with every feature: hyper, h2, rustls with ring, the roots of the platform, the rules of proxies.
    Stack {
        name: "client over stdio and HTTP",
        packages: &["mcp-client", "mcp-transport-stdio", "mcp-transport-http"],
        limit: 70,
    },
    // 75 when it was set: those above with HTTP/2, and clap, terminal_size, unicode-width and data-encoding.
    Stack { name: "the command mcp", packages: &["mcp-cli"], limit: 90 },
];

pub(super) fn check(tree: &Tree) -> Report {
    let members: BTreeSet<_> = tree.metadata.members().iter().map(|member| member.name.clone()).collect();
    let mut report = Report::default();
    for stack in STACKS {
        let command = command(stack);
        match Invocation::new(&command).output(&tree.root) {
            Ok(listing) => {
                let foreign = foreign(&listing, &members);
                let (name, count) = (stack.name, foreign.len());
                report.notes.push(format!("{name}: {count} crates of others, at most {}", stack.limit));
                report.findings.extend(over_limit(stack, &foreign, &command));
            }
            Err(failure) => {
                let problem = format!("{} cannot be counted: {failure}", stack.name);
                report.findings.push(Finding::new(
                    "Cargo.toml",
                    problem,
                    "make the command work, then count again",
                ));
            }
        }
    }
    report
}

fn command(stack: &Stack) -> String {
    format!("cargo tree --target {TARGET} -e normal --prefix none -p {}", stack.packages.join(" -p "))
}

/// Names and versions: two versions of a crate are built twice and count twice.
pub(super) fn foreign(tree: &str, members: &BTreeSet<String>) -> BTreeSet<String> {
    tree.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, version) = (words.next()?, words.next()?);
            (!members.contains(name)).then(|| format!("{name} {version}"))
        })
        .collect()
}

fn over_limit(stack: &Stack, foreign: &BTreeSet<String>, command: &str) -> Option<Finding> {
    if foreign.len() <= stack.limit {
        return None;
    }
    let names: Vec<_> = foreign.iter().map(String::as_str).collect();
    let problem = format!("{}: {} crates of others, over {}", stack.name, foreign.len(), stack.limit);
    let fix = format!("drop a dependency or a feature (`{command}` shows them): {}", names.join(", "));
    Some(Finding::new("Cargo.toml", problem, fix))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
mcp-client v0.1.0 (/r/crates/mcp-client)
bytes v1.10.1
mcp-types v0.1.0 (/r/crates/mcp-types)
serde_derive v1.0.219 (proc-macro)
bytes v1.10.1

bytes v0.5.0
mcp-types v0.1.0 (/r/crates/mcp-types) (*)
";

    fn found() -> BTreeSet<String> {
        foreign(TREE, &["mcp-client".to_string(), "mcp-types".to_string()].into())
    }

    #[test]
    fn counts_each_version_once_and_none_of_ours() {
        assert_eq!(
            found(),
            ["bytes v0.5.0", "bytes v1.10.1", "serde_derive v1.0.219"].map(str::to_string).into()
        );
    }

    #[test]
    fn a_count_over_the_limit_fails_and_names_the_crates() {
        let stack = |limit| Stack { name: "small", packages: &["mcp-client"], limit };
        assert_eq!(over_limit(&stack(3), &found(), "cargo tree"), None);
        let finding = over_limit(&stack(2), &found(), "cargo tree").unwrap();
        assert!(finding.problem.contains("3 crates of others, over 2"), "{finding}");
        assert!(finding.fix.contains("bytes v0.5.0"), "{finding}");
    }

    #[test]
    fn asks_cargo_for_the_whole_stack_at_once() {
        let stack = Stack { name: "small", packages: &["a", "b"], limit: 0 };
        assert!(command(&stack).ends_with("-e normal --prefix none -p a -p b"));
    }
}
