use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    io,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use mcp_transport::{Delivery, Inbound, Outbound, Receiver, Sender, TransportError, TransportErrorKind};
use tokio::time::{Instant, sleep};

use super::{Input, Later, Output, Phase, Process, lock};
use crate::pipe::{PipeReceiver, PipeSender, io_error};

/// Writes to the standard input of a process.
pub(super) struct ProcessSender {
    process: Arc<Process>,
    pipe: PipeSender<Output>,
    failed: bool,
}

/// Reads the standard output of a process, up to the exit of the process: something that it started may hold the pipe
/// open for ever.
pub(super) struct ProcessReceiver {
    process: Arc<Process>,
    /// `None` once ended.
    pipe: Option<PipeReceiver<Input>>,
    /// Ends with the process; after that, when a read took too long. Up to the exit it is one future for all reads: a
    /// fresh one for each would register and deregister itself.
    until: Later<'static, ()>,
    /// What may still be read once the process is known to have exited.
    after_exit: Option<AfterExit>,
}

/// What is left of reading on after the exit, when something else that the process started goes on writing.
struct AfterExit {
    reads: u32,
    wait: Duration,
    /// When the last read began.
    since: Instant,
}

impl AfterExit {
    /// A pipe holds 64 KiB, 256 KiB where we can have it so, and up to 1 MiB if the server enlarged it.
    const READS: u32 = 32;
    const WAIT: Duration = Duration::from_secs(1);
    /// After the exit, the output counts as read to its end when nothing came for this long. What the process wrote is
    /// in the pipe by then; this is for the runtime to notice.
    const QUIET: Duration = Duration::from_millis(50);

    fn new() -> Self {
        Self { reads: Self::READS, wait: Self::WAIT, since: Instant::now() }
    }
}

impl ProcessSender {
    pub(super) fn new(process: Arc<Process>, stdin: Output) -> Self {
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
    pub(super) fn new(process: Arc<Process>, stdout: Input, max_message_bytes: usize) -> Self {
        Self {
            until: process.reached(Phase::exited),
            process,
            pipe: Some(PipeReceiver::new(stdout, max_message_bytes)),
            after_exit: None,
        }
    }

    /// What came, or `false` at the end of what the process wrote.
    async fn read(&mut self, into: &mut Vec<Inbound>) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        while self.after_exit.as_ref().is_none_or(|left| left.reads > 0) {
            if let Some(left) = &mut self.after_exit {
                left.reads -= 1;
                left.since = Instant::now();
                self.until = Box::pin(sleep(AfterExit::QUIET.min(left.wait)));
            }
            let read = {
                let mut read = pin!(pipe.recv_batch(into));
                poll_fn(|context| match read.as_mut().poll(context) {
                    Poll::Pending => self.until.as_mut().poll(context).map(|()| None),
                    Poll::Ready(read) => Poll::Ready(Some(read)),
                })
                .await
            };
            match (read, &mut self.after_exit) {
                (Some(read), None) => return read,
                (None, None) => self.after_exit = Some(AfterExit::new()),
                (read, Some(left)) => {
                    left.wait = left.wait.saturating_sub(left.since.elapsed());
                    match read {
                        Some(read) => return read,
                        None => break,
                    }
                }
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
