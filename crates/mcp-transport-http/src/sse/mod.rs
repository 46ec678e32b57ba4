//! Server-sent events of one response.

mod cutter;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use eventsource_stream::{EventStream, EventStreamError};
use futures_core::Stream;
use http_body::Body;

pub(crate) use cutter::Cutter;
pub(crate) use eventsource_stream::Event;

use crate::{BoxError, service::AnswerBody};

/// The events of a response body.
pub(crate) struct Events<B = AnswerBody>(Pin<Box<EventStream<Blocks<B>>>>);

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
        Self(Box::pin(EventStream::new(Blocks { body, cutter: Cutter::new(limit), over: false })))
    }

    /// The next event; `None` at the end. An event that was not ended by an empty line is none.
    ///
    /// Nothing is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, StreamError> {
        match std::future::poll_fn(|cx| self.0.as_mut().poll_next(cx)).await {
            None => Ok(None),
            Some(Ok(event)) => Ok(Some(event)),
            Some(Err(EventStreamError::Transport(error))) => Err(error),
            // The cutter gives out nothing that is not text, or no lines.
            Some(Err(error)) => Err(StreamError::Lost(error.to_string().into())),
        }
    }
}

/// Whether `event` carries a message: named `message` or not at all, and with data.
pub(crate) fn is_message(event: &Event) -> bool {
    (event.event.is_empty() || event.event == "message") && !event.data.is_empty()
}

/// The blocks of a body, as the parser takes them.
struct Blocks<B> {
    body: B,
    cutter: Cutter,
    over: bool,
}

impl<B: Body<Data = Bytes, Error = BoxError> + Unpin> Stream for Blocks<B> {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.cutter.next_block() {
                Ok(Some(block)) => return Poll::Ready(Some(Ok(block))),
                Err(cutter::TooLarge) => return Poll::Ready(Some(Err(StreamError::TooLarge))),
                Ok(None) if self.over => return Poll::Ready(None),
                Ok(None) => {}
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    if let Ok(chunk) = frame.into_data() {
                        self.cutter.push(chunk);
                    }
                }
                Some(Err(error)) => {
                    self.over = true;
                    return Poll::Ready(Some(Err(StreamError::Lost(error))));
                }
                None => self.over = true,
            }
        }
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
