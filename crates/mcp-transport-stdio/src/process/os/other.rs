//! Windows and what else has no process groups. Never compiled where this was written.

use tokio::process::{Child, ChildStdout, Command};

#[cfg(windows)]
pub(crate) fn isolate(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(windows))]
pub(crate) fn isolate(_: &mut Command) {}

/// The system chooses how much a pipe holds.
pub(crate) fn enlarge(_: &ChildStdout) {}

/// Stands for the process that was spawned; what it started is not reached.
pub(crate) struct GroupId;

impl GroupId {
    pub(crate) fn of(_: &Child) -> Self {
        Self
    }

    /// There is no way to ask.
    pub(crate) fn terminate(&self, _: &mut Child) {}

    pub(crate) fn kill(&self, leader: &mut Child) {
        // It fails when the process has ended.
        let _ = leader.start_kill();
    }

    pub(crate) fn has_living_members(&self) -> bool {
        false
    }
}
