use bytes::{Buf, BufMut, Bytes, BytesMut};
use memchr::memchr2;

const BOM: &[u8] = "\u{feff}".as_bytes();

/// Cuts a byte stream into blocks of one event each, in the one form that the parser behind it reads safely and fast:
/// UTF-8, lines that end with a line feed, the fields of the specification alone, and at least one `data` line.
///
/// No byte is looked at twice, however the stream is chunked. Comments are not kept. Section:
/// [Parsing an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
pub(crate) struct Cutter {
    limit: usize,
    /// What was pushed and is not cut yet.
    chunk: Bytes,
    /// The event so far. Behind `line_start`: the line so far.
    block: BytesMut,
    line_start: usize,
    in_comment: bool,
    first_line: bool,
    /// The last line ended with a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    has_data: bool,
    /// There is an `id` or a `retry`, which count without data too.
    has_cursor: bool,
}

/// An event is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Cutter {
    /// Events of more than `limit` bytes are refused.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            chunk: Bytes::new(),
            block: BytesMut::new(),
            line_start: 0,
            in_comment: false,
            first_line: true,
            after_cr: false,
            has_data: false,
            has_cursor: false,
        }
    }

    /// Adds what was received. Take the blocks out before the next chunk.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "blocks are taken out before the next chunk");
        self.chunk = chunk;
    }

    /// The next whole event; `None` when more must be received first.
    pub(crate) fn next_block(&mut self) -> Result<Option<Bytes>, TooLarge> {
        loop {
            if self.after_cr && !self.chunk.is_empty() {
                self.after_cr = false;
                if self.chunk[0] == b'\n' {
                    self.chunk.advance(1);
                }
            }
            let Some(end) = memchr2(b'\n', b'\r', &self.chunk) else {
                let rest = std::mem::take(&mut self.chunk);
                self.append(&rest)?;
                return Ok(None);
            };
            let line = self.chunk.split_to(end);
            self.after_cr = self.chunk[0] == b'\r';
            self.chunk.advance(1);
            self.append(&line)?;
            if let Some(block) = self.end_line() {
                return Ok(Some(block));
            }
        }
    }

    fn append(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        if self.block.len() == self.line_start && part.first() == Some(&b':') {
            self.in_comment = true;
        }
        if self.in_comment {
            return Ok(());
        }
        if self.block.len() + part.len() > self.limit {
            return Err(TooLarge);
        }
        self.block.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.first_line) && self.block.starts_with(BOM) {
            self.block.advance(BOM.len());
        }
        if std::mem::take(&mut self.in_comment) {
            return None;
        }
        let line = &self.block[self.line_start..];
        if line.is_empty() {
            return self.end_block();
        }
        let name_end = memchr::memchr(b':', line).unwrap_or(line.len());
        let (name, value) = line.split_at(name_end);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let keep = match name {
            b"data" => {
                self.has_data = true;
                true
            }
            b"event" => true,
            b"id" => !value.contains(&0),
            b"retry" => !value.is_empty() && value.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if !keep {
            self.block.truncate(self.line_start);
            return None;
        }
        self.has_cursor |= matches!(name, b"id" | b"retry");
        if std::str::from_utf8(line).is_err() {
            let valid = String::from_utf8_lossy(line).into_owned();
            self.block.truncate(self.line_start);
            self.block.extend_from_slice(valid.as_bytes());
        }
        self.block.put_u8(b'\n');
        self.line_start = self.block.len();
        None
    }

    fn end_block(&mut self) -> Option<Bytes> {
        self.line_start = 0;
        let has_data = std::mem::take(&mut self.has_data);
        let has_cursor = std::mem::take(&mut self.has_cursor);
        if !has_data && !has_cursor {
            self.block.clear();
            return None;
        }
        if !has_data {
            self.block.extend_from_slice(b"data:\n");
        }
        self.block.put_u8(b'\n');
        Some(self.block.split().freeze())
    }
}
