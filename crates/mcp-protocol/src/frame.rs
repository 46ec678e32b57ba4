//! Newline framing over bytes: one JSON text a line, as stdio and every byte stream like it carries messages.
//!
//! [`LineDecoder`] cuts what comes in, [`encode`] writes what goes out. Both are plain code over buffers.
//!
//! Section: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use bytes::{Buf, Bytes, BytesMut};
use mcp_types::jsonrpc::{JsonRpcMessage, scan};

/// Cuts a byte stream into lines, incrementally.
///
/// - A line ends at `\n` and at nothing else: U+2028 and its like are ordinary text. One `\r` before it is dropped.
/// - Empty lines and lines of white space are passed over. A byte order mark at the start of the stream is dropped.
/// - A line costs time linear in its length, however small the pieces are that it comes in.
/// - A line over the limit is thrown away as it comes in, and reported when it ends; the next line counts again. So
///   the decoder never asks for more than the limit and one read of memory.
///
/// The same stream gives the same frames, wherever it is cut into pieces.
#[derive(Debug)]
pub struct LineDecoder {
    limit: usize,
    /// How far the buffer was searched for a line end.
    searched: usize,
    /// The line over the limit that is being thrown away.
    oversize: Option<Oversize>,
    at_start: bool,
}

/// What a [`LineDecoder`] finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A line, without its end; never empty. Shares the memory of the buffer that it was cut from.
    Line(Bytes),
    /// A line longer than the limit, thrown away.
    TooLong {
        /// Its first bytes, at most [`LineDecoder::EXCERPT`] of them.
        start: Bytes,
        /// Its whole length, in bytes, without the `\n`.
        length: u64,
    },
    /// The stream ended inside a line, and what there is of it is no complete JSON text.
    Unfinished(Bytes),
}

#[derive(Debug)]
struct Oversize {
    start: Bytes,
    length: u64,
}

impl LineDecoder {
    /// The limit of a line unless another is set: 64 MiB.
    pub const DEFAULT_LIMIT: usize = 64 * 1024 * 1024;

    /// How many bytes of a line over the limit are kept, to tell what it was.
    pub const EXCERPT: usize = 256;

    /// A decoder with the default limit.
    pub fn new() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }

    /// A decoder for lines of at most `limit` bytes, counted without the `\n`.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, searched: 0, oversize: None, at_start: true }
    }

    /// The longest line that is taken, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes the next frame off the front of `buffer`; `None` when it needs more bytes.
    ///
    /// Call it until it returns `None`, then append to `buffer` and call again. What `None` leaves in `buffer` must
    /// stay there.
    pub fn decode(&mut self, buffer: &mut BytesMut) -> Option<Frame> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &buffer[self.searched..]) else {
                self.throw_away_oversize(buffer);
                self.searched = buffer.len();
                return None;
            };
            let length = self.searched + found;
            self.searched = 0;
            let line = buffer.split_to(length);
            buffer.advance(1);
            if let Some(frame) = self.end_line(line) {
                return Some(frame);
            }
        }
    }

    /// Takes what is left in `buffer` at the end of the stream, after [`decode`](Self::decode) returned `None`.
    ///
    /// A rest without its line end counts as a line if it is a complete JSON text.
    pub fn finish(&mut self, buffer: &mut BytesMut) -> Option<Frame> {
        self.searched = 0;
        let rest = buffer.split();
        match self.end_line(rest)? {
            Frame::Line(line) if !is_complete(&line) => Some(Frame::Unfinished(line)),
            frame => Some(frame),
        }
    }

    fn throw_away_oversize(&mut self, buffer: &mut BytesMut) {
        if let Some(oversize) = &mut self.oversize {
            oversize.length += buffer.len() as u64;
        } else if buffer.len() > self.limit {
            self.oversize = Some(Oversize::new(buffer));
        } else {
            return;
        }
        buffer.clear();
    }

    fn end_line(&mut self, mut line: BytesMut) -> Option<Frame> {
        let at_start = std::mem::take(&mut self.at_start);
        let oversize = match self.oversize.take() {
            Some(mut oversize) => {
                oversize.length += line.len() as u64;
                Some(oversize)
            }
            None if line.len() > self.limit => Some(Oversize::new(&line)),
            None => None,
        };
        if let Some(Oversize { start, length }) = oversize {
            return Some(Frame::TooLong { start, length });
        }
        if at_start && line.starts_with(BYTE_ORDER_MARK) {
            line.advance(BYTE_ORDER_MARK.len());
        }
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        let blank = line.iter().all(u8::is_ascii_whitespace);
        (!blank).then(|| Frame::Line(line.freeze()))
    }
}

impl Default for LineDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Oversize {
    fn new(seen: &[u8]) -> Self {
        Self {
            start: Bytes::copy_from_slice(&seen[..seen.len().min(LineDecoder::EXCERPT)]),
            length: seen.len() as u64,
        }
    }
}

/// Some shells on Windows write one in front of what they pass on.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn is_complete(text: &[u8]) -> bool {
    scan::skip_value(text, scan::skip_space(text, 0))
        .is_ok_and(|end| scan::skip_space(text, end) == text.len())
}

/// Appends `message` as one line.
///
/// Line breaks inside its bodies become spaces: in JSON they stand between tokens only, as in text that was
/// pretty-printed for people.
pub fn encode<B: AsRef<[u8]>>(message: &JsonRpcMessage<B>, out: &mut Vec<u8>) {
    let start = out.len();
    message.write_to(out);
    let mut line = &mut out[start..];
    while let Some(found) = memchr::memchr2(b'\n', b'\r', line) {
        line[found] = b' ';
        line = &mut line[found + 1..];
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests;
