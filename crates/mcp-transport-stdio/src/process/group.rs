use std::{
    io,
    pin::pin,
    process::ExitStatus,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use tokio::process::Child;

use super::os;

/// The server's process and all that it started, and what may still be done to them.
///
/// On Unix they share a process group, whose number is the process id of its leader, the process that was spawned. The
/// system gives such a number to somebody else only once the leader is reaped **and** the group has no members. So a
/// signal to the group is safe
///
/// - while the leader is not reaped: only [`poll_exit`](Self::poll_exit) and [`kill_now`](Self::kill_now) reap it, and
///   both change this value at the same time;
/// - after that, while the group is known to have members. It is looked at right after reaping and then all the time
///   ([`has_members`](Self::has_members)) until it is found empty; from then on nothing is ever sent again.
pub(crate) struct Group {
    leader: Child,
    id: os::GroupId,
    reaped: bool,
    empty: bool,
    asked_to_end: Option<Instant>,
}

impl Group {
    /// Takes over a process that was spawned as the leader of its own group.
    pub(crate) fn new(leader: Child) -> Self {
        Self { id: os::GroupId::of(&leader), leader, reaped: false, empty: false, asked_to_end: None }
    }

    /// Waits for the leader to exit, and reaps it.
    ///
    /// # Errors
    /// When the system does not tell how it ended, as when the host has its children reaped by the system.
    pub(crate) fn poll_exit(&mut self, context: &mut Context<'_>) -> Poll<io::Result<ExitStatus>> {
        let exit = pin!(self.leader.wait()).poll(context);
        if exit.is_ready() {
            self.reaped = true;
            self.has_members();
        }
        exit
    }

    /// Whether anything of the group still runs.
    pub(crate) fn has_members(&mut self) -> bool {
        if self.reaped && !self.empty {
            self.empty = !self.id.has_living_members();
        }
        !self.empty
    }

    /// Asks all members to end (SIGTERM), once: a second time, some programs stop without cleaning up. Returns since
    /// when they are asked to.
    pub(crate) fn terminate(&mut self) -> Instant {
        if self.asked_to_end.is_none() && !self.empty {
            self.id.terminate(&mut self.leader);
        }
        *self.asked_to_end.get_or_insert_with(Instant::now)
    }

    /// Ends all members by force (SIGKILL).
    pub(crate) fn kill(&mut self) {
        if !self.empty {
            self.id.kill(&mut self.leader);
        }
    }

    /// Ends all members by force, and gives the leader a moment to be reaped. Needs no runtime.
    pub(crate) fn kill_now(&mut self) {
        self.kill();
        let start = Instant::now();
        while !self.reaped {
            match self.leader.try_wait() {
                Ok(None) if start.elapsed() < REAP_WAIT => std::thread::sleep(Duration::from_millis(1)),
                // tokio reaps it later.
                Ok(None) => break,
                Ok(Some(_)) | Err(_) => self.reaped = true,
            }
        }
        self.empty = true;
    }
}

/// A killed process is gone in less than a millisecond, unless the machine is very busy.
const REAP_WAIT: Duration = Duration::from_millis(50);
