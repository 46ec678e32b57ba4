//! The steps of CI. What the README promises (`cargo test --workspace`, the quickstart) is run as it stands there.

use std::{fs, path::Path, time::Duration};

use crate::{command::Failure, fuzz, process::Invocation};

/// For a step whose length is that of a build. A cold run of all of them together takes a fraction of it; it is there so
/// that a hang is reported by its name before the runner's own limit ends everything.
const BUILD_LIMIT: Duration = Duration::from_secs(20 * 60);

/// For an example that is already built.
const EXAMPLE_LIMIT: Duration = Duration::from_secs(60);

/// Examples that are run, not only compiled: those that end by themselves and need nothing from outside.
const EXAMPLES: &[&str] = &[
    "quickstart",
    "http_quickstart",
    "custom_method",
    "progress_and_cancel",
    "websocket_transport",
    "server_to_client",
    "multi_round_trip",
    "agent_loop",
    "inspect",
];

/// The tool call that the README shows first.
const CALL: &str = "cargo run -p mcp-cli -- call --demo add a=2 b=40";

const DOCTOR_TYPESCRIPT: &str = "cargo run -p mcp-cli -- doctor -- node target/interop/npm/sdk2/sdk2.mjs";
const DOCTOR_PYTHON: &str = "cargo run -p mcp-cli -- doctor -- target/interop/python/sdk2/bin/mcp-server-time --local-timezone Europe/Oslo";
const CALL_EVERYTHING: &str = "cargo run -p mcp-cli -- call get-sum a=2 b=40 -- node \
     target/interop/npm/sdk1/node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A named part of CI.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// In their order; the step ends at the first that fails.
    pub(crate) actions: Vec<Action>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Process(Invocation),
    /// In this process: the tests may have replaced the file of this program by now.
    Tidy,
    /// In this process, for the same reason.
    Schema,
    /// In this process, for the same reason.
    Interop,
    /// In this process, for the same reason.
    Conformance,
}

impl Action {
    /// The command that repeats it.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Process(invocation) => invocation.line(),
            Self::Tidy => "cargo xtask tidy".to_string(),
            Self::Schema => "cargo xtask schema".to_string(),
            Self::Interop => "cargo xtask interop --ci".to_string(),
            Self::Conformance => "cargo xtask conformance".to_string(),
        }
    }
}

/// What a user may leave out of mcp-transport-http.
const HTTP_FEATURES: [&str; 6] = ["http2", "proxy", "tls", "http2,proxy", "http2,tls", "proxy,tls"];

