use std::{
    io::{self, Write},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};

use tokio::{io::AsyncWrite, sync::mpsc};

/// Our own standard error, written by a thread of its own.
///
/// tokio's would write on its pool of blocking threads, and a runtime that ends waits for those: one stuck write, to a pipe
/// that nobody reads, and the program never exits. This thread is waited for by nobody.
pub(super) struct OwnStderr {
    writes: mpsc::UnboundedSender<Vec<u8>>,
    written: mpsc::UnboundedReceiver<io::Result<usize>>,
    is_writing: bool,
}

impl OwnStderr {
    pub(super) fn new() -> io::Result<Self> {
        let (writes, mut taken) = mpsc::unbounded_channel::<Vec<u8>>();
        let (done, written) = mpsc::unbounded_channel();
        thread::Builder::new().name("stderr of a server".into()).spawn(move || {
            while let Some(bytes) = taken.blocking_recv() {
                if done.send(io::stderr().write(&bytes)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { writes, written, is_writing: false })
    }
}

impl AsyncWrite for OwnStderr {
    /// Writes a prefix of what it is given; a call that follows one that was given up must give the same bytes first.
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.is_writing {
            self.writes.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.is_writing = true;
        }
        let written = ready!(self.written.poll_recv(cx));
        self.is_writing = false;
        Poll::Ready(written.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into())))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
