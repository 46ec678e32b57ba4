//! The verbs about recordings.

use std::{fs, path::Path};

use clap::Parser;

use crate::{
    args::{Cli, Record, Replay, View},
    console,
    failure::{Failure, Status},
    recording::{self, Recording},
};

/// Does another verb, and records what passes.
pub(super) async fn record(verb: Record) -> Result<Status, Failure> {
    let words = std::iter::once("mcp".into()).chain(verb.words);
    let mut inner = match Cli::try_parse_from(words) {
        Ok(cli) => cli.verb,
        Err(error) => return crate::refuse(&error),
    };
    let Some(common) = inner.common_mut() else {
        return Err(Failure::usage("record takes a verb that speaks to a server")
            .hint("for example: mcp record session.jsonl call --demo add a=2 b=40"));
    };
    common.record = Some(verb.file.clone());
    let outcome = Box::pin(inner.run()).await;
    // What led to a failure is what one wants to look at.
    if verb.file.exists() && !matches!(&outcome, Err(failure) if failure.status == Status::Usage) {
        console::note(&format!("recorded to {}", verb.file.display()));
        if let Some(page) = &verb.html {
            write(page, &recording::page(&Recording::read(&verb.file)?))?;
            console::note(&format!("the page: {}", page.display()));
        }
    }
    outcome
}

pub(super) async fn replay(verb: Replay) -> Result<Status, Failure> {
    let recording = Recording::read(&verb.file)?;
    recording::serve(&recording).await?;
    Ok(Status::Success)
}

pub(super) fn view(verb: &View) -> Result<Status, Failure> {
    let page = recording::page(&Recording::read(&verb.file)?);
    let Some(path) = &verb.output else {
        console::print(&page);
        return Ok(Status::Success);
    };
    write(path, &page)?;
    Ok(Status::Success)
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    fs::write(path, page).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
