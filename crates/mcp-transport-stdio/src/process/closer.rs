use std::{future::poll_fn, sync::Arc, task::Poll, time::Duration};

use mcp_transport::{Closer, Delivery, TransportError, TransportErrorKind};
use tokio::{io::AsyncReadExt, task::AbortHandle};

use super::{Later, Phase, Process, REST_OF_STDERR, lock};

/// Owns a process: ends it in order, or at once when dropped.
pub(super) struct ProcessCloser {
    process: Arc<Process>,
    monitor: AbortHandle,
}

impl ProcessCloser {
    pub(super) fn new(process: Arc<Process>, monitor: AbortHandle) -> Self {
        Self { process, monitor }
    }
}

impl Closer for ProcessCloser {
    async fn close(self) -> Result<(), TransportError> {
        self.process.set_ending();
        let mut end: Later<'_, _> = Box::pin(end(&self.process));
        let mut rest: Later<'_, _> = Box::pin(discard_output(&self.process));
        poll_fn(|context| match end.as_mut().poll(context) {
            Poll::Pending => rest.as_mut().poll(context),
            ended @ Poll::Ready(_) => ended,
        })
        .await
    }
}

impl Drop for ProcessCloser {
    fn drop(&mut self) {
        self.process.set_ending();
        self.monitor.abort();
        self.process.group().kill_now();
        drop(lock(&self.process.stdout).take());
    }
}

/// The shutdown ladder. Standard input was closed before.
async fn end(process: &Arc<Process>) -> Result<(), TransportError> {
    let limits = process.limits;
    let exited = |limit| process.reaches(limit, Phase::exited);
    if !exited(limits.exit).await {
        process.group().terminate();
        if !exited(limits.term).await {
            process.group().kill();
            if !exited(limits.kill).await {
                return Err(TransportError::new(
                    TransportErrorKind::Timeout,
                    Delivery::MaybeSent,
                    "the server's process does not end, not even by force",
                ));
            }
        }
    }
    // The monitor ends the rest of the group within these limits.
    let rest = limits.term + limits.kill + Duration::from_millis(100);
    process.reaches(rest, |phase| phase.group_ended).await;
    process.reaches(REST_OF_STDERR, |phase| phase.stderr_ended).await;
    Ok(())
}

/// Reads on when nobody receives any more: a last message must not keep the process from ending, nor break its pipe.
/// Never ends.
async fn discard_output(process: &Process) -> Result<(), TransportError> {
    let stdout = lock(&process.stdout).take();
    if let Some(mut stdout) = stdout {
        let mut buffer = vec![0; 8 * 1024];
        while matches!(stdout.read(&mut buffer).await, Ok(read) if read > 0) {}
    }
    std::future::pending().await
}
