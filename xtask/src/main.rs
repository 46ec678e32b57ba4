//! `cargo xtask`: the automation of this workspace, as a plain program.
//!
//! It runs cargo and other programs as processes and depends on no product crate, so that it builds in seconds and still
//! works when the product does not compile.
//!
//! - [`bench`](mod@bench): our client beside a hand-written loop and beside rmcp.
//! - [`ci`]: the one list of steps that a developer, `.ci/run` and the hosted workflow run.
//! - [`conformance`]: our client against the official conformance suite.
//! - [`fuzz`]: the fuzz targets of `fuzz/` with generated input.
//! - [`interop`]: our client against servers that others wrote.
//! - [`schema`]: the types of mcp-types against the official schemas.
//! - [`tidy`]: rules about the workspace itself: arrows between crates, sizes, documents, banned code.
//!
//! A new subcommand is a module with a [`Command`] constant and an entry in [`COMMANDS`].

mod bench;
mod ci;
mod command;
mod conformance;
mod fuzz;
mod install;
mod interop;
mod metadata;
mod process;
mod programs;
mod repository;
mod schema;
mod tidy;

use std::{fmt::Write as _, process::ExitCode};

use command::{Command, Failure};

/// Every subcommand, in the order of the help.
const COMMANDS: &[Command] = &[
    bench::COMMAND,
    ci::COMMAND,
    conformance::COMMAND,
    fuzz::COMMAND,
    interop::COMMAND,
    schema::COMMAND,
    tidy::COMMAND,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", help());
        return Ok(());
    };
    match (name.as_str(), rest) {
        ("help" | "--help" | "-h", []) => {
            print!("{}", help());
            Ok(())
        }
        ("help", [topic, ..]) => {
            print!("{}", find(topic)?.help());
            Ok(())
        }
        (name, rest) => {
            let command = find(name)?;
            if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
                print!("{}", command.help());
                return Ok(());
            }
            (command.run)(rest)
        }
    }
}

fn find(name: &str) -> Result<&'static Command, Failure> {
    COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| Failure::usage(format!("no subcommand `{name}`; `cargo xtask help` lists them")))
}

fn help() -> String {
    let mut text =
        String::from("The automation of this workspace.\n\nUsage: cargo xtask <SUBCOMMAND> [ARGUMENTS]\n\n");
    for command in COMMANDS {
        let _ = writeln!(text, "  {:<11} {}", command.name, command.summary);
    }
    text.push_str("  help        This text, or with a subcommand's name the help of that\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn help_names_every_subcommand_and_each_has_its_own() {
        for command in COMMANDS {
            assert!(help().contains(command.summary), "{}", command.name);
            assert!(command.help().contains(&format!("cargo xtask {}", command.name)));
            assert!(dispatch(&arguments(&["help", command.name])).is_ok());
            assert!(dispatch(&arguments(&[command.name, "--help"])).is_ok());
        }
    }

    #[test]
    fn an_unknown_subcommand_is_a_usage_error() {
        let failure = dispatch(&arguments(&["no-such-thing"])).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.to_string().contains("no-such-thing"));
    }
}