/// Every step, for these crates: what answers in seconds first. Steps that check come before those that build, next to each
/// other, since they share what they make of the dependencies.
pub(crate) fn all(crates: &[String]) -> Vec<Step> {
    let alone = crates.iter().map(|name| format!("cargo check -p {name} --no-default-features"));
    let features = HTTP_FEATURES.iter().map(|features| {
        format!("cargo clippy -p mcp-transport-http --no-default-features -F {features} -- -D warnings")
    });
    let examples = EXAMPLES.iter().flat_map(|name| {
        // Built first, so that the limit is for the run alone.
        let build = cargo(format!("cargo build --example {name}"));
        [build, process(Invocation::new(&format!("cargo run --example {name}")).limit(EXAMPLE_LIMIT))]
    });
    let docs = Invocation::new("cargo doc --workspace --no-deps --all-features").limit(BUILD_LIMIT);
    vec![
        Step { name: "fmt", about: "formatting", actions: vec![cargo("cargo fmt --all --check")] },
        Step { name: "tidy", about: "rules about the workspace itself", actions: vec![Action::Tidy] },
        Step {
            name: "clippy",
            about: "lints, with warnings denied",
            actions: vec![cargo("cargo clippy --workspace --all-targets --all-features -- -D warnings")],
        },
        Step {
            name: "alone",
            about: "each crate by itself without default features, and the features of HTTP by themselves",
            actions: alone.chain(features).map(cargo).collect(),
        },
        Step {
            name: "docs",
            about: "documentation, with broken links denied",
            actions: vec![process(docs.environment("RUSTDOCFLAGS", "-D warnings"))],
        },
        Step {
            name: "schema",
            about: "the types of mcp-types against the official schemas",
            actions: vec![Action::Schema],
        },
        Step {
            name: "test",
            about: "tests and documentation tests",
            actions: vec![cargo("cargo test --workspace")],
        },
        Step {
            name: "fuzz",
            about: "fuzz targets with generated input",
            actions: vec![
                cargo("cargo fmt --manifest-path fuzz/Cargo.toml --check"),
                process(Invocation::new(fuzz::SMOKE).limit(BUILD_LIMIT)),
            ],
        },
        Step { name: "quickstart", about: "examples that run by themselves", actions: examples.collect() },
        Step {
            name: "command",
            about: "the command of the README's first screen",
            actions: vec![
                cargo("cargo build -p mcp-cli"),
                process(Invocation::new(CALL).limit(EXAMPLE_LIMIT)),
            ],
        },
        Step {
            name: "interop",
            about: "the client against servers that others wrote, fetched from the package registries",
            actions: vec![
                cargo(
                    "cargo fmt --manifest-path interop/Cargo.toml -p interop-driver -p interop-rmcp --check",
                ),
                cargo(interop("clippy", "--workspace --all-targets -- -D warnings")),
                cargo(interop("test", "--package interop-driver")),
                Action::Interop,
                // The command against servers that the interop run has fetched.
                process(Invocation::new(DOCTOR_TYPESCRIPT).limit(EXAMPLE_LIMIT)),
                process(Invocation::new(DOCTOR_PYTHON).limit(EXAMPLE_LIMIT)),
                process(Invocation::new(CALL_EVERYTHING).limit(EXAMPLE_LIMIT)),
            ],
        },
        Step {
            name: "conformance",
            about: "the client against the official conformance suite, fetched from npm",
            actions: vec![Action::Conformance],
        },
        Step {
            name: "memory",
            about: "the client's memory stays bounded: a flood, calls cancelled half-way, a long run (shortened)",
            actions: vec![cargo("cargo xtask bench memory --quick --check")],
        },
    ]
}

/// The packages in `crates/`.
pub(crate) fn crate_names(root: &Path) -> Result<Vec<String>, Failure> {
    let failed = |error| Failure::failed(format!("crates/: {error}"));
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("crates")).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// A command on the workspace in `interop/`, in the target folder that `xtask interop` uses.
fn interop(command: &str, rest: &str) -> String {
    format!(
        "cargo --locked {command} --manifest-path interop/Cargo.toml --target-dir target/interop/build {rest}"
    )
}

fn cargo(line: impl AsRef<str>) -> Action {
    process(Invocation::new(line.as_ref()).limit(BUILD_LIMIT))
}

fn process(invocation: Invocation) -> Action {
    Action::Process(invocation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<String> {
        let crates = ["mcp-types".to_string(), "mcp-client".to_string()];
        all(&crates).iter().flat_map(|step| step.actions.iter().map(Action::line)).collect()
    }

    #[test]
    fn the_main_commands_of_the_readme_are_run_as_they_stand() {
        for command in ["cargo test --workspace", "cargo run --example quickstart"] {
            assert!(lines().iter().any(|line| line == command), "{command}");
        }
    }

    #[test]
    fn each_crate_is_checked_alone() {
        for name in ["mcp-types", "mcp-client"] {
            assert!(lines().contains(&format!("cargo check -p {name} --no-default-features")));
        }
    }

    #[test]
    fn an_example_is_built_before_its_limit_starts() {
        let lines = lines();
        let place = |line: &str| lines.iter().position(|other| other == line).unwrap();
        assert!(place("cargo build --example quickstart") < place("cargo run --example quickstart"));
    }

    #[test]
    fn names_of_steps_are_unique() {
        let mut names: Vec<_> = all(&[]).iter().map(|step| step.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
