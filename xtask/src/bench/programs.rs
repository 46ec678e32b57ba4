use std::{
    env,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::workloads::{Measure, Server, Workload};
use crate::command::Failure;

/// The drivers and their server.
pub(super) struct Programs {
    target: PathBuf,
}

/// A driver that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);
/// Memory is looked at over a long time.
const LONG_LIMIT: Duration = Duration::from_secs(1_200);

impl Programs {
    /// In a target folder of their own: their features and profile differ from those of the workspace.
    pub(super) fn of(root: &Path) -> Self {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Self { target: root.join(target).join("bench") }
    }

    pub(super) fn build(&self, root: &Path) -> Result<(), Failure> {
        let status = cargo()
            .args(["build", "--release", "--manifest-path", "benches/Cargo.toml", "--target-dir"])
            .arg(&self.target)
            .current_dir(root)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| Failure::failed(format!("cannot start cargo: {error}")))?;
        if !status.success() {
            return Err(Failure::failed(format!("the drivers cannot be built: {status}")));
        }
        Ok(())
    }

    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Runs a driver once, and returns the figures that it reports.
    pub(super) fn run(&self, driver: &str, workload: &Workload) -> Result<Value, Failure> {
        self.figures(driver, workload)
            .map_err(|why| Failure::failed(format!("{driver}, {}: {why}", workload.name)))
    }

    fn figures(&self, driver: &str, workload: &Workload) -> Result<Value, String> {
        let server = match workload.server {
            Server::Child => None,
            Server::Http(arguments) => Some(Running::start(&self.path("server"), arguments)?),
        };
        let url = server.as_ref().map(|server| server.url.as_str());
        if workload.measure == Measure::Start {
            return self.start(driver, workload, url);
        }
        let mut command = self.command(driver, workload, url);
        command.args(["--operations", &workload.operations.to_string()]);
        command.args(["--warmup", &workload.warmup.to_string()]);
        if matches!(workload.measure, Measure::Allocations | Measure::Kept) {
            command.args(["--threads", "1", "--allocations"]);
        }
        let limit = if workload.measure == Measure::Memory { LONG_LIMIT } else { LIMIT };
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        wait(&mut child, limit)?;
        let mut text = String::new();
        if let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut text).map_err(|error| error.to_string())?;
        }
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text:?}"))
    }

    /// Starts a driver as often as the workload says; the median time until it says that it has its first result.
    fn start(&self, driver: &str, workload: &Workload, url: Option<&str>) -> Result<Value, String> {
        let mut walls = Vec::new();
        for _ in 0..workload.operations {
            let begun = Instant::now();
            let mut child = self.command(driver, workload, url).spawn().map_err(|error| error.to_string())?;
            let mut ready = [0; 6];
            let read = child.stdout.as_mut().map(|output| output.read_exact(&mut ready));
            let wall = begun.elapsed();
            wait(&mut child, LIMIT)?;
            if !matches!(read, Some(Ok(()))) || &ready != b"ready\n" {
                return Err("it did not get ready".into());
            }
            walls.push(wall.as_secs_f64() * 1e9);
        }
        walls.sort_by(f64::total_cmp);
        Ok(serde_json::json!({ "driver": driver, "wall_ns": walls[walls.len() / 2] }))
    }

    fn command(&self, driver: &str, workload: &Workload, url: Option<&str>) -> Command {
        let mut command = Command::new(self.path(driver));
        command.arg("--server").arg(self.path("server")).args(&workload.arguments);
        for (name, size) in &workload.size {
            command.args([name, size.to_string().as_str()]);
        }
        if let Some(url) = url {
            command.args(["--url", url]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.target.join("release").join(format!("bench-{name}{}", env::consts::EXE_SUFFIX))
    }
}

/// Cargo as from a shell. What `cargo run` tells the programs that it runs would make build scripts run again that look at
/// it.
pub(super) fn cargo() -> Command {
    let mut command = Command::new("cargo");
    for (name, _) in env::vars_os() {
        let told = name.to_str().is_some_and(|name| {
            ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|start| name.starts_with(start))
                || matches!(name, "CARGO" | "CARGO_CRATE_NAME" | "CARGO_PRIMARY_PACKAGE")
        });
        if told {
            command.env_remove(name);
        }
    }
    command
}

/// A server over HTTP, which ends with this.
struct Running {
    process: Child,
    url: String,
}

impl Running {
    fn start(program: &Path, arguments: &[&str]) -> Result<Self, String> {
        let mut command = Command::new(program);
        // Its standard input is held open: it ends with that.
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let process = command.spawn().map_err(|error| error.to_string())?;
        let mut running = Self { process, url: String::new() };
        let output = running.process.stdout.take().ok_or("no pipe")?;
        let read = BufReader::new(output).read_line(&mut running.url);
        running.url.truncate(running.url.trim_end().len());
        match read {
            Ok(_) if !running.url.is_empty() => Ok(running),
            read => Err(format!("the server does not say where it listens: {read:?}")),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Best effort: it ends with its standard input too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A driver writes one line, which fits into the pipe: it can be read afterwards.
fn wait(child: &mut Child, limit: Duration) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(status.to_string()),
            None if begun.elapsed() >= limit => {
                // Best effort: that it hangs is reported.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {limit:?}"));
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}
