//! Runs every target with generated input, on any compiler: a fixed number of inputs, the same for the same seed.
//!
//! `smoke [--seed SEED] [--times FACTOR] [TARGET...]`. The seed of CI is always the same; another one looks elsewhere, and
//! `--times 100` looks longer.

use std::{
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
    time::Instant,
};

use mcp_fuzz::{Target, generate::Random, targets::TARGETS};

const SEED: u64 = 20_260_728;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}", options.seed);
    let failed = options.targets.iter().filter(|target| !smoke(target, &options)).count();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Options {
    seed: u64,
    times: u64,
    targets: Vec<Target>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { seed: SEED, times: 1, targets: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().and_then(|value| value.parse().ok());
                value.ok_or_else(|| format!("`{argument}` needs a number"))
            };
            match argument.as_str() {
                "--seed" => options.seed = number()?,
                "--times" => options.times = number()?,
                name => {
                    let target = TARGETS.iter().find(|target| target.name == name);
                    options.targets.push(*target.ok_or_else(|| format!("no target or option `{name}`"))?);
                }
            }
        }
        if options.targets.is_empty() {
            options.targets = TARGETS.to_vec();
        }
        Ok(options)
    }
}

/// Whether all went well.
fn smoke(target: &Target, options: &Options) -> bool {
    let start = Instant::now();
    let inputs = target.inputs * options.times;
    let mut random = Random::new(options.seed);
    for index in 0..inputs {
        let input = (target.generate)(&mut random);
        if panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_err() {
            println!("{} FAILED at input {index}: {:?}", target.name, String::from_utf8_lossy(&input));
            println!("  its bytes: {}", input.escape_ascii());
            return false;
        }
    }
    println!("{:<9} ok, {inputs} inputs in {:.1} s", target.name, start.elapsed().as_secs_f64());
    true
}
