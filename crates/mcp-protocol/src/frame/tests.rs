use bytes::{Bytes, BytesMut};
use mcp_types::jsonrpc::{Incoming, JsonRpcMessage, parse};
use proptest::prelude::*;

use super::{Frame, LineDecoder, encode};

fn line(text: impl AsRef<[u8]>) -> Frame {
    Frame::Line(Bytes::copy_from_slice(text.as_ref()))
}

fn too_long(start: &str, length: u64) -> Frame {
    Frame::TooLong { start: Bytes::copy_from_slice(start.as_bytes()), length }
}

fn frames_of<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut decoder = LineDecoder::with_limit(limit);
    let mut buffer = BytesMut::new();
    let mut frames = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(frame) = decoder.decode(&mut buffer) {
            frames.push(frame);
        }
        assert!(buffer.len() <= limit, "a line over the limit is not buffered");
    }
    frames.extend(decoder.finish(&mut buffer));
    assert!(buffer.is_empty());
    frames
}

#[test]
fn lines_come_whole_from_single_bytes() {
    let stream = b"{\"a\":1}\n{\"b\":2}\n";
    let frames = frames_of(1024, stream.chunks(1));
    assert_eq!(frames, [line(r#"{"a":1}"#), line(r#"{"b":2}"#)]);
}

#[test]
fn many_lines_come_from_one_piece() {
    let frames = frames_of(1024, [&b"1\n2\n3\n4"[..]]);
    assert_eq!(frames, ["1", "2", "3", "4"].map(line));
}

/// Quirk 22.
#[test]
fn only_newline_ends_a_line() {
    let text = "{\"a\":\"x\u{2028}y\u{2029}z\u{85}\"}\x0b";
    assert_eq!(frames_of(1024, [format!("{text}\n").as_bytes()]), [line(text)]);
}

#[test]
fn one_carriage_return_belongs_to_the_line_end() {
    let frames = frames_of(1024, [&b"1\r\n2\r\r\na\rb\n"[..]]);
    assert_eq!(frames, ["1", "2\r", "a\rb"].map(line));
}

#[test]
fn blank_lines_are_passed_over() {
    assert_eq!(frames_of(1024, [&b"\n\r\n  \t\r\n7\n\n  "[..]]), [line("7")]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    let stream = "\u{feff}{}\n\u{feff}{}\n";
    assert_eq!(frames_of(1024, stream.as_bytes().chunks(1)), [line("{}"), line("\u{feff}{}")]);
}

#[test]
fn decoding_goes_on_behind_a_line_over_the_limit() {
    for size in [1, 3, 64] {
        let stream = b"12345\n123456\n1234\r\n12345\r\n{}\n1234567";
        let frames = frames_of(5, stream.chunks(size));
        let expected = [
            line("12345"),
            too_long("123456", 6),
            line("1234"),
            too_long("12345\r", 6),
            line("{}"),
            too_long("1234567", 7),
        ];
        // What is thrown away early has a shorter excerpt.
        let excerpts_cut: Vec<_> = frames.iter().map(cut_excerpt).collect();
        assert_eq!(excerpts_cut, expected.each_ref().map(cut_excerpt), "pieces of {size}");
    }
}

fn cut_excerpt(frame: &Frame) -> Frame {
    match frame {
        Frame::TooLong { length, .. } => too_long("", *length),
        other => other.clone(),
    }
}

#[test]
fn an_endless_line_takes_no_memory() {
    const PIECE: usize = 64 * 1024;
    const PIECES: usize = 200 * 16;
    let mut decoder = LineDecoder::with_limit(1024 * 1024);
    let mut buffer = BytesMut::new();
    let mut most = 0;
    let piece = vec![b'x'; PIECE];
    for _ in 0..PIECES {
        buffer.extend_from_slice(&piece);
        assert_eq!(decoder.decode(&mut buffer), None);
        most = most.max(buffer.capacity());
    }
    assert!(most <= 4 * 1024 * 1024, "{most}");
    buffer.extend_from_slice(b"\n{}\n");
    assert_eq!(
        decoder.decode(&mut buffer),
        Some(too_long(&"x".repeat(LineDecoder::EXCERPT), (PIECE * PIECES) as u64))
    );
    assert_eq!(decoder.decode(&mut buffer), Some(line("{}")));
}

/// A decoder that searches a line again with every piece needs minutes for this.
#[test]
fn a_long_line_in_small_pieces_is_searched_once() {
    const LENGTH: usize = 16 * 1024 * 1024;
    let mut decoder = LineDecoder::new();
    let mut buffer = BytesMut::with_capacity(LENGTH + 1);
    for _ in 0..LENGTH / 16 {
        buffer.extend_from_slice(&[b'x'; 16]);
        assert_eq!(decoder.decode(&mut buffer), None);
        assert_eq!(decoder.searched, buffer.len());
    }
    buffer.extend_from_slice(b"\n");
    let Some(Frame::Line(line)) = decoder.decode(&mut buffer) else { panic!() };
    assert_eq!(line.len(), LENGTH);
}

#[test]
fn a_line_is_cut_off_without_a_copy() {
    let mut buffer = BytesMut::from(&b"0123456789\n"[..]);
    let at = buffer.as_ptr();
    let Some(Frame::Line(line)) = LineDecoder::new().decode(&mut buffer) else { panic!() };
    assert_eq!(line.as_ptr(), at);
}

#[test]
fn the_rest_at_the_end_counts_if_it_is_complete() {
    assert_eq!(frames_of(64, [&b"{\"a\":[1]} \r"[..]]), [line("{\"a\":[1]} ")]);
    for rest in ["{\"a\":[1]", "Goodbye.", "{} {}"] {
        assert_eq!(
            frames_of(64, [rest.as_bytes()]),
            [Frame::Unfinished(Bytes::from_static(rest.as_bytes()))]
        );
    }
    assert_eq!(frames_of(64, [&b"{}\n"[..]]), [line("{}")]);
}

#[test]
fn a_message_is_one_line_however_its_body_is_laid_out() {
    let params = "{\r\n  \"a\": \"x\\ny\u{2028}\",\n  \"b\": [\n 1\r]\n}";
    let message = JsonRpcMessage::request(1, "tools/call", Some(params.as_bytes()));
    let mut out = b"before\n".to_vec();
    encode(&message, &mut out);
    let text = std::str::from_utf8(&out).unwrap();
    let written = text.strip_prefix("before\n").unwrap().strip_suffix('\n').unwrap();
    assert!(!written.contains(['\n', '\r']), "{written:?}");

    let Incoming::Single(read) = parse(written.as_bytes()).unwrap() else { panic!() };
    let decoded = |body: &[u8]| serde_json::from_slice::<serde_json::Value>(body).unwrap();
    assert_eq!(decoded(read.body().unwrap()), decoded(params.as_bytes()));
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"\n"[..]),
        Just(&b"\r"[..]),
        Just(&b"\r\n"[..]),
        Just(&b" "[..]),
        Just(&b"{\"a\":1}"[..]),
        Just(&b"\xEF\xBB\xBF"[..]),
        Just(&b"\xff\xfe"[..]),
        Just("\u{2028}".as_bytes()),
        Just(&b"{\"long\":\"xxxxxxxxxxxxxxxxxxxx\"}"[..]),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cut_of_a_stream_gives_the_same_frames(
        stream in stream(),
        sizes in proptest::collection::vec(1_usize..9, 1..20),
        limit in prop_oneof![Just(8_usize), Just(24), Just(1024)],
    ) {
        let mut rest = &stream[..];
        let mut pieces = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        let whole: Vec<_> = frames_of_unbounded(limit, &stream).iter().map(cut_excerpt).collect();
        let cut: Vec<_> = frames_of(limit, pieces).iter().map(cut_excerpt).collect();
        prop_assert_eq!(whole, cut);
    }
}

fn frames_of_unbounded(limit: usize, stream: &[u8]) -> Vec<Frame> {
    let mut decoder = LineDecoder::with_limit(limit);
    let mut buffer = BytesMut::from(stream);
    let mut frames: Vec<_> = std::iter::from_fn(|| decoder.decode(&mut buffer)).collect();
    frames.extend(decoder.finish(&mut buffer));
    frames
}
