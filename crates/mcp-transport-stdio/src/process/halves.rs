use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use mcp_transport::{Delivery, Inbound, Outbound, Receiver, Sender, TransportError, TransportErrorKind};
use tokio::{
    process::{ChildStdin, ChildStdout},
    time::{Instant, timeout},
};

use super::{Later, Phase, Process, lock};
use crate::pipe::{PipeReceiver, PipeSender, io_error};

/// Writes to the standard input of a process.
pub(super) struct ProcessSender {
    process: Arc<Process>,
    pipe: PipeSender<ChildStdin>,
    failed: bool,
}

/// Reads the standard output of a process, up to the exit of the process: something that it started may hold the pipe
/// open for ever.
pub(super) struct ProcessReceiver {
    process: Arc<Process>,
    /// `None` once ended.
    pipe: Option<PipeReceiver<ChildStdout>>,
    /// Ends with the process. One future for all reads: a fresh one for each would register and deregister itself.
    exit: Later<'static, ()>,
    /// What may still be read once the process is known to have exited.
    after_exit: Option<AfterExit>,
}

/// What is left of reading on after the exit, when something else that the process started goes on writing.
struct AfterExit {
    reads: u32,
    wait: Duration,
}

impl AfterExit {
    /// A pipe holds 64 KiB unless somebody enlarged it, and up to 1 MiB then.
    const READS: u32 = 32;
    const WAIT: Duration = Duration::from_secs(1);
    /// After the exit, the output counts as read to its end when nothing came for this long. What the process wrote is
    /// in the pipe by then; this is for the runtime to notice.
    const QUIET: Duration = Duration::from_millis(50);
}

impl ProcessSender {
    pub(super) fn new(process: Arc<Process>, stdin: ChildStdin) -> Self {
        Self { process, pipe: PipeSender::new(stdin), failed: false }
    }
}

impl Sender for ProcessSender {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        let process = &self.process;
        let sent = self.pipe.send_batch(batch, || process.set_ending()).await;
        self.failed |= sent.is_err();
        match sent {
            // A broken pipe is what the end of the process looks like from here.
            Err(error) if error.delivery() == Delivery::MaybeSent && !process.is_ending() => {
                Err(process.failure().await.unwrap_or(error))
            }
            sent => sent,
        }
    }
}

impl Drop for ProcessSender {
    fn drop(&mut self) {
        // It closes standard input too. After a failure that is a consequence of the end, not its cause.
        if !self.failed {
            self.process.set_ending();
        }
    }
}

impl ProcessReceiver {
    pub(super) fn new(process: Arc<Process>, stdout: ChildStdout, max_message_bytes: usize) -> Self {
        Self {
            exit: process.reached(Phase::exited),
            process,
            pipe: Some(PipeReceiver::new(stdout, max_message_bytes)),
            after_exit: None,
        }
    }

    /// What came, or `false` at the end of what the process wrote.
    async fn read(&mut self, into: &mut Vec<Inbound>) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        if self.after_exit.is_none() {
            tokio::select! {
                biased;
                read = pipe.recv_batch(into) => return read,
                () = &mut self.exit => {}
            }
        }
        let left =
            self.after_exit.get_or_insert(AfterExit { reads: AfterExit::READS, wait: AfterExit::WAIT });
        if left.reads > 0 {
            left.reads -= 1;
            let start = Instant::now();
            let read = timeout(AfterExit::QUIET.min(left.wait), pipe.recv_batch(into)).await;
            left.wait = left.wait.saturating_sub(start.elapsed());
            if let Ok(read) = read {
                return read;
            }
        }
        let before = into.len();
        pipe.finish(into);
        Ok(into.len() > before)
    }

    /// Why there is nothing more.
    async fn end(&mut self, read: io::Result<bool>) -> Result<bool, TransportError> {
        if self.process.is_ending() {
            return Ok(false);
        }
        let failure = self.process.failure().await;
        if self.process.is_ending() {
            return Ok(false);
        }
        Err(failure.unwrap_or_else(|| match read {
            Err(error) => io_error("reading from the server failed", error),
            Ok(_) => TransportError::new(
                TransportErrorKind::Closed,
                Delivery::MaybeSent,
                "the server closed its standard output, though its process has not ended",
            ),
        }))
    }
}

impl Receiver for ProcessReceiver {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        if self.pipe.is_none() {
            return Ok(false);
        }
        let read = self.read(into).await;
        if matches!(read, Ok(true)) {
            return Ok(true);
        }
        let end = self.end(read).await;
        self.pipe = None;
        end
    }
}

impl Drop for ProcessReceiver {
    fn drop(&mut self) {
        if let Some(pipe) = self.pipe.take() {
            *lock(&self.process.stdout) = Some(pipe.into_reader());
        }
    }
}
