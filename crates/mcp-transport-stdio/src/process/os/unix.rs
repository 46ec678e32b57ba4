use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{Child, ChildStdout, Command};

/// Has the command run in a process group of its own, away from the signals of our terminal.
pub(crate) fn isolate(command: &mut Command) {
    command.process_group(0);
}

/// Lets more wait in the pipe than the 64 KiB that Linux gives it: each time it is full the server stops, and each time it is
/// empty we do, which costs more than the copying. Set once, for every read of the link.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn enlarge(stdout: &ChildStdout) {
    // All pipes of an unprivileged user share 64 MiB by default (`/proc/sys/fs/pipe-user-pages-soft`): about 170 servers, with
    // 64 KiB each for standard input and standard error. Above it, new pipes of that user, whoever makes them, get two pages.
    const SIZE: usize = 256 * 1024;
    // Refused above that; the pipe stays as it was then.
    let _ = rustix::pipe::fcntl_setpipe_size(stdout, SIZE);
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn enlarge(_: &ChildStdout) {}

/// The number of a process group; `None` if its leader was reaped before it was asked for.
pub(crate) struct GroupId(Option<Pid>);

impl GroupId {
    pub(crate) fn of(leader: &Child) -> Self {
        let id = leader.id().and_then(|id| i32::try_from(id).ok());
        // As a target, 0 and 1 would mean our own group and everybody.
        Self(id.filter(|id| *id > 1).and_then(Pid::from_raw))
    }

    pub(crate) fn terminate(&self, _: &mut Child) {
        self.send(Signal::TERM);
        // A stopped process takes no other signal.
        self.send(Signal::CONT);
    }

    pub(crate) fn kill(&self, _: &mut Child) {
        self.send(Signal::KILL);
    }

    /// Whether a member runs. Members that have ended but are not reaped do not count where that can be told: where
    /// process 1 of a container does not reap, they stay for ever.
    pub(crate) fn has_living_members(&self) -> bool {
        // An error says that there are none (ESRCH), or none that we may signal (EPERM).
        self.0.is_some_and(|id| test_kill_process_group(id).is_ok() && living::any_in(id))
    }

    fn send(&self, signal: Signal) {
        if let Some(id) = self.0 {
            // It fails when there is nobody left to take it.
            let _ = kill_process_group(id, signal);
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod living {
    use std::fs;

    use rustix::process::Pid;

    /// Whether a process of the group is neither a zombie nor dead; true if the system does not let us look.
    pub(super) fn any_in(group: Pid) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else {
            return true;
        };
        let group = group.as_raw_nonzero().to_string();
        let mut seen_any = false;
        for process in processes.flatten() {
            let name = process.file_name();
            if !name.as_encoded_bytes().iter().all(u8::is_ascii_digit) {
                continue;
            }
            let Ok(stat) = fs::read(process.path().join("stat")) else {
                continue;
            };
            let Some((state, its_group)) = state_and_group(&stat) else {
                continue;
            };
            if its_group == group.as_bytes() {
                if !matches!(state, b'Z' | b'X') {
                    return true;
                }
                seen_any = true;
            }
        }
        !seen_any
    }

    /// Of `pid (name) state parent group …`, where the name may hold anything.
    fn state_and_group(stat: &[u8]) -> Option<(u8, &[u8])> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = stat[name_end + 1..].split(|byte| *byte == b' ').skip(1);
        let state = *fields.next()?.first()?;
        let group = fields.nth(1)?;
        Some((state, group))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_name_may_hold_anything() {
            assert_eq!(state_and_group(b"7 (a) Z 1 2) S 1 42 42 0"), Some((b'S', &b"42"[..])));
            assert_eq!(state_and_group(b"7 (sh) Z 1 -1 42"), Some((b'Z', &b"-1"[..])));
            assert_eq!(state_and_group(b"7 (sh"), None);
            assert_eq!(state_and_group(b""), None);
        }

        #[test]
        fn our_own_group_lives() {
            assert!(any_in(rustix::process::getpgrp()));
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod living {
    use rustix::process::Pid;

    pub(super) fn any_in(_: Pid) -> bool {
        true
    }
}
