//! Runs our client against one server by a scenario, and prints a report as JSON.
//!
//! ```sh
//! interop-driver SCENARIO SERVER RUN HOME SOURCE WORK
//! ```
//!
//! SCENARIO is a file of `interop/scenarios`; SERVER and RUN name what is run of it. `{home}`, `{source}` and `{work}` in
//! the file stand for the folders HOME (what was installed), SOURCE (`interop/`) and WORK (a fresh one, for this run).
//! The exit status says whether a report was made, not what is in it.

mod pattern;
mod processes;
mod report;
mod run;
mod scenario;
mod step;
mod user;

use std::{env, error::Error, fs, path::PathBuf, process::ExitCode};

use scenario::Folders;

#[tokio::main]
async fn main() -> ExitCode {
    match start().await {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn start() -> Result<String, Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, server, run, home, source, work] = &arguments[..] else {
        return Err("usage: interop-driver SCENARIO SERVER RUN HOME SOURCE WORK".into());
    };
    let folders = Folders { home: home.into(), source: source.into(), work: PathBuf::from(work) };
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = folders.read(&text).map_err(|error| format!("{file}: {error}"))?;
    let server = scenario.server(server).ok_or_else(|| format!("{file}: no server `{server}`"))?;
    let run = server.run(run).ok_or_else(|| format!("{file}: no run `{run}` of `{}`", server.name))?;
    scenario.prepare(&folders)?;
    let report = run::run(&scenario, server, run, &folders).await;
    Ok(serde_json::to_string(&report)?)
}
