//! The client under test of the official conformance suite.
//!
//! The suite starts a server, and then this program, once for each scenario. It says in the environment what the scenario
//! is ([`task`]); [`scenarios`] makes the calls that the scenario is about. Everything that is protocol is done by
//! mcp-client and mcp-transport-http: what fails here fails in an application.

mod scenarios;
mod task;

use std::{error::Error, process::ExitCode, time::Duration};

use task::Task;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The suite waits for 30 s, and after that for as long as the client hangs.
const LIMIT: Duration = Duration::from_secs(25);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (end, code) = match tokio::time::timeout(LIMIT, run()).await {
        Ok(Ok(())) => ("done", ExitCode::SUCCESS),
        Ok(Err(error)) => {
            eprintln!("error: {error}");
            ("failed", ExitCode::FAILURE)
        }
        Err(_) => {
            eprintln!("error: not done after {LIMIT:?}");
            ("hung", ExitCode::FAILURE)
        }
    };
    // Some scenarios allow any exit status, and the suite takes death by a signal for 0. What is read is this line.
    println!("end: {end}");
    code
}

async fn run() -> Result<()> {
    scenarios::run(&Task::read()?).await
}
