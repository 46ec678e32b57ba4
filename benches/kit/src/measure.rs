use std::{
    fs,
    time::{Duration, Instant},
};

use nix::time::{ClockId, clock_gettime};

use crate::allocations::Allocations;

/// What this process has used so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    wall: Instant,
    cpu: Duration,
    allocations: Allocations,
}

/// What it used between two marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) wall: Duration,
    /// User and system time of all threads. The server is another process.
    pub(crate) cpu: Duration,
    pub(crate) allocations: Allocations,
}

impl Mark {
    pub(crate) fn now() -> Self {
        Self { allocations: Allocations::now(), cpu: cpu(), wall: Instant::now() }
    }

    pub(crate) fn used(self) -> Used {
        Used {
            wall: self.wall.elapsed(),
            cpu: cpu().saturating_sub(self.cpu),
            allocations: Allocations::now().since(self.allocations),
        }
    }
}

fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// The most memory that this process ever held, in KiB; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    status("VmHWM:")
}

/// The memory that it holds now, in KiB.
pub(crate) fn memory() -> u64 {
    status("VmRSS:")
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or_default()
}
