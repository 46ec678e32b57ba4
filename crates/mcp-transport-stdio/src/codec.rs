use std::io;

use bytes::BytesMut;
use mcp_protocol::frame::{self, Frame, LineDecoder};
use mcp_transport::RawMessage;
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
        Self { lines: LineDecoder::with_limit(limit), scratch: Vec::new() }
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn what_is_encoded_decodes_to_lines() {
        let mut codec = LineCodec::with_limit(64);
        let mut buffer = BytesMut::new();
        let params = |text: &'static str| Some(Bytes::from_static(text.as_bytes()));
        let short = RawMessage::notification("a", params("[1,\n2]"));
        let long = RawMessage::notification("b", params(r#""------------------------------------------""#));
        codec.encode(&short, &mut buffer).unwrap();
        codec.encode(long, &mut buffer).unwrap();
        buffer.extend_from_slice(b"{}");

        let Some(Frame::Line(line)) = codec.decode(&mut buffer).unwrap() else { panic!() };
        assert_eq!(line, r#"{"jsonrpc":"2.0","method":"a","params":[1, 2]}"#);
        assert!(matches!(codec.decode(&mut buffer).unwrap(), Some(Frame::TooLong { .. })));
        assert_eq!(codec.decode(&mut buffer).unwrap(), None);
        let rest = Frame::Line(Bytes::from_static(b"{}"));
        assert_eq!(codec.decode_eof(&mut buffer).unwrap(), Some(rest));
        assert_eq!(codec.decode_eof(&mut buffer).unwrap(), None);
    }
}
