//! `cargo xtask ci`: one list of steps for a developer, `.ci/run` and the hosted workflow.

pub(crate) mod steps;
mod summary;

use std::{
    env,
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
    time::Instant,
};

use crate::{
    command::{Command, Failure},
    conformance, interop, repository, schema, tidy,
};
use steps::{Action, Step};
use summary::{Outcome, Summary};

pub(crate) const COMMAND: Command = Command {
    name: "ci",
    summary: "Runs the steps of CI, all or some",
    usage: "\
Usage: cargo xtask ci [--list] [--keep-going] [STEP...]

Runs the steps in the order of the list, or those that are named, and stops at the first that fails.

  --list        Print the steps and their commands, run nothing
  --keep-going  Go on with the next step after a failure; the exit status tells of it all the same

With CI in the environment everything is built without incremental state and with line tables as the only debug
information: that suits a cold run. CARGO_INCREMENTAL and CARGO_PROFILE_DEV_DEBUG override it.
",
    run,
};

/// Settings of a cold run: a fifth less time to build the tests, and two fifths less on the disk. Not for a developer,
/// whose own `cargo test` would then share nothing with this.
const COLD: [(&str, &str); 2] = [("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")];

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    list: bool,
    keep_going: bool,
    /// Names of steps; none means all.
    only: Vec<String>,
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let root = repository::root()?;
    let all = steps::all(&steps::crate_names(&root)?);
    let options = parse(arguments, &all)?;
    let chosen: Vec<&Step> = all
        .iter()
        .filter(|step| options.only.is_empty() || options.only.iter().any(|name| name == step.name))
        .collect();
    if options.list {
        print!("{}", list(&chosen));
        return Ok(());
    }
    let settings = settings(|name| env::var_os(name).is_some());
    for (name, value) in &settings {
        println!("{name}={value}");
    }
    let summary = run_steps(&chosen, options.keep_going, |action| perform(action, &root, &settings));
    print!("\n{summary}");
    summary.result()
}

fn parse(arguments: &[String], steps: &[Step]) -> Result<Options, Failure> {
    let mut options = Options::default();
    for argument in arguments {
        match argument.as_str() {
            "--list" => options.list = true,
            "--keep-going" => options.keep_going = true,
            name if steps.iter().any(|step| step.name == name) => options.only.push(name.to_string()),
            other => {
                let names: Vec<_> = steps.iter().map(|step| step.name).collect();
                return Err(Failure::usage(format!(
                    "no step or option `{other}`; the steps are {}",
                    names.join(", ")
                )));
            }
        }
    }
    Ok(options)
}

fn list(steps: &[&Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let _ = writeln!(text, "{:<11} {}", step.name, step.about);
        for action in &step.actions {
            let _ = writeln!(text, "{:<13} {}", "", action.line());
        }
    }
    text
}

fn settings(is_set: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    if is_set("CI") { COLD.into_iter().filter(|(name, _)| !is_set(name)).collect() } else { Vec::new() }
}

fn perform(action: &Action, root: &Path, settings: &[(&'static str, &'static str)]) -> Result<(), String> {
    println!("$ {}", action.line());
    // The program writes to the same standard output: what is ours must come first.
    io::stdout().flush().map_err(|error| error.to_string())?;
    match action {
        Action::Process(invocation) => invocation.run(root, settings),
        Action::Tidy => tidy::check_all(root).map_err(|failure| failure.to_string()),
        Action::Schema => schema::check(root, None, settings).map_err(|failure| failure.to_string()),
        Action::Interop => interop::run_ci(root, settings).map_err(|failure| failure.to_string()),
        Action::Conformance => conformance::run_ci(root, settings).map_err(|failure| failure.to_string()),
    }
}

fn run_steps(
    steps: &[&Step],
    keep_going: bool,
    mut perform: impl FnMut(&Action) -> Result<(), String>,
) -> Summary {
    let mut summary = Summary::default();
    let mut stopped = false;
    for step in steps {
        if stopped {
            summary.add(step.name, Outcome::NotRun);
            continue;
        }
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let failure = step.actions.iter().find_map(|action| Some((action, perform(action).err()?)));
        let took = start.elapsed();
        let outcome = match failure {
            None => Outcome::Passed { took },
            Some((action, why)) => Outcome::Failed { took, why, repeat: action.line() },
        };
        println!("== {}: {outcome}", step.name);
        stopped = !keep_going && matches!(outcome, Outcome::Failed { .. });
        summary.add(step.name, outcome);
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    fn some_steps() -> Vec<Step> {
        steps::all(&words(&["mcp-types"]))
    }

    #[test]
    fn arguments_name_steps_and_options() {
        let options = parse(&words(&["clippy", "--keep-going"]), &some_steps()).unwrap();
        assert_eq!(options, Options { list: false, keep_going: true, only: words(&["clippy"]) });
        let failure = parse(&words(&["clipy"]), &some_steps()).unwrap_err();
        assert!(
            failure.to_string().contains("`clipy`") && failure.to_string().contains("clippy"),
            "{failure}"
        );
    }

    #[test]
    fn the_first_failure_ends_the_run_unless_told_otherwise() {
        let steps = some_steps();
        let steps: Vec<_> = steps.iter().take(3).collect();
        let mut run = Vec::new();
        let summary = run_steps(&steps, false, |action| {
            run.push(action.line());
            if run.len() == 2 { Err("exit status: 1".to_string()) } else { Ok(()) }
        });
        assert_eq!(run, [steps[0].actions[0].line(), steps[1].actions[0].line()]);
        let failure = summary.result().unwrap_err().to_string();
        assert!(failure.contains(steps[1].name), "{failure}");

        let mut count = 0;
        let summary = run_steps(&steps, true, |_| {
            count += 1;
            Err("exit status: 1".to_string())
        });
        assert_eq!(count, 3);
        assert!(summary.result().is_err());
        assert!(run_steps(&steps, false, |_| Ok(())).result().is_ok());
    }

    #[test]
    fn a_step_ends_at_its_first_failing_command() {
        let step = Step {
            name: "two",
            about: "",
            actions: vec![Action::Tidy, Action::Process(crate::process::Invocation::new("cargo doc"))],
        };
        let mut run = 0;
        let summary = run_steps(&[&step], true, |_| {
            run += 1;
            Err("no".to_string())
        });
        assert_eq!(run, 1);
        assert!(summary.to_string().contains("cargo xtask tidy"));
    }

    #[test]
    fn settings_of_a_cold_run_yield_to_the_environment() {
        assert_eq!(settings(|_| false), []);
        assert_eq!(settings(|name| name == "CI"), COLD);
        assert_eq!(settings(|name| name == "CI" || name == "CARGO_INCREMENTAL"), COLD[1..]);
    }

    #[test]
    fn the_list_shows_what_would_run() {
        let steps = some_steps();
        let text = list(&steps.iter().collect::<Vec<_>>());
        for step in &steps {
            assert!(text.contains(step.about));
            assert!(step.actions.iter().all(|action| text.contains(&action.line())));
        }
    }
}
