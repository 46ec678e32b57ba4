//! `cargo xtask fuzz`: the fuzz targets with generated input, on any compiler.
//!
//! The targets and the program that drives them are in `fuzz/`, a workspace of its own.

use crate::{
    command::{Command, Failure},
    process::Invocation,
    repository,
};

pub(crate) const COMMAND: Command = Command {
    name: "fuzz",
    summary: "Runs the fuzz targets with generated input, the same on every run",
    usage: "\
Usage: cargo xtask fuzz [--seed SEED] [--times FACTOR] [TARGET...]

Runs every target, or those that are named, with a fixed number of inputs, and shows the first input that fails.

  --seed SEED     Other inputs than those of CI
  --times FACTOR  So many times more of them

With a nightly compiler and cargo-fuzz, `cargo +nightly fuzz run --features libfuzzer TARGET` lets coverage choose the
inputs.
",
    run,
};

/// What CI runs.
pub(crate) const SMOKE: &str =
    "cargo run --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --bin smoke";

fn run(arguments: &[String]) -> Result<(), Failure> {
    Invocation::new(&line(arguments)).run(&repository::root()?, &[]).map_err(Failure::failed)
}

fn line(arguments: &[String]) -> String {
    if arguments.is_empty() { SMOKE.to_string() } else { format!("{SMOKE} -- {}", arguments.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_go_to_the_program() {
        assert_eq!(line(&[]), SMOKE);
        let line = line(&["--seed".to_string(), "7".to_string(), "types".to_string()]);
        assert_eq!(line.strip_prefix(SMOKE), Some(" -- --seed 7 types"));
    }
}
