use std::{env, fs, path::Path, process::Command, thread};

/// What the figures were taken on.
pub(super) struct Machine {
    pub(super) processor: String,
    pub(super) cores: usize,
    pub(super) system: String,
    pub(super) rust: String,
    pub(super) rmcp: String,
    /// The load of the last minute, after the last workload; empty where nobody tells. The run alone makes up to two.
    pub(super) load: String,
}

pub(super) fn describe(root: &Path) -> Machine {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Machine {
        load: load.split(' ').next().unwrap_or_default().to_string(),
        processor: processor.map_or(env::consts::ARCH, |(_, name)| name.trim()).to_string(),
        cores: thread::available_parallelism().map_or(0, usize::from),
        system: format!("{} {}", env::consts::OS, release.trim()).trim().to_string(),
        rust: first_line("rustc", &["--version"]),
        rmcp: locked(&fs::read_to_string(root.join("benches/Cargo.lock")).unwrap_or_default(), "rmcp"),
    }
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_string()
}

/// The version of `name` in a lock file.
fn locked(lock: &str, name: &str) -> String {
    let entry = format!("name = \"{name}\"");
    let mut lines = lock.lines().skip_while(|line| *line != entry);
    lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = "))
        .unwrap_or_default()
        .trim_matches('"')
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0\"\n\n[[package]]\nname = \"rmcp\"\nversion = \"3.11.0\"\n";
        assert_eq!(locked(lock, "rmcp"), "3.11.0");
        assert_eq!(locked(lock, "other"), "");
    }
}
