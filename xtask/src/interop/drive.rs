//! One run of the driver.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    catalogue::{Run, Server},
    report::Report,
};
use crate::process::Invocation;

/// Beyond the limit of the server, which the driver keeps: to close what hangs, and to look for what is left.
const GRACE: Duration = Duration::from_secs(30);

/// Runs the scenario of `server` once, in an empty folder.
pub(super) fn run(driver: &Path, home: &Path, server: &Server, run: &Run) -> Report {
    let name = format!("{}-{}", server.name, run.name());
    let (work, file) = (home.join("work").join(&name), home.join("work").join(format!("{name}.json")));
    match attempt(driver, home, server, run, &work, &file) {
        Ok(report) => report,
        Err(why) => Report::impossible(server, run, &why),
    }
}

fn attempt(
    driver: &Path,
    home: &Path,
    server: &Server,
    run: &Run,
    work: &PathBuf,
    file: &PathBuf,
) -> Result<Report, String> {
    let _ = (fs::remove_dir_all(work), fs::remove_file(file));
    fs::create_dir_all(work).map_err(|error| format!("{}: {error}", work.display()))?;
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let invocation = Invocation::of([
        path(driver),
        path(&server.scenario),
        server.name.clone(),
        run.name().to_string(),
        path(home),
        path(work),
        path(file),
    ]);
    invocation.limit(server.limit() + GRACE).run(home, &[])?;
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Report::read(&text)
}
