use std::io;

use bytes::BytesMut;
use mcp_protocol::frame::{self, Frame, LineDecoder};
use mcp_transport::{Inbound, Origin, RawMessage, Skipped, SkippedKind};
use tokio_util::codec::{Decoder, Encoder};

/// Newline framing as a codec, for users of `tokio_util::codec::Framed`.
///
/// [`pipe`](crate::pipe) does not need it: it takes whole batches at once.
#[derive(Debug, Default)]
pub struct LineCodec {
    lines: LineDecoder,
    scratch: Vec<u8>,
}

/// Room for an encoded message that is kept from one to the next.
const KEPT_SCRATCH: usize = 64 * 1024;

impl LineCodec {
    /// A codec whose longest line is [`LineDecoder::DEFAULT_LIMIT`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A codec for lines of at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            lines: LineDecoder::with_limit(limit),
            scratch: Vec::new(),
        }
    }
}

impl Decoder for LineCodec {
    type Item = Frame;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Frame>> {
        Ok(self.lines.decode(buffer))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Frame>> {
        Ok(self.lines.decode(buffer).or_else(|| self.lines.finish(buffer)))
    }
}

impl Encoder<&RawMessage> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, message: &RawMessage, out: &mut BytesMut) -> io::Result<()> {
        frame::encode(message, &mut self.scratch);
        out.extend_from_slice(&self.scratch);
        self.scratch.clear();
        self.scratch.shrink_to(KEPT_SCRATCH);
        Ok(())
    }
}

impl Encoder<RawMessage> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, message: RawMessage, out: &mut BytesMut) -> io::Result<()> {
        Encoder::encode(self, &message, out)
    }
}

/// Appends what a frame holds.
pub(crate) fn deliver(frame: &Frame, into: &mut Vec<Inbound>) {
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
