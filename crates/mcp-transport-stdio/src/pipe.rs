use std::{collections::VecDeque, io};

use bytes::BytesMut;
use mcp_protocol::frame::{self, Frame, LineDecoder};
use mcp_transport::{
    Delivery, Inbound, Link, Origin, Outbound, Receiver, Sender, Skipped, SkippedKind, TransportError,
    TransportErrorKind,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A link over any byte stream: one message a line. Lines of at most [`LineDecoder::DEFAULT_LIMIT`] bytes are taken.
///
/// ```
/// use mcp_transport::{Single, TransportError, TransportErrorKind, Delivery, connect_fn};
/// use mcp_transport_stdio::pipe;
///
/// // A stream that is there already is good for one connection:
/// let (near, _far) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(near);
/// let once = Single::new(pipe(reader, writer));
///
/// // What can be dialled again is good for reconnecting:
/// # #[cfg(unix)] {
/// let again = connect_fn(|| async {
///     let stream = tokio::net::UnixStream::connect("/run/server.sock").await.map_err(|error| {
///         TransportError::new(TransportErrorKind::Connect, Delivery::NeverSent, "cannot reach the server")
///             .with_source(error)
///     })?;
///     let (reader, writer) = stream.into_split();
///     Ok(pipe(reader, writer))
/// });
/// # }
/// ```
pub fn pipe(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> Link {
    pipe_with_limit(reader, writer, LineDecoder::DEFAULT_LIMIT)
}

/// As [`pipe`], with another limit for what comes in: a line of more than `max_message_bytes` is skipped and reported.
pub fn pipe_with_limit(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    max_message_bytes: usize,
) -> Link {
    Link::pipe(PipeSender::new(writer), PipeReceiver::new(reader, max_message_bytes))
}

/// How much is read, or written, at a time.
const CHUNK: usize = 64 * 1024;

/// Less room than this is not worth a read.
const LEAST_ROOM: usize = 8 * 1024;

/// A buffer that one large message made larger than this is not kept for the small ones that follow.
const KEPT_BUFFER: usize = 1024 * 1024;

pub(crate) struct PipeSender<W> {
    /// `None` once closed.
    writer: Option<W>,
    /// Empty between sends. What is in it was left by a send that failed or was dropped half-way.
    buffer: Vec<u8>,
}

pub(crate) struct PipeReceiver<R> {
    reader: R,
    lines: LineDecoder,
    buffer: BytesMut,
    at_end: bool,
}

impl<W: AsyncWrite + Unpin> PipeSender<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer: Some(writer), buffer: Vec::new() }
    }

    /// As [`Sender::send`]; calls `before_close` before this direction is closed.
    pub(crate) async fn send_batch(
        &mut self,
        batch: &mut VecDeque<Outbound>,
        before_close: impl FnOnce(),
    ) -> Result<(), TransportError> {
        let Some(writer) = &mut self.writer else {
            return if batch.is_empty() { Ok(()) } else { Err(closed()) };
        };
        if !self.buffer.is_empty() {
            return Err(broken());
        }
        let mut close = false;
        while let Some(out) = batch.pop_front() {
            match out {
                Outbound::Message(out) => frame::encode(&out.message, &mut self.buffer),
                Outbound::Close => {
                    close = true;
                    break;
                }
                _ => {}
            }
            if self.buffer.len() >= CHUNK {
                write(writer, &mut self.buffer).await?;
            }
        }
        write(writer, &mut self.buffer).await?;
        if close {
            before_close();
            let shutdown = writer.shutdown().await;
            self.writer = None;
            shutdown.map_err(|error| io_error("closing the link failed", error))?;
            if !batch.is_empty() {
                return Err(closed());
            }
        }
        Ok(())
    }
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), buffer: &mut Vec<u8>) -> Result<(), TransportError> {
    if buffer.is_empty() {
        return Ok(());
    }
    let written = async {
        writer.write_all(buffer).await?;
        writer.flush().await
    };
    written.await.map_err(|error| io_error("writing to the peer failed", error))?;
    buffer.clear();
    buffer.shrink_to(KEPT_BUFFER);
    Ok(())
}

impl<W: AsyncWrite + Send + Unpin + 'static> Sender for PipeSender<W> {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        self.send_batch(batch, || {}).await
    }
}

impl<R: AsyncRead + Unpin> PipeReceiver<R> {
    pub(crate) fn new(reader: R, max_message_bytes: usize) -> Self {
        Self {
            reader,
            lines: LineDecoder::with_limit(max_message_bytes),
            buffer: BytesMut::new(),
            at_end: false,
        }
    }

    /// As [`Receiver::recv`]. Cancel-safe: a dropped future has taken nothing.
    pub(crate) async fn recv_batch(&mut self, into: &mut Vec<Inbound>) -> io::Result<bool> {
        let before = into.len();
        while !self.at_end {
            self.make_room();
            let read = self.reader.read_buf(&mut self.buffer).await?;
            if read == 0 {
                self.finish(into);
            } else {
                while let Some(frame) = self.lines.decode(&mut self.buffer) {
                    // What follows a large line must not keep its memory.
                    if matches!(&frame, Frame::Line(line) if line.len() > KEPT_BUFFER) {
                        self.buffer = BytesMut::from(&self.buffer[..]);
                    }
                    deliver(&frame, into);
                }
            }
            if into.len() > before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends the stream here, and appends the rest of what was read.
    pub(crate) fn finish(&mut self, into: &mut Vec<Inbound>) {
        self.at_end = true;
        while let Some(frame) =
            self.lines.decode(&mut self.buffer).or_else(|| self.lines.finish(&mut self.buffer))
        {
            deliver(&frame, into);
        }
        self.buffer = BytesMut::new();
    }

    pub(crate) fn into_reader(self) -> R {
        self.reader
    }

    fn make_room(&mut self) {
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = BytesMut::new();
        }
        if self.buffer.capacity() - self.buffer.len() < LEAST_ROOM {
            self.buffer.reserve(CHUNK);
        }
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Receiver for PipeReceiver<R> {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        self.recv_batch(into).await.map_err(|error| {
            self.at_end = true;
            io_error("reading from the peer failed", error)
        })
    }
}

/// Appends what a frame holds.
fn deliver(frame: &Frame, into: &mut Vec<Inbound>) {
    match frame {
        Frame::Line(line) => Inbound::parse(Origin::Shared, line, into),
        Frame::TooLong { start, length } => {
            into.push(Inbound::Skipped(Skipped::new(SkippedKind::TooLong, start, *length)));
        }
        Frame::Unfinished(rest) => {
            let length = rest.len() as u64;
            into.push(Inbound::Skipped(Skipped::new(SkippedKind::Text, rest, length)));
        }
    }
}

fn closed() -> TransportError {
    TransportError::new(TransportErrorKind::Closed, Delivery::NeverSent, "the link was closed on this side")
}

/// Whatever follows would continue a line that was cut off.
fn broken() -> TransportError {
    TransportError::new(
        TransportErrorKind::Closed,
        Delivery::NeverSent,
        "an earlier message was cut off half-way",
    )
}

pub(crate) fn io_error(what: &'static str, error: io::Error) -> TransportError {
    let kind = match error.kind() {
        io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::NotConnected
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::WriteZero => TransportErrorKind::Closed,
        _ => TransportErrorKind::Io,
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

#[cfg(test)]
mod tests;
