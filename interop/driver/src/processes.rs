//! Which processes of a run are still there.

use std::{
    env, fs,
    path::Path,
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// A variable in the environment of the server, and so of whatever it starts.
pub(crate) struct Marker(String);

impl Marker {
    pub(crate) const NAME: &'static str = "MCP_INTEROP_RUN";

    /// Of a value that no other run has.
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(format!("{}-{}", process::id(), now.as_nanos()))
    }

    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// The command lines of the processes that have it; `None` where the system does not show them.
    pub(crate) fn processes(&self) -> Option<Vec<String>> {
        let wanted = format!("{}={}", Self::NAME, self.0);
        let entries = fs::read_dir("/proc").ok().filter(|_| env::consts::OS == "linux")?;
        let mut found = Vec::new();
        for folder in entries.flatten().map(|entry| entry.path()) {
            // Those that are gone meanwhile, that are only not yet reaped, or that are not ours, read as nothing.
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
                found.push(command_line(&folder));
            }
        }
        Some(found)
    }
}

fn command_line(folder: &Path) -> String {
    let line = fs::read(folder.join("cmdline")).unwrap_or_default();
    let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{id}: {}", String::from_utf8_lossy(&line).replace('\0', " ").trim())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_seen_until_it_is_gone() {
        let marker = Marker::new();
        assert_eq!(marker.processes(), Some(Vec::new()));
        let mut cat = Command::new("cat");
        let mut cat = cat.env(Marker::NAME, marker.value()).stdin(Stdio::piped()).spawn().unwrap();
        let seen = marker.processes().unwrap();
        assert_eq!(seen.len(), 1, "{seen:?}");
        drop(cat.stdin.take());
        cat.wait().unwrap();
        assert_eq!(marker.processes(), Some(Vec::new()));
    }
}
