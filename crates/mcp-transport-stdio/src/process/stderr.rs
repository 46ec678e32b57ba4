mod own;

use std::{
    fmt, io,
    panic::{AssertUnwindSafe, catch_unwind},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use tokio::io::AsyncReadExt;

use self::own::OwnStderr;
use super::{Input, within};

/// What happens to the lines that a server writes to its standard error.
///
/// But for [`Inherit`](Self::Inherit), standard error is read all the time, and its last 4 KiB are kept for the error
/// that tells how the server ended.
///
/// Section: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// Passed on to our own standard error as it comes. If ours cannot keep up, the server is not held back: what does
    /// not fit into 64 KiB is dropped.
    #[default]
    PassThrough,
    /// Kept for errors only.
    Capture,
    /// Each line is handed to a function; see [`Stderr::lines`].
    Lines(LineFn),
    /// The server writes to our standard error itself, as to a terminal. Errors then hold none of it.
    Inherit,
}

/// Takes a line of standard error, without its end. Made by [`Stderr::lines`].
#[derive(Clone)]
pub struct LineFn(Arc<dyn Fn(&str) + Send + Sync>);

impl Stderr {
    /// The longest piece of a line, in bytes, that [`Stderr::Lines`] hands out at a time. A longer line comes in pieces.
    pub const LINE_LIMIT: usize = 8 * 1024;

    /// Hands each line to `each`: untrusted text, with bytes that are no UTF-8 replaced.
    ///
    /// It is called on the runtime and must not block. If it panics, it is not called again for that process.
    pub fn lines(each: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::Lines(LineFn(Arc::new(each)))
    }

    pub(crate) fn stdio(&self) -> Stdio {
        match self {
            Self::Inherit => Stdio::inherit(),
            _ => Stdio::piped(),
        }
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PassThrough => "PassThrough",
            Self::Capture => "Capture",
            Self::Lines(_) => "Lines",
            Self::Inherit => "Inherit",
        })
    }
}

impl fmt::Debug for LineFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineFn")
    }
}

/// The end of what a server wrote to standard error.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    cut: bool,
}

const TAIL: usize = 4 * 1024;

impl Tail {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = self.bytes.len().saturating_sub(TAIL);
        self.bytes.drain(..over);
        self.cut |= over > 0 || bytes.len() > TAIL;
    }

    /// From the start of a line, if there is one.
    pub(crate) fn text(&self) -> String {
        let mut bytes = &self.bytes[..];
        if self.cut {
            let rest = bytes.iter().position(|byte| *byte == b'\n').map(|at| &bytes[at + 1..]);
            bytes = rest.filter(|rest| !rest.is_empty()).unwrap_or(bytes);
        }
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Reads `from` to its end. `keep` is called with all of it, in order.
pub(crate) async fn drain(mut from: Input, policy: Stderr, keep: Keep<'_>) {
    let mut to = match policy {
        Stderr::PassThrough => Target::Own(OwnStderr::new(Box::new(io::stderr()))),
        Stderr::Lines(each) => Target::Lines(Lines::new(each)),
        Stderr::Capture | Stderr::Inherit => Target::Nothing,
    };
    copy(&mut from, &mut to, keep).await;
}

/// Is called with what was read.
type Keep<'a> = &'a mut (dyn FnMut(&[u8]) + Send);

/// Where standard error goes, beside being kept.
enum Target {
    Nothing,
    Own(OwnStderr),
    Lines(Lines),
}

async fn copy(from: &mut Input, to: &mut Target, keep: Keep<'_>) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let bytes = &buffer[..read];
        keep(bytes);
        match to {
            Target::Nothing => {}
            Target::Own(own) => own.push(bytes),
            Target::Lines(lines) => lines.push(bytes),
        }
    }
    match to {
        Target::Nothing => {}
        Target::Own(own) => drop(within(FLUSH_WAIT, Box::pin(own.flush())).await),
        Target::Lines(lines) => lines.finish(),
    }
}

const CHUNK: usize = 8 * 1024;

/// How long the end of it may take.
const FLUSH_WAIT: Duration = Duration::from_millis(200);

struct Lines {
    /// `None` after it panicked.
    each: Option<LineFn>,
    line: Vec<u8>,
}

impl Lines {
    fn new(each: LineFn) -> Self {
        Self { each: Some(each), line: Vec::new() }
    }

    fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.extend(&bytes[..end]);
            self.finish();
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.line.extend_from_slice(bytes);
        while self.line.len() > Stderr::LINE_LIMIT {
            let rest = self.line.split_off(piece(&self.line));
            self.hand_out();
            self.line = rest;
        }
    }

    fn finish(&mut self) {
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        if !self.line.is_empty() {
            self.hand_out();
        }
        self.line.clear();
    }

    fn hand_out(&mut self) {
        if let Some(LineFn(each)) = &self.each {
            let text = String::from_utf8_lossy(&self.line);
            if catch_unwind(AssertUnwindSafe(|| each(&text))).is_err() {
                self.each = None;
            }
        }
    }
}

/// Where to cut a line that is too long: not inside a character.
fn piece(line: &[u8]) -> usize {
    let is_start = |at: &usize| line[*at] & 0b1100_0000 != 0b1000_0000;
    let limit = Stderr::LINE_LIMIT;
    (limit - 3..=limit).rev().find(is_start).unwrap_or(limit)
}

#[cfg(test)]
mod tests;
