//! What the README promises: its commands are run, and its list of crates is whole and in dependency order.

use std::collections::BTreeSet;

use super::{Finding, Report, Tree, markdown};
use crate::{
    ci::steps,
    metadata::{Kind, Metadata},
};

const PATH: &str = "README.md";

/// All the set-up that a stranger needs.
const MAIN: [&str; 2] = ["cargo run --example quickstart", "cargo test --workspace"];

/// Commands of the README that CI does not run, each with its reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo xtask ci", "it is CI"),
    ("cargo xtask ci --list", "it is CI, without running anything"),
    ("cargo xtask help", "the unit tests of xtask call it"),
    (
        "cargo xtask bench --quick",
        "figures say little on a machine that others use; CI runs its part about memory",
    ),
    ("cargo xtask interop", "CI runs a part of it, with `--ci`; all of it before a release"),
    (
        "cargo run --example quickstart -- npx -y @modelcontextprotocol/server-everything",
        "needs a package registry, and the package changes without us; run by hand before a release",
    ),
];

pub(super) fn check(tree: &Tree) -> Report {
    let Some(text) = tree.files.get(PATH) else {
        let finding = Finding::new(
            PATH,
            "is missing",
            format!("write it; its two main commands are {}", MAIN.join(", ")),
        );
        return vec![finding].into();
    };
    let crates: Vec<String> = tree.files.crates().map(str::to_string).collect();
    let run: Vec<String> =
        steps::all(&crates).iter().flat_map(|step| step.actions.iter().map(steps::Action::line)).collect();
    let mut findings = commands(text, &run, NOT_RUN);
    findings.extend(crate_list(text, &crates, &tree.metadata));
    findings.into()
}

fn commands(text: &str, run: &[String], not_run: &[(&str, &str)]) -> Vec<Finding> {
    let commands = markdown::commands(text);
    let mut findings = Vec::new();
    for main in MAIN {
        if !commands.iter().any(|(_, command)| command == main) {
            findings.push(Finding::new(
                PATH,
                format!("`{main}` is not there"),
                "show it in a `console` or `sh` block",
            ));
        }
    }
    for (line, command) in commands.iter().filter(|(_, command)| command.starts_with("cargo ")) {
        let is_known = run.contains(command) || not_run.iter().any(|(other, _)| other == command);
        if !is_known {
            let fix = "add it to the steps (xtask/src/ci/steps.rs), or to the commands that are not run, with a reason \
                       (xtask/src/tidy/readme.rs)";
            findings.push(Finding::at(PATH, *line, format!("CI does not run `{command}`"), fix));
        }
    }
    findings
}

fn crate_list(text: &str, crates: &[String], metadata: &Metadata) -> Vec<Finding> {
    let Some(section) = markdown::section(text, "crate") else {
        let fix =
            "a heading with that word, and below it a row or item for each crate that starts with its `name`";
        return vec![Finding::new(PATH, "has no section about the crates", fix)];
    };
    let mut findings = Vec::new();
    let mut listed = BTreeSet::new();
    for line in section {
        let Some(name) = markdown::leading_code(line.text).filter(|name| name.starts_with("mcp-")) else {
            continue;
        };
        if !crates.iter().any(|known| known == name) {
            let fix = "take it out of the list of crates";
            findings.push(Finding::at(PATH, line.number, format!("there is no crate `{name}`"), fix));
            continue;
        }
        if let Some(lower) = dependencies(name, metadata).find(|lower| !listed.contains(lower)) {
            let problem = format!("`{name}` comes before `{lower}`, on which it depends");
            findings.push(Finding::at(PATH, line.number, problem, format!("move `{lower}` up")));
        }
        listed.insert(name);
    }
    let unlisted = crates.iter().filter(|name| !listed.contains(name.as_str()));
    findings.extend(unlisted.map(|name| {
        Finding::new(PATH, format!("`{name}` is not in the list of crates"), "say there what it is for")
    }));
    findings
}

/// The crates of this workspace on which one depends directly, not counting its tests.
fn dependencies<'a>(name: &str, metadata: &'a Metadata) -> impl Iterator<Item = &'a str> {
    let member = metadata.members().into_iter().find(|member| member.name == name);
    let edges = member.into_iter().flat_map(|member| &member.edges).filter(|edge| edge.kind == Kind::Normal);
    edges.filter_map(|edge| metadata.target(edge)).filter(|to| to.is_member).map(|to| to.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "\
# SDK
```console
$ cargo run --example quickstart
$ cargo test --workspace
```
## What each crate is for
| crate | for |
| --- | --- |
| [`mcp-types`](crates/mcp-types) | types |
| [`mcp-client`](crates/mcp-client) | the client |
## Limits
";

    fn metadata() -> Metadata {
        Metadata::default()
            .member("mcp-types", &[])
            .member("mcp-client", &[(Kind::Normal, "mcp-types"), (Kind::Dev, "mcp-testkit")])
            .member("mcp-testkit", &[(Kind::Normal, "mcp-types")])
    }

    fn problems(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| finding.problem).collect()
    }

    fn command_problems(text: &str) -> Vec<String> {
        problems(commands(text, &MAIN.map(str::to_string), &[("cargo xtask ci", "it is CI")]))
    }

    fn crate_problems(text: &str, crates: &[&str]) -> Vec<String> {
        let crates: Vec<_> = crates.iter().map(ToString::to_string).collect();
        problems(crate_list(text, &crates, &metadata()))
    }

    #[test]
    fn a_command_is_run_or_listed() {
        assert_eq!(command_problems(README), [""; 0]);
        let more = format!("{README}```sh\ncargo xtask ci\ncargo bench\nnpx thing\n```\n");
        assert_eq!(command_problems(&more), ["CI does not run `cargo bench`"]);
    }

    #[test]
    fn the_main_commands_are_shown() {
        assert_eq!(command_problems("# SDK\nrun `cargo test --workspace`\n").len(), 2);
    }

    #[test]
    fn the_list_of_crates_is_whole() {
        assert_eq!(crate_problems(README, &["mcp-client", "mcp-types"]), [""; 0]);
        let missing = crate_problems(README, &["mcp-client", "mcp-testkit", "mcp-types"]);
        assert_eq!(missing, ["`mcp-testkit` is not in the list of crates"]);
        assert_eq!(crate_problems(README, &["mcp-types"]), ["there is no crate `mcp-client`"]);
        assert_eq!(crate_problems("# SDK\n", &["mcp-types"]), ["has no section about the crates"]);
    }

    #[test]
    fn a_crate_comes_after_those_it_depends_on() {
        let text = "## Crates\n- `mcp-client`: the client\n- `mcp-types`: types\n";
        let problems = crate_problems(text, &["mcp-client", "mcp-types"]);
        assert_eq!(problems, ["`mcp-client` comes before `mcp-types`, on which it depends"]);
    }

    #[test]
    fn commands_that_are_not_run_have_reasons_and_are_not_run() {
        let run: Vec<String> =
            steps::all(&[]).iter().flat_map(|step| step.actions.iter().map(steps::Action::line)).collect();
        for (command, reason) in NOT_RUN {
            assert!(!run.iter().any(|line| line == command) && !reason.is_empty(), "{command}");
        }
    }
}
