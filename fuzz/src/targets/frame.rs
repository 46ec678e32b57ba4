//! `frame::LineDecoder`. Two bytes choose the limit and the cuts, the rest is the stream.
//!
//! The same stream gives the same frames wherever it is cut, and they are those of a decoder that sees all of it at once.

use bytes::BytesMut;
use mcp_protocol::frame::{Frame, LineDecoder};
use mcp_types::jsonrpc::scan;

use super::split_first;
use crate::{Target, generate::Random};

/// The target.
pub const TARGET: Target = Target { name: "frame", run, generate, inputs: 60_000 };

fn run(data: &[u8]) {
    let (limit, data) = split_first(data);
    let (cut, stream) = split_first(data);
    // Of a line over a limit below that, the excerpt may be shorter than the length allows.
    let limit = LineDecoder::EXCERPT + usize::from(limit);
    let expected = model(stream, limit);
    assert_eq!(decoded(stream, limit, &mut std::iter::once(stream.len())), expected, "in one piece");
    assert_eq!(decoded(stream, limit, &mut std::iter::repeat(1)), expected, "byte by byte");
    let mut random = Random::new(u64::from(cut));
    let mut pieces = std::iter::from_fn(|| Some(1 + random.below(usize::from(cut) + 1)));
    assert_eq!(decoded(stream, limit, &mut pieces), expected, "in pieces");
}

fn decoded(mut stream: &[u8], limit: usize, pieces: &mut dyn Iterator<Item = usize>) -> Vec<Frame> {
    let mut decoder = LineDecoder::with_limit(limit);
    let mut buffer = BytesMut::new();
    let mut frames = Vec::new();
    while !stream.is_empty() {
        let piece = pieces.next().unwrap_or(usize::MAX).clamp(1, stream.len());
        buffer.extend_from_slice(&stream[..piece]);
        stream = &stream[piece..];
        frames.extend(std::iter::from_fn(|| decoder.decode(&mut buffer)));
        assert!(buffer.len() <= limit, "more than the limit is kept");
    }
    frames.extend(decoder.finish(&mut buffer));
    frames
}

/// What the documentation says, written down plainly.
fn model(stream: &[u8], limit: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut lines: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    let rest = lines.pop().unwrap_or_default();
    for (index, line) in lines.iter().enumerate() {
        frames.extend(model_line(line, limit, index == 0));
    }
    frames.extend(model_line(rest, limit, lines.is_empty()).map(|frame| match frame {
        Frame::Line(line) if !is_complete(&line) => Frame::Unfinished(line),
        frame => frame,
    }));
    frames
}

fn model_line(line: &[u8], limit: usize, is_first: bool) -> Option<Frame> {
    if line.len() > limit {
        let start = line[..line.len().min(LineDecoder::EXCERPT)].to_vec().into();
        return Some(Frame::TooLong { start, length: line.len() as u64 });
    }
    let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| is_first).unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.iter().all(u8::is_ascii_whitespace)).then(|| Frame::Line(line.to_vec().into()))
}

fn is_complete(text: &[u8]) -> bool {
    scan::skip_value(text, scan::skip_space(text, 0))
        .is_ok_and(|end| scan::skip_space(text, end) == text.len())
}

fn generate(random: &mut Random) -> Vec<u8> {
    let mut data = vec![random.byte(), random.byte()];
    if random.one_in(3) {
        data.extend(b"\xEF\xBB\xBF");
    }
    for _ in 0..random.below(8) {
        match random.below(8) {
            0 => data.extend(b"\r"),
            1 => data.extend(" \t".repeat(random.below(3)).as_bytes()),
            2 => data.extend("x".repeat(random.below(600)).as_bytes()),
            3 => data.extend("\u{2028}\u{85}\u{b}".as_bytes()),
            _ => data.extend(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        }
        if !random.one_in(6) {
            data.extend(random.pick(&["\n", "\r\n", "\n\n"]).as_bytes());
        }
    }
    data
}
