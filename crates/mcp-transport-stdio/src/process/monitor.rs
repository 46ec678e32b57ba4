use std::{future::poll_fn, sync::Arc, time::Duration};

use tokio::{
    process::ChildStderr,
    time::{Instant, sleep},
};

use super::{
    Exit, Later, Process, lock,
    stderr::{self, Stderr},
};

/// Watches over a process until it, what it started, and its standard error have ended.
pub(super) async fn run(process: Arc<Process>, stderr: Option<ChildStderr>, policy: Stderr) {
    // Behind pointers they are of one type, and waited for by the same code.
    let group: Later<'_, ()> = Box::pin(watch_group(&process));
    let stderr: Later<'_, ()> = Box::pin(drain_stderr(&process, stderr, policy));
    tokio::join!(group, stderr);
}

async fn watch_group(process: &Process) {
    let exit = poll_fn(|context| process.group().poll_exit(context)).await;
    process.set(|phase| phase.exit = Some(Exit(exit.ok())));
    end_the_rest(process).await;
    process.set(|phase| phase.group_ended = true);
}

/// Ends what the process left behind in its group.
async fn end_the_rest(process: &Process) {
    if !process.group().has_members() {
        return;
    }
    let asked = Instant::from_std(process.group().terminate());
    if has_members_at(process, asked + process.limits.term).await {
        process.group().kill();
        has_members_at(process, Instant::now() + process.limits.kill).await;
    }
}

async fn has_members_at(process: &Process, deadline: Instant) -> bool {
    const LONGEST_PAUSE: Duration = Duration::from_millis(40);
    let mut pause = Duration::from_millis(2);
    while process.group().has_members() {
        if Instant::now() >= deadline {
            return true;
        }
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
    false
}

async fn drain_stderr(process: &Process, stderr: Option<ChildStderr>, policy: Stderr) {
    if let Some(stderr) = stderr {
        stderr::drain(Box::new(stderr), policy, &mut |bytes| lock(&process.tail).push(bytes)).await;
    }
    process.set(|phase| phase.stderr_ended = true);
}
