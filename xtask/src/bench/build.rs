//! What it costs to build a small client, and what it weighs.

use std::{
    collections::BTreeSet,
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use super::programs::cargo;
use crate::command::Failure;

/// The same small client over stdio, with us and with rmcp.
pub(super) struct Built {
    pub(super) ours: Cost,
    pub(super) rmcp: Cost,
}

/// With the release profile as cargo has it, stripped.
pub(super) struct Cost {
    /// CPU seconds of a build from nothing.
    pub(super) clean: f64,
    /// CPU seconds of a build after a change in the application's own crate; the median.
    pub(super) rebuild: f64,
    /// Bytes of the program.
    pub(super) size: u64,
    /// Crates of others.
    pub(super) crates: usize,
}

const REBUILDS: usize = 3;

/// The profile of the drivers is not what an application has.
const SETTINGS: [&str; 3] =
    ["profile.release.lto=false", "profile.release.debug=false", "profile.release.strip=true"];

pub(super) fn measure(root: &Path, target: &Path) -> Result<Built, Failure> {
    Ok(Built { ours: cost(root, target, "ours")?, rmcp: cost(root, target, "rmcp")? })
}

fn cost(root: &Path, target: &Path, name: &str) -> Result<Cost, Failure> {
    let package = format!("bench-small-{name}");
    let target = target.join("small").join(name);
    // What is not there need not be removed.
    let _ = fs::remove_dir_all(&target);
    let build = || {
        let mut command = cargo();
        command.args(["build", "--release", "--manifest-path", "benches/Cargo.toml", "--package", &package]);
        command.args(SETTINGS.iter().flat_map(|setting| ["--config", setting]));
        command.arg("--target-dir").arg(&target).current_dir(root);
        seconds(command)
    };
    eprintln!("{package}: a clean release build");
    let clean = build()?;
    let source = root.join("benches/small").join(name).join("src/main.rs");
    let mut rebuilds = Vec::new();
    for _ in 0..REBUILDS {
        let file = File::options().append(true).open(&source);
        file.and_then(|file| file.set_modified(SystemTime::now()))
            .map_err(|error| Failure::failed(format!("{}: {error}", source.display())))?;
        rebuilds.push(build()?);
    }
    rebuilds.sort_by(f64::total_cmp);
    let program: PathBuf = target.join("release").join(format!("{package}{}", env::consts::EXE_SUFFIX));
    let size = fs::metadata(&program)
        .map_err(|error| Failure::failed(format!("{}: {error}", program.display())))?
        .len();
    Ok(Cost { clean, rebuild: rebuilds[REBUILDS / 2], size, crates: crates(root, &package)? })
}

/// Runs `command`; the CPU seconds of it and of all that it started and waited for.
fn seconds(mut command: Command) -> Result<f64, Failure> {
    let before = of_children()?;
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| Failure::failed(format!("cannot start cargo: {error}")))?;
    if !status.success() {
        return Err(Failure::failed(format!("the small client cannot be built: {status}")));
    }
    Ok(of_children()? - before)
}

/// CPU seconds of children that have ended.
fn of_children() -> Result<f64, Failure> {
    /// Of `/proc`, whatever the kernel's own clock does.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")
        .map_err(|error| Failure::failed(format!("CPU time is read from /proc, on Linux: {error}")))?;
    children_ticks(&stat)
        .map(|ticks| ticks as f64 / TICKS_A_SECOND)
        .ok_or_else(|| Failure::failed("/proc/self/stat has no times of children"))
}

fn children_ticks(stat: &str) -> Option<u64> {
    // The name of the program may hold spaces; it ends with the last parenthesis.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(13);
    Some(times.next()?.parse::<u64>().ok()? + times.next()?.parse::<u64>().ok()?)
}

fn crates(root: &Path, package: &str) -> Result<usize, Failure> {
    let output = cargo()
        .args(["tree", "--manifest-path", "benches/Cargo.toml", "--package", package])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(root)
        .output()
        .map_err(|error| Failure::failed(format!("cannot start cargo: {error}")))?;
    Ok(of_others(&String::from_utf8_lossy(&output.stdout)))
}

/// Ours have a path.
fn of_others(tree: &str) -> usize {
    let names: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty() && !line.contains('/'))
        .collect();
    names.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_children_are_found() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 100 0 0 0 11 12 130 24 20 0 1 0 5 0 0";
        assert_eq!(children_ticks(stat), Some(154));
        assert_eq!(children_ticks("7 (x) S 1"), None);
    }

    #[test]
    fn crates_are_counted_once_and_ours_not_at_all() {
        let tree = "app v0.1.0 (/a/b)\nbytes v1.0.0\nserde v1.0.1\nbytes v1.0.0 (*)\n\nserde v1.0.1\n";
        assert_eq!(of_others(tree), 2);
    }
}
