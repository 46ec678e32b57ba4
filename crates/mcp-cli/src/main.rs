//! `mcp`: lists, calls, watches, records and diagnoses any MCP server.
//!
//! From the outside in: `args` (what can be said), `verbs` (a file each), `session` (a connection within limits),
//! `target` and `config` (which server), `console` (what is written, and how). Exit statuses are in `failure`.

// Texts for people are put together from pieces; an allocation more costs nothing here.
#![allow(clippy::format_push_string)]

mod args;
mod arguments;
mod config;
mod console;
mod content;
mod doctor;
mod failure;
mod form;
mod listing;
mod nearest;
#[cfg(test)]
mod properties;
mod recording;
mod secrets;
mod session;
mod signature;
mod target;
mod verbs;

use std::{env, process, time::Duration};

use clap::{Parser, error::ErrorKind};

use args::Cli;
use failure::{Failure, Status};

/// How long what was left running has to end.
const LAST_WAIT: Duration = Duration::from_secs(1);

fn main() {
    let (status, json) = match Cli::try_parse() {
        Ok(mut cli) => {
            let json = cli.verb.wants_json();
            (run(cli), json)
        }
        Err(error) => {
            (refuse(&error), env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json"))
        }
    };
    let status = match status {
        // A result that nobody got is none.
        Ok(_) if console::output_is_lost() => Status::Transport,
        Ok(status) => status,
        Err(failure) => {
            failure.tell();
            if json {
                console::print_json(failure.document().as_str());
            }
            failure.status
        }
    };
    // Not by returning: a thread may wait for the terminal.
    process::exit(i32::from(status as u8));
}

fn run(cli: Cli) -> Result<Status, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Status::Transport, format!("no runtime: {error}")))?;
    let outcome = runtime.block_on(cli.verb.run());
    // Drops what still runs, and with it the processes of servers.
    runtime.shutdown_timeout(LAST_WAIT);
    outcome
}

/// Help and version are no failures.
pub(crate) fn refuse(error: &clap::Error) -> Result<Status, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            console::print(&error.render().to_string());
            Ok(Status::Success)
        }
        _ => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            Err(Failure::usage(text.trim_end()))
        }
    }
}
