use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use tokio::sync::Notify;

/// Our own standard error, written by a thread of its own. What waits for it is bounded.
///
/// tokio's would write on its pool of blocking threads, and a runtime that ends waits for those: one stuck write, to a pipe
/// that nobody reads, and the program never exits. This thread is waited for by nobody, and ends when this is dropped
/// and the rest is written.
///
/// The thread is started when there is something to write: most servers say nothing at first, and a start is waited for.
pub(super) struct OwnStderr {
    to: Option<Box<dyn Write + Send>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    pushed: Condvar,
    written: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<u8>,
    /// Bytes that the thread took and is writing.
    writing: usize,
    /// Nothing more comes.
    is_over: bool,
    /// Nothing more can be written: ours is closed, and nobody reads it.
    is_closed: bool,
}

/// How much may wait for a slow reader of our own standard error.
pub(super) const LIMIT: usize = 64 * 1024;

impl OwnStderr {
    pub(super) fn new(to: Box<dyn Write + Send>) -> Self {
        Self { to: Some(to), shared: Arc::default() }
    }

    /// Has `bytes` written, as far as there is room for them.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(to) = self.to.take() {
            self.start(to);
        }
        let mut queue = self.shared.queue();
        if !queue.is_closed {
            let room = LIMIT - queue.waiting.len() - queue.writing;
            queue.waiting.extend_from_slice(&bytes[..bytes.len().min(room)]);
            self.shared.pushed.notify_one();
        }
    }

    /// Waits until all is written, or cannot be.
    pub(super) async fn flush(&mut self) {
        loop {
            let written = self.shared.written.notified();
            if self.shared.queue().is_done() {
                return;
            }
            written.await;
        }
    }

    fn start(&self, to: Box<dyn Write + Send>) {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name("stderr of a server".into());
        if thread.spawn(move || shared.write(to)).is_err() {
            self.shared.queue().is_closed = true;
        }
    }
}

impl Drop for OwnStderr {
    fn drop(&mut self) {
        self.shared.queue().is_over = true;
        self.shared.pushed.notify_one();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, mut to: Box<dyn Write + Send>) {
        while let Some(bytes) = self.take() {
            let written = to.write_all(&bytes);
            self.wrote(&written);
        }
    }

    /// What is to be written next; `None` at the end.
    fn take(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue();
        loop {
            if queue.is_closed || (queue.is_over && queue.waiting.is_empty()) {
                return None;
            }
            if !queue.waiting.is_empty() {
                queue.writing = queue.waiting.len();
                return Some(mem::take(&mut queue.waiting));
            }
            queue = self.pushed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wrote(&self, written: &io::Result<()>) {
        let mut queue = self.queue();
        queue.writing = 0;
        queue.is_closed = written.is_err();
        if queue.is_done() {
            self.written.notify_waiters();
        }
    }
}

impl Queue {
    fn is_done(&self) -> bool {
        self.is_closed || (self.waiting.is_empty() && self.writing == 0)
    }
}
