//! Runs our client against one server by a scenario, and writes a report as JSON.
//!
//! ```sh
//! interop-driver SCENARIO SERVER RUN HOME WORK REPORT
//! ```
//!
//! SCENARIO is a file of `interop/scenarios`; SERVER and RUN name what is run of it. `{home}` and `{work}` in the file
//! stand for the folders HOME (what was installed) and WORK (an empty one, for this run), `{port}` for a free port of
//! loopback. The exit status says whether a report was made, not what is in it.

mod lines;
mod listening;
mod pattern;
mod processes;
mod report;
mod run;
mod scenario;
mod step;
mod user;

use std::{env, error::Error, fs, process::ExitCode};

use scenario::Places;

#[tokio::main]
async fn main() -> ExitCode {
    match start().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn start() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, server, run, home, work, report] = &arguments[..] else {
        return Err("usage: interop-driver SCENARIO SERVER RUN HOME WORK REPORT".into());
    };
    let places = Places { home: home.into(), work: work.into(), port: listening::free_port()? };
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = places.read(&text).map_err(|error| format!("{file}: {error}"))?;
    let server = scenario.server(server).ok_or_else(|| format!("{file}: no server `{server}`"))?;
    let run = server.run(run).ok_or_else(|| format!("{file}: no run `{run}` of `{}`", server.name))?;
    scenario.prepare(&places)?;
    let came = run::run(&scenario, server, run, &places).await;
    fs::write(report, serde_json::to_string(&came)?).map_err(|error| format!("{report}: {error}"))?;
    Ok(())
}
