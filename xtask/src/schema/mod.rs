//! `cargo xtask schema`: mcp-types, proved against the official schemas.
//!
//! The types describe themselves (the example `inventory` of mcp-types prints it), and [`check`](mod@check) compares that with the
//! schema of every revision: each definition and property has its place, and everything in Rust has a source.
//! [`examples`] sends every official example, and variations of it, through the types. What does not agree is a
//! [`finding::Finding`]; what may stay so is a line of `xtask/schema-waivers.txt`, and a line too many fails, too.

mod builtin;
mod check;
mod compare;
mod document;
mod errors;
mod examples;
mod finding;
mod inventory;
mod json;
mod listed;
mod messages;
mod program;
mod revision;
mod rust_type;
mod seen;
mod spec;
#[cfg(test)]
mod tests;
mod union;
mod waivers;

use std::{fs, path::Path};

use crate::{
    command::{Command, Failure},
    repository::{self, Files},
};

pub(crate) const COMMAND: Command = Command {
    name: "schema",
    summary: "Checks the types of mcp-types against the official schemas",
    usage: "\
Usage: cargo xtask schema [--spec DIR]

Compares every definition and property of all revisions with the types, and sends the official examples through them.

  --spec DIR  The folder `schema` of the specification's repository. Without it MCP_SPEC_SCHEMA names the folder,
              and without that it is ../shared/spec/schema, from the root of the workspace.
",
    run,
};

fn run(arguments: &[String]) -> Result<(), Failure> {
    let folder = match arguments {
        [] => None,
        [option, folder] if option == "--spec" => Some(folder.as_str()),
        [option] if option.starts_with("--spec=") => option.split_once('=').map(|(_, folder)| folder),
        _ => return Err(Failure::usage("it takes `--spec DIR` and nothing else")),
    };
    check(&repository::root()?, folder, &[])
}

/// Checks everything. `folder`: where the schemas are, if not at the place that is looked at by default. `settings`: the
/// environment of programs that it starts, beside its own.
///
/// # Errors
/// Something does not agree, a waiver is stale, or the schemas are not there.
pub(crate) fn check(
    root: &Path,
    folder: Option<&str>,
    settings: &[(&'static str, &'static str)],
) -> Result<(), Failure> {
    let folder = spec::folder(folder, root);
    let documents = spec::documents(&folder)?;
    let waivers = fs::read_to_string(root.join(waivers::FILE))
        .map_err(|error| error.to_string())
        .and_then(|text| waivers::Waivers::parse(&text))
        .map_err(Failure::failed)?;
    let types = program::Types { root, settings };
    let inventory = inventory::Inventory::parse(&types.inventory()?)
        .map_err(|why| Failure::failed(format!("the inventory of mcp-types: {why}")))?;
    let outcome = check::compare(&inventory, &documents);
    println!("{}", check::Table(&outcome, &waivers));
    let latest = documents.last().ok_or_else(|| Failure::failed("there is no revision"))?;
    let unlisted = listed::unlisted(&Files::read(root)?, &inventory);
    let examples = spec::examples(&folder)?;
    let trips = examples::check(&inventory, latest, &examples, |lines| types.round_trip(lines))?;
    println!("{trips}\n");
    let findings = outcome.findings.iter().chain(&unlisted).chain(&trips.findings);
    let mut problems: Vec<_> =
        findings.filter(|finding| !waivers.cover(finding)).map(ToString::to_string).collect();
    problems.extend(waivers.stale());
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        count => Err(Failure::failed(format!("{count} problems; each line above says what to do about one"))),
    }
}
