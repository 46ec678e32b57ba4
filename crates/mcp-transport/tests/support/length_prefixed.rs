use std::{collections::VecDeque, io};

use mcp_transport::{
    Delivery, Inbound, Link, Origin, Outbound, Receiver, Sender, TransportError, TransportErrorKind,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufWriter};

/// Messages over any byte stream, each behind its length in four bytes.
pub fn length_prefixed<R, W>(reader: R, writer: W) -> Link
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    Link::pipe(FrameSender(Some(BufWriter::new(writer))), FrameReceiver(reader))
}

/// `None` once closed.
struct FrameSender<W>(Option<BufWriter<W>>);

impl<W: AsyncWrite + Send + Unpin + 'static> Sender for FrameSender<W> {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        let Some(writer) = &mut self.0 else {
            return Err(lost(Delivery::NeverSent)(io::ErrorKind::NotConnected.into()));
        };
        while let Some(entry) = batch.pop_front() {
            match entry {
                Outbound::Message(out) => {
                    let json = out.message.to_vec();
                    let Ok(length) = u32::try_from(json.len()) else {
                        return Err(too_large(Delivery::NeverSent));
                    };
                    let frame = [&length.to_be_bytes()[..], &json].concat();
                    writer.write_all(&frame).await.map_err(lost(Delivery::MaybeSent))?;
                }
                Outbound::Close => {
                    let outcome = writer.shutdown().await.map_err(lost(Delivery::MaybeSent));
                    self.0 = None;
                    return outcome;
                }
                // Nothing of these goes over the wire.
                _ => {}
            }
        }
        writer.flush().await.map_err(lost(Delivery::MaybeSent))
    }
}

struct FrameReceiver<R>(R);

impl<R: AsyncRead + Send + Unpin + 'static> Receiver for FrameReceiver<R> {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        let length = match self.0.read_u32().await {
            Ok(length) => u64::from(length),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(lost(Delivery::MaybeSent)(error)),
        };
        // The length is the peer's word: memory grows with what comes, and not beyond a limit.
        if length > 64 << 20 {
            return Err(too_large(Delivery::MaybeSent));
        }
        let mut frame = Vec::new();
        let mut body = (&mut self.0).take(length);
        body.read_to_end(&mut frame).await.map_err(lost(Delivery::MaybeSent))?;
        Inbound::parse(Origin::Shared, &frame.into(), into);
        Ok(true)
    }
}

fn lost(delivery: Delivery) -> impl Fn(io::Error) -> TransportError {
    move |error| TransportError::new(TransportErrorKind::Io, delivery, "the stream failed").with_source(error)
}

fn too_large(delivery: Delivery) -> TransportError {
    TransportError::new(TransportErrorKind::TooLarge, delivery, "a frame is over the limit")
}
