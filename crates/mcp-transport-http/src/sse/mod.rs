//! Server-sent events of one response.

mod parser;
#[cfg(test)]
mod tests;

use std::fmt;

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;

pub(crate) use parser::{Event, Parser};

use crate::{BoxError, service::AnswerBody};

/// The events of a response body.
pub(crate) struct Events<B = AnswerBody> {
    body: B,
    parser: Parser,
    over: bool,
}

/// Why a stream of events cannot be read on.
#[derive(Debug)]
pub(crate) enum StreamError {
    /// An event is longer than the limit.
    TooLarge,
    /// The response broke off.
    Lost(BoxError),
}

impl<B: Body<Data = Bytes, Error = BoxError> + Unpin> Events<B> {
    /// Reads events of at most `limit` bytes.
    pub(crate) fn new(body: B, limit: usize) -> Self {
        Self { body, parser: Parser::new(limit), over: false }
    }

    /// The next event; `None` at the end. An event that was not ended by an empty line is none.
    ///
    /// Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, StreamError> {
        loop {
            match self.parser.next_event() {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) if self.over => return Ok(None),
                Ok(None) => {}
                Err(parser::TooLarge) => return Err(StreamError::TooLarge),
            }
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(chunk) = frame.into_data() {
                        self.parser.push(chunk);
                    }
                }
                Some(Err(error)) => {
                    self.over = true;
                    return Err(StreamError::Lost(error));
                }
                None => self.over = true,
            }
        }
    }
}

impl Event {
    /// Whether it carries a message: it is named `message` or not at all, and has data.
    pub(crate) fn is_message(&self) -> bool {
        (self.name.is_empty() || self.name == parser::MESSAGE) && !self.data.is_empty()
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("an event is over the limit"),
            Self::Lost(error) => error.fmt(f),
        }
    }
}
