//! `cargo xtask interop`: our client against servers that others wrote.
//!
//! `interop/` is a workspace of its own. Its `scenarios` say which servers there are and what is done with each; its
//! `driver` does it with one of them; its `servers` are small ones of our own, one on each SDK. This module fetches what
//! they need, pinned, into `target/interop`, runs the driver once a run, and reports.

mod catalogue;
mod drive;
mod install;
mod report;

use std::{
    fs,
    path::{Path, PathBuf},
};

use catalogue::{Catalogue, Server};
use install::Installer;
use report::{Report, Summary};

use crate::{
    command::{Command, Failure},
    repository,
};

pub(crate) const COMMAND: Command = Command {
    name: "interop",
    summary: "Runs our client against servers that others wrote",
    usage: "\
Usage: cargo xtask interop [--ci] [--only SERVER]... [--list] [--json FILE]

Fetches the servers, pinned, into target/interop, from the package registries that npm, pip and cargo are set up for, and
runs a scenario against each. Needs Node.js 20, npm, Python 3.10 and git.

  --ci           Those that CI runs
  --only SERVER  This server alone; may be repeated
  --list         Print the servers, run nothing
  --json FILE    Write the reports as JSON too
",
    run: |arguments| run(&repository::root()?, &Options::parse(arguments)?, &[]),
};

/// What CI runs; `settings` are the environment of the builds, beside our own.
pub(crate) fn run_ci(root: &Path, settings: &[(&'static str, &'static str)]) -> Result<(), Failure> {
    run(root, &Options { ci: true, ..Options::default() }, settings)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    ci: bool,
    only: Vec<String>,
    list: bool,
    json: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value")));
            match word.as_str() {
                "--ci" => options.ci = true,
                "--list" => options.list = true,
                "--only" => options.only.push(value()?.clone()),
                "--json" => options.json = Some(value()?.into()),
                other => return Err(Failure::usage(format!("no option `{other}`"))),
            }
        }
        Ok(options)
    }

    /// The servers that are asked for.
    fn choose<'a>(&self, catalogue: &'a Catalogue) -> Result<Vec<&'a Server>, Failure> {
        let names: Vec<&str> = catalogue.servers.iter().map(|server| server.name.as_str()).collect();
        if let Some(unknown) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(Failure::usage(format!(
                "no server `{unknown}`; the servers are {}",
                names.join(", ")
            )));
        }
        let wanted = |server: &&Server| {
            (!self.ci || server.ci) && (self.only.is_empty() || self.only.contains(&server.name))
        };
        Ok(catalogue.servers.iter().filter(wanted).collect())
    }
}

fn run(root: &Path, options: &Options, settings: &[(&'static str, &'static str)]) -> Result<(), Failure> {
    let catalogue = Catalogue::read(root)?;
    let servers = options.choose(&catalogue)?;
    if options.list {
        for server in servers {
            let mark = if server.ci { "ci" } else { "" };
            println!("{:<28} {mark:<3} {:<5} {}", server.name, server.way(), server.about);
        }
        return Ok(());
    }
    let mut installer = Installer::new(root, settings)?;
    let driver = installer.driver()?;
    let mut summary = Summary::default();
    let ready: Vec<_> = servers.iter().map(|server| installer.install(server)).collect();
    println!("\n{}", report::head());
    for (server, ready) in servers.into_iter().zip(ready) {
        for run in &server.runs {
            let report = match &ready {
                Ok(()) => drive::run(&driver, &installer.home, server, run),
                Err(why) => Report::impossible(server, run, why),
            };
            println!("{}", report.line());
            summary.add(report);
        }
    }
    print!("\n{summary}");
    if let Some(file) = &options.json {
        fs::write(file, summary.json())
            .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
    }
    summary.result()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failure> {
        Options::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let options = parse(&["--only", "rmcp", "--json", "out.json", "--ci"]).unwrap();
        assert_eq!(options.only, ["rmcp"]);
        assert_eq!((options.ci, options.list, options.json), (true, false, Some("out.json".into())));
        assert_eq!(parse(&["--only"]).unwrap_err().exit_code(), 2);
        assert_eq!(parse(&["--fast"]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn servers_are_chosen_by_name_and_by_mark() {
        let catalogue = Catalogue::of(&[("one", true), ("two", false)]);
        let names = |words: &[&str]| -> Result<Vec<String>, Failure> {
            let chosen = parse(words)?.choose(&catalogue)?;
            Ok(chosen.into_iter().map(|server| server.name.clone()).collect())
        };
        assert_eq!(names(&[]), Ok(vec!["one".into(), "two".into()]));
        assert_eq!(names(&["--ci"]), Ok(vec!["one".into()]));
        assert_eq!(names(&["--only", "two"]), Ok(vec!["two".into()]));
        assert_eq!(names(&["--only", "three"]).unwrap_err().exit_code(), 2);
    }
}
