use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use memchr::{memchr, memchr2};

const BOM: &[u8] = "\u{feff}".as_bytes();

/// One event. Also what has an `id` or a `retry` and no data: those count too.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name; empty if it has none.
    pub(crate) name: String,
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
    data: Option<BytesMut>,
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
            data: None,
        }
    }

    /// Adds what was received. Take the events out before the next chunk.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "events are taken out before the next chunk");
        self.chunk = chunk;
    }

    /// The next whole event; `None` when more must be received first.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event>, TooLarge> {
        loop {
            if self.after_cr && !self.chunk.is_empty() {
                self.after_cr = false;
                if self.chunk[0] == b'\n' {
                    self.chunk.advance(1);
                }
            }
            let Some(end) = memchr2(b'\n', b'\r', &self.chunk) else {
                let rest = std::mem::take(&mut self.chunk);
                self.keep(&rest)?;
                return Ok(None);
            };
            let mut part = self.chunk.split_to(end);
            self.after_cr = self.chunk[0] == b'\r';
            self.chunk.advance(1);
            if !self.line.is_empty() || self.kind == Line::Comment {
                self.keep(&part)?;
                part = std::mem::take(&mut self.line).freeze();
            }
            if let Some(event) = self.end_line(part)? {
                return Ok(Some(event));
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
        let so_far = self.data.as_ref().map_or(0, BytesMut::len) + self.event.name.len() + id;
        if so_far + more > self.limit { Err(TooLarge) } else { Ok(()) }
    }

    fn end_line(&mut self, mut line: Bytes) -> Result<Option<Event>, TooLarge> {
        match std::mem::replace(&mut self.kind, Line::Other) {
            Line::Comment => return Ok(None),
            Line::First if line.starts_with(BOM) => line.advance(BOM.len()),
            _ => {}
        }
        if line.is_empty() {
            return Ok(self.end_event());
        }
        let name_end = memchr(b':', &line).unwrap_or(line.len());
        let mut value = line.split_off(name_end);
        for prefix in [b':', b' '] {
            if value.first() == Some(&prefix) {
                value.advance(1);
            }
        }
        match &line[..] {
            b"data" => self.add_data(&value)?,
            b"event" => {
                self.check(value.len())?;
                self.event.name = text(&value);
            }
            b"id" if !value.contains(&0) => {
                self.check(value.len())?;
                self.event.id = Some(text(&value));
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(&value).ok().and_then(|digits| digits.parse().ok());
                self.event.retry = millis.map(Duration::from_millis).or(self.event.retry);
            }
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &Bytes) -> Result<(), TooLarge> {
        self.check(value.len() + 1)?;
        let data = match &mut self.data {
            Some(data) => {
                data.put_u8(b'\n');
                data
            }
            none => none.insert(BytesMut::with_capacity(value.len())),
        };
        match std::str::from_utf8(value) {
            Ok(_) => data.extend_from_slice(value),
            Err(_) => data.extend_from_slice(String::from_utf8_lossy(value).as_bytes()),
        }
        Ok(())
    }

    /// What was gathered, if it is an event or moves the cursor.
    fn end_event(&mut self) -> Option<Event> {
        let mut event = std::mem::take(&mut self.event);
        let data = self.data.take();
        if data.is_none() && event.id.is_none() && event.retry.is_none() {
            return None;
        }
        event.data = data.unwrap_or_default().freeze();
        Some(event)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
