use std::{
    env,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::workloads::{Measure, Workload};
use crate::command::Failure;

/// The built drivers and their server.
pub(super) struct Programs(PathBuf);

/// A driver that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

impl Programs {
    /// Builds them, in a target folder of their own: their features and profile differ from those of the workspace.
    pub(super) fn build(root: &Path) -> Result<Self, Failure> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let target = root.join(target).join("bench");
        let status = Command::new("cargo")
            .args(["build", "--release", "--manifest-path", "benches/Cargo.toml", "--target-dir"])
            .arg(&target)
            .current_dir(root)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| Failure::failed(format!("cannot start cargo: {error}")))?;
        if !status.success() {
            return Err(Failure::failed(format!("the drivers cannot be built: {status}")));
        }
        Ok(Self(target.join("release")))
    }

    /// Runs a driver once, and returns the figures that it reports.
    pub(super) fn run(&self, driver: &str, workload: &Workload) -> Result<Value, Failure> {
        let failed = |why: String| Failure::failed(format!("{driver}, {}: {why}", workload.name));
        if workload.measure == Measure::Start {
            return self.start(driver, workload).map_err(failed);
        }
        let mut command = self.command(driver, workload);
        command.args(["--operations", &workload.operations.to_string()]);
        command.args(["--warmup", &(workload.operations / 10).max(1).to_string()]);
        if workload.measure == Measure::Allocations {
            command.args(["--threads", "1", "--allocations"]);
        }
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        wait(&mut child).map_err(failed)?;
        let mut text = String::new();
        if let Some(mut output) = child.stdout.take() {
            output.read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
        }
        serde_json::from_str(&text).map_err(|error| failed(format!("{error} in {text:?}")))
    }

    /// Starts a driver as often as the workload says; the median time until it says that it has its first result.
    fn start(&self, driver: &str, workload: &Workload) -> Result<Value, String> {
        let mut walls = Vec::new();
        for _ in 0..workload.operations {
            let begun = Instant::now();
            let mut child = self.command(driver, workload).spawn().map_err(|error| error.to_string())?;
            let mut ready = [0; 6];
            let read = child.stdout.as_mut().map(|output| output.read_exact(&mut ready));
            let wall = begun.elapsed();
            wait(&mut child)?;
            if !matches!(read, Some(Ok(()))) || &ready != b"ready\n" {
                return Err("it did not get ready".into());
            }
            walls.push(wall.as_secs_f64() * 1e9);
        }
        walls.sort_by(f64::total_cmp);
        Ok(serde_json::json!({ "driver": driver, "wall_ns": walls[walls.len() / 2] }))
    }

    fn command(&self, driver: &str, workload: &Workload) -> Command {
        let path = |name: &str| self.0.join(format!("bench-{name}{}", env::consts::EXE_SUFFIX));
        let mut command = Command::new(path(driver));
        command.arg("--server").arg(path("server")).args(workload.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }
}

/// A driver writes one line, which fits into the pipe: it can be read afterwards.
fn wait(child: &mut Child) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(status.to_string()),
            None if begun.elapsed() >= LIMIT => {
                // Best effort: that it hangs is reported.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {LIMIT:?}"));
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}
