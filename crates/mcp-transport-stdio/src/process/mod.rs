//! A child process behind a link.
//!
//! Four hold on to it: the two halves, the closer, and a task, the monitor, which reads standard error, notices the
//! exit and ends what the process left behind. Only the closer owns it: when the closer is gone, so is the process, and
//! then the task.

mod closer;
mod group;
mod halves;
mod monitor;
mod os;
pub(crate) mod stderr;

use std::{
    future::Future,
    io,
    pin::Pin,
    process::{ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mcp_transport::{Delivery, Link, ProcessFailure, TransportError, TransportErrorKind};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::Command,
    sync::Notify,
    time::timeout,
};

use self::{
    closer::ProcessCloser,
    group::Group,
    halves::{ProcessReceiver, ProcessSender},
    stderr::{Stderr, Tail},
};

/// How long each step of ending a process may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) exit: Duration,
    pub(crate) term: Duration,
    pub(crate) kill: Duration,
}

/// What the parts of a link share about its process.
pub(crate) struct Process {
    command: String,
    limits: Limits,
    group: Mutex<Group>,
    phase: Mutex<Phase>,
    /// Is told of each change of the phase.
    changed: Notify,
    tail: Mutex<Tail>,
    /// The end of the process is our doing: its input was closed, or it was told to end, before it was known to end.
    ending: AtomicBool,
    /// Standard output, once nobody receives any more.
    stdout: Mutex<Option<Input>>,
}

/// How far the process is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Phase {
    exit: Option<Exit>,
    group_ended: bool,
    stderr_ended: bool,
}

impl Phase {
    fn exited(&self) -> bool {
        self.exit.is_some()
    }
}

/// A wait that is rare enough to be on the heap. Behind a pointer it is compiled once, not in every place that waits.
type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What we read of a process. Behind a pointer, so that what is built on it does not repeat how it is dropped.
type Input = Box<dyn AsyncRead + Send + Unpin>;

/// What a process reads of us.
type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// How the process ended; `None` inside if the system does not say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit(Option<ExitStatus>);

/// Starts `command` and makes a link to it.
///
/// # Errors
/// When it cannot be started. Nothing is left behind then.
pub(crate) fn spawn(
    mut command: Command,
    label: String,
    limits: Limits,
    stderr: Stderr,
    max_message_bytes: usize,
) -> io::Result<Link> {
    os::isolate(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.stdio()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let process = Arc::new(Process {
        command: label,
        limits,
        group: Mutex::new(Group::new(child)),
        phase: Mutex::default(),
        changed: Notify::new(),
        tail: Mutex::default(),
        ending: AtomicBool::new(false),
        stdout: Mutex::default(),
    });
    let monitor = mcp_transport::spawn(Box::pin(monitor::run(process.clone(), streams.2, stderr)));
    let closer = ProcessCloser::new(process.clone(), monitor.abort_handle());
    let (Some(stdin), Some(stdout)) = (streams.0, streams.1) else {
        return Err(io::Error::other("the pipes to the process are missing"));
    };
    os::enlarge(&stdout);
    let heard = Arc::downgrade(&process);
    Ok(Link::pipe(
        ProcessSender::new(process.clone(), Box::new(stdin)),
        ProcessReceiver::new(process, Box::new(stdout), max_message_bytes),
    )
    .with_closer(closer)
    .with_diagnosis(move || heard.upgrade().map(|process| lock(&process.tail).text()).unwrap_or_default()))
}

/// How long the process may take to exit after its output ended, before it counts as running on without it.
const EXIT_AFTER_OUTPUT: Duration = Duration::from_millis(500);

/// How long to wait for the rest of standard error after the exit; something else may hold it open.
const REST_OF_STDERR: Duration = Duration::from_millis(250);

impl Process {
    fn group(&self) -> MutexGuard<'_, Group> {
        lock(&self.group)
    }

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        lock(&self.phase)
    }

    fn set(&self, change: impl FnOnce(&mut Phase)) {
        change(&mut self.phase());
        self.changed.notify_waiters();
    }

    fn set_ending(&self) {
        if self.phase().exit.is_none() {
            self.ending.store(true, Ordering::Release);
        }
    }

    /// Waits until the phase is as wanted.
    fn reached(self: &Arc<Self>, wanted: fn(&Phase) -> bool) -> Later<'static, ()> {
        let process = Arc::clone(self);
        Box::pin(async move {
            loop {
                let changed = process.changed.notified();
                if wanted(&process.phase()) {
                    return;
                }
                changed.await;
            }
        })
    }

    /// As [`reached`](Self::reached), but not longer than `limit`. Whether it is.
    fn reaches(self: &Arc<Self>, limit: Duration, wanted: fn(&Phase) -> bool) -> Later<'static, bool> {
        within(limit, self.reached(wanted))
    }

    /// How the process ended, if it does so soon; with the whole of what it said to standard error, as far as that can
    /// be had.
    fn failure(self: &Arc<Self>) -> Later<'_, Option<TransportError>> {
        Box::pin(self.how_it_ended())
    }

    async fn how_it_ended(self: &Arc<Self>) -> Option<TransportError> {
        if !self.reaches(EXIT_AFTER_OUTPUT, Phase::exited).await {
            return None;
        }
        self.reaches(REST_OF_STDERR, |phase| phase.stderr_ended).await;
        let Exit(status) = self.phase().exit?;
        let mut process = ProcessFailure::default();
        process.command.clone_from(&self.command);
        process.code = status.and_then(|status| status.code());
        process.signal = status.and_then(signal);
        process.stderr_tail = lock(&self.tail).text();
        let error = TransportError::new(
            TransportErrorKind::Exited,
            Delivery::MaybeSent,
            "the server's process ended",
        );
        Some(error.with_process(process))
    }
}

/// Waits for something, but not longer than `limit`. Whether it came.
fn within(limit: Duration, what: Later<'_, ()>) -> Later<'_, bool> {
    Box::pin(async move { timeout(limit, what).await.is_ok() })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks leaves a value half changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
