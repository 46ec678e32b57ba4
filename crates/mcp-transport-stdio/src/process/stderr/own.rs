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
///
/// The thread is started when there is something to write: most servers say nothing at first, and a start is waited for.
#[derive(Default)]
pub(super) struct OwnStderr {
    thread: Option<Writer>,
    is_writing: bool,
}

struct Writer {
    writes: mpsc::UnboundedSender<Vec<u8>>,
    written: mpsc::UnboundedReceiver<io::Result<usize>>,
}

impl Writer {
    fn start() -> io::Result<Self> {
        let (writes, mut taken) = mpsc::unbounded_channel::<Vec<u8>>();
        let (done, written) = mpsc::unbounded_channel();
        thread::Builder::new().name("stderr of a server".into()).spawn(move || {
            while let Some(bytes) = taken.blocking_recv() {
                if done.send(io::stderr().write(&bytes)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { writes, written })
    }
}

impl AsyncWrite for OwnStderr {
    /// Writes a prefix of what it is given; a call that follows one that was given up must give the same bytes first.
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let thread = match &mut this.thread {
            Some(thread) => thread,
            none => none.insert(Writer::start()?),
        };
        if !this.is_writing {
            thread.writes.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            this.is_writing = true;
        }
        let written = ready!(thread.written.poll_recv(cx));
        this.is_writing = false;
        Poll::Ready(written.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into())))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
