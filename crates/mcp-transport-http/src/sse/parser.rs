use std::{borrow::Cow, ops::Range, time::Duration};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use memchr::{memchr, memchr2};

/// The name of events that carry messages, where they have one.
pub(super) const MESSAGE: &str = "message";

const BOM: &[u8] = "\u{feff}".as_bytes();

/// One event. Also what has an `id` or a `retry` and no data: those count too.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name; empty if it has none.
    pub(crate) name: Cow<'static, str>,
    /// The data lines, joined by line feeds. UTF-8: bytes that are none were replaced.
    pub(crate) data: Bytes,
    /// The id, if this event has one.
    pub(crate) id: Option<String>,
    /// The wait before the stream is taken up again, if this event says.
    pub(crate) retry: Option<Duration>,
}

/// Parses a byte stream into events. No byte is looked at twice, however the stream is chunked; comments are not kept.
///
/// Section: [Parsing an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
pub(crate) struct Parser {
    limit: usize,
    /// What was pushed and is not parsed yet.
    chunk: Bytes,
    /// The line so far, if a chunk ended within it.
    line: BytesMut,
    kind: Line,
    /// The last line ended with a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    /// The event so far.
    event: Event,
    has_data: bool,
    /// Its data, if that is more than one line or had to be mended.
    more: BytesMut,
}

/// What the line so far is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// The first of the stream, which may begin with a byte order mark.
    First,
    Comment,
    Other,
}

/// An event is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Parser {
    /// Events of more than `limit` bytes are refused.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            chunk: Bytes::new(),
            line: BytesMut::new(),
            kind: Line::First,
            after_cr: false,
            event: Event::default(),
            has_data: false,
            more: BytesMut::new(),
        }
    }

    /// Adds what was received. Take the events out before the next chunk.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "events are taken out before the next chunk");
        self.chunk = chunk;
    }

    /// The next whole event; `None` when more must be received first.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>, TooLarge> {
        let mut chunk = std::mem::take(&mut self.chunk);
        let mut at = 0;
        loop {
            if self.after_cr && at < chunk.len() {
                self.after_cr = false;
                at += usize::from(chunk[at] == b'\n');
            }
            let Some(length) = memchr2(b'\n', b'\r', &chunk[at..]) else {
                self.keep(&chunk[at..])?;
                return Ok(None);
            };
            let line = at..at + length;
            self.after_cr = chunk[line.end] == b'\r';
            at = line.end + 1;
            let event = if self.line.is_empty() && self.kind != Line::Comment {
                self.end_line(&chunk, line)?
            } else {
                self.keep(&chunk[line])?;
                let line = std::mem::take(&mut self.line).freeze();
                self.end_line(&line, 0..line.len())?
            };
            if event.is_some() {
                chunk.advance(at);
                self.chunk = chunk;
                return Ok(event);
            }
        }
    }

    /// Keeps part of a line whose end was not received yet.
    fn keep(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        if self.line.is_empty() && part.first() == Some(&b':') {
            self.kind = Line::Comment;
        }
        if self.kind != Line::Comment {
            self.check(self.line.len() + part.len())?;
            self.line.extend_from_slice(part);
        }
        Ok(())
    }

    /// Whether the event may have this many bytes more.
    fn check(&self, more: usize) -> Result<(), TooLarge> {
        let id = self.event.id.as_ref().map_or(0, String::len);
        let so_far = self.event.data.len() + self.more.len() + self.event.name.len() + id;
        if so_far + more > self.limit { Err(TooLarge) } else { Ok(()) }
    }

    /// Takes the whole line at `at` in `source`.
    fn end_line(&mut self, source: &Bytes, mut at: Range<usize>) -> Result<Option<Event>, TooLarge> {
        match std::mem::replace(&mut self.kind, Line::Other) {
            Line::Comment => return Ok(None),
            Line::First if source[at.clone()].starts_with(BOM) => at.start += BOM.len(),
            _ => {}
        }
        let line = &source[at.clone()];
        if line.is_empty() {
            return Ok(self.end_event());
        }
        let (name, value) = line.split_at(memchr(b':', line).unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(source, at.end - value.len()..at.end)?,
            b"event" => {
                self.check(value.len())?;
                self.event.name =
                    if value == MESSAGE.as_bytes() { MESSAGE.into() } else { text(value).into() };
            }
            b"id" if !value.contains(&0) => {
                self.check(value.len())?;
                self.event.id = Some(text(value));
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
                self.event.retry = millis.map(Duration::from_millis).or(self.event.retry);
            }
            _ => {}
        }
        Ok(None)
    }

    /// Adds a line of data, which is at `at` in `source`.
    fn add_data(&mut self, source: &Bytes, at: Range<usize>) -> Result<(), TooLarge> {
        self.check(at.len() + 1)?;
        let value = &source[at.clone()];
        let is_text = std::str::from_utf8(value).is_ok();
        if !self.has_data && is_text {
            // Nearly every event has one line. It is used where it is, unless that would keep much else from being freed.
            let shared = 2 * at.len() >= source.len();
            self.event.data = if shared { source.slice(at) } else { Bytes::copy_from_slice(value) };
        } else {
            if self.more.is_empty() {
                self.more.extend_from_slice(&std::mem::take(&mut self.event.data));
            }
            if self.has_data {
                self.more.put_u8(b'\n');
            }
            self.more.extend_from_slice(String::from_utf8_lossy(value).as_bytes());
        }
        self.has_data = true;
        Ok(())
    }

    /// What was gathered, if it is an event or moves the cursor.
    fn end_event(&mut self) -> Option<Event> {
        let mut event = std::mem::take(&mut self.event);
        let more = std::mem::take(&mut self.more);
        if !std::mem::take(&mut self.has_data) && event.id.is_none() && event.retry.is_none() {
            return None;
        }
        if !more.is_empty() {
            event.data = more.freeze();
        }
        Some(event)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
