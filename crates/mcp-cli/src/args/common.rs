use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::Args;
use mcp_types::Revision;

/// Which server.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct TargetArgs {
    /// Starts this command and speaks to it on its standard input and output
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,

    /// A variable for the command's environment: NAME=VALUE, or NAME to pass on ours
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = variable)]
    pub(crate) env: Vec<String>,

    /// The server at this URL
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// A header field for every request to the URL
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub(crate) headers: Vec<String>,

    /// Sends the token in this environment variable: `Authorization: Bearer …`
    #[arg(long, value_name = "VAR")]
    pub(crate) bearer_env: Option<String>,

    /// The embedded demo server
    #[arg(long)]
    pub(crate) demo: bool,

    /// A file with `mcpServers`, as Claude Desktop, Cursor and VS Code write it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// The server of that name in the file
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
}

/// How a verb is carried out.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Connection and output")]
pub(crate) struct Common {
    /// Speaks this revision only, for example 2025-11-25
    #[arg(long, value_name = "VERSION", value_parser = revision)]
    pub(crate) protocol: Option<Revision>,

    /// How long all of it may take, connecting included
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Shows every message on standard error. Messages may hold secrets
    #[arg(long)]
    pub(crate) trace: bool,

    /// Writes exactly one JSON document to standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Records the session to this file: what `record` sets.
    #[arg(skip)]
    pub(crate) record: Option<PathBuf>,
}

pub(super) fn revision(text: &str) -> Result<Revision, String> {
    Revision::from_wire(text).ok_or_else(|| {
        let known: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
        format!("not a revision that this client knows: {}", known.join(", "))
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    /// More than a year bounds nothing.
    const MOST: f64 = 366.0 * 86_400.0;
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(Duration::from_secs_f64(seconds)),
        Ok(_) => Err("not more than zero and at most a year".into()),
        Err(_) => Err("not a number of seconds".into()),
    }
}

fn variable(text: &str) -> Result<String, String> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    if name.is_empty() { Err("no name before the `=`".into()) } else { Ok(text.to_owned()) }
}
