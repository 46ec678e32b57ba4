use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http_body_util::{BodyExt, Full};
use proptest::prelude::*;

use super::*;

/// A body that comes in these chunks.
struct Chunks(std::vec::IntoIter<Bytes>);

impl Body for Chunks {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, BoxError>>> {
        Poll::Ready(self.0.next().map(|chunk| Ok(http_body::Frame::data(chunk))))
    }
}

type Seen = (String, String, Option<String>, Option<Duration>);

/// Event name, data, id and retry of every event; the error at the end, if there is one.
async fn read(chunks: Vec<Bytes>, limit: usize) -> (Vec<Seen>, Option<String>) {
    let mut events = Events::new(Chunks(chunks.into_iter()), limit);
    let mut seen = Vec::new();
    loop {
        match events.next().await {
            Ok(Some(event)) => {
                let data = String::from_utf8(event.data.to_vec()).expect("data is text");
                seen.push((event.name.into_owned(), data, event.id, event.retry));
            }
            Ok(None) => return (seen, None),
            Err(error) => return (seen, Some(error.to_string())),
        }
    }
}

fn read_now(chunks: Vec<Bytes>, limit: usize) -> (Vec<Seen>, Option<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(read(chunks, limit))
}

fn whole(text: impl AsRef<[u8]>) -> Vec<Seen> {
    let (seen, error) = read_now(vec![Bytes::copy_from_slice(text.as_ref())], 1 << 20);
    assert_eq!(error, None);
    seen
}

fn data(text: impl AsRef<[u8]>) -> Vec<String> {
    whole(text).into_iter().map(|(_, data, ..)| data).collect()
}

/// Quirk 11.
#[test]
fn every_line_end_ends_a_line() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("data: a{end}data: b{end}{end}data:c{end}{end}");
        assert_eq!(data(text), ["a\nb", "c"], "{end:?}");
    }
    assert_eq!(data("data: a\r\rdata: b\n\r\ndata: c\r\n\n"), ["a", "b", "c"]);
}

/// Whether the line can be used where it is or not.
#[test]
fn lines_of_data_are_joined() {
    assert_eq!(data("data\ndata:\ndata: x\ndata:\n\n"), ["\n\nx\n"]);
    assert_eq!(
        data(b"data: a\ndata: \xff\ndata: b\n\ndata:\xffc\ndata:\n\n"),
        ["a\n\u{fffd}\nb", "\u{fffd}c\n"]
    );
    let many = format!("data: a\ndata: b\n\ndata: short\n\ndata: {}\n\ndata:\n\n", "x".repeat(100));
    assert_eq!(data(many), ["a\nb", "short", &*"x".repeat(100), ""]);
}

/// Quirk 11 and field report H-04: an id and a retry count without data; comments are nothing.
#[test]
fn an_event_without_data_still_moves_the_cursor() {
    let text = "id: e1\nretry: 300\n\n: comment\n\nid: e2\ndata:\n\nevent: message\ndata: x\n\nretry: 7\n\n";
    let retry = |millis| Some(Duration::from_millis(millis));
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        whole(text),
        [
            (String::new(), String::new(), id("e1"), retry(300)),
            (String::new(), String::new(), id("e2"), None),
            ("message".into(), "x".into(), None, None),
            (String::new(), String::new(), None, retry(7)),
        ]
    );
}

/// Field report H-05.
#[test]
fn comments_and_foreign_events_are_no_messages() {
    let text = ": ping\n\nevent: ping\ndata: x\n\n:\n:data: y\n\ndata: 1\n\nevent: message\ndata: 2\n\n";
    let mut events = Events::new(Full::from(text).map_err(never).boxed_unsync(), 1 << 20);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let messages = runtime.block_on(async {
        let mut messages = Vec::new();
        while let Some(event) = events.next().await.unwrap() {
            if event.is_message() {
                messages.push(event.data);
            }
        }
        messages
    });
    assert_eq!(messages, ["1", "2"]);
}

fn never(error: Infallible) -> BoxError {
    match error {}
}

#[test]
fn odd_bytes_do_not_end_the_stream() {
    assert_eq!(data("\u{feff}data: bom\n\n"), ["bom"]);
    assert_eq!(data("\u{feff}\u{feff}data: lost\n\ndata: x\n\n"), ["x"]);
    assert_eq!(data("data: a\n\n\u{feff}data: lost\n\ndata: \u{feff}kept\n\n"), ["a", "\u{feff}kept"]);
    assert_eq!(data(b"data: \xff\xc3\n\ndata: \xe2\x82\xac\n\n"), ["\u{fffd}\u{fffd}", "\u{20ac}"]);
    assert_eq!(data("data: raw \u{2028}\u{85}\n\n"), ["raw \u{2028}\u{85}"]);
    assert_eq!(data("data\n\nx: y\nda\ndata : no\n\ndata:  two\n\n"), ["", " two"]);
    assert_eq!(data("data: not ended\n"), [""; 0]);
    let ids: Vec<_> = whole("id: a\0b\nid\ndata: x\n\nretry: -1\nretry: 1x\ndata: y\n\n")
        .into_iter()
        .map(|(_, _, id, retry)| (id, retry))
        .collect();
    assert_eq!(ids, [(Some(String::new()), None), (None, None)]);
}

#[test]
fn an_endless_event_or_line_is_refused_and_an_endless_comment_kept_nowhere() {
    let endless = |start: &str, more: &str| {
        let mut chunks = vec![Bytes::copy_from_slice(start.as_bytes())];
        chunks.resize(4096, Bytes::copy_from_slice(more.as_bytes()));
        read_now(chunks, 4096)
    };
    let refused = (Vec::new(), Some("an event is over the limit".to_owned()));
    assert_eq!(endless("data: ", "xxxxxxxxxxxxxxxx"), refused);
    assert_eq!(endless("", "data: xxxx\n"), refused);
    assert_eq!(endless("unknown", "xxxxxxxxxxxxxxxx"), refused);
    assert_eq!(endless(": ", "xxxxxxxxxxxxxxxx"), (Vec::new(), None));
    assert_eq!(endless("", ": xxxx\n"), (Vec::new(), None));
}

/// No byte is looked at twice: 16 MiB in 1 KiB chunks costs what it costs whole, not its square.
#[test]
fn a_large_event_in_small_chunks_is_linear() {
    const SIZE: usize = 16 << 20;
    let mut chunks = vec![Bytes::from_static(b"data: ")];
    chunks.resize(1 + SIZE / 1024, Bytes::from(vec![b'x'; 1024]));
    chunks.push(Bytes::from_static(b"\n\n"));
    let begun = std::time::Instant::now();
    let (seen, error) = read_now(chunks, 64 << 20);
    assert_eq!((seen[0].1.len(), error), (SIZE, None));
    // Rescanning takes minutes in a build without optimisation.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"data".to_vec()),
        Just(b"event: ping".to_vec()),
        Just(b"id: 7".to_vec()),
        Just(b"retry: 10".to_vec()),
        Just(b": comment".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just("\u{feff}".as_bytes().to_vec()),
        Just("\u{20ac}\u{1f600}".as_bytes().to_vec()),
        Just(b"\xff".to_vec()),
        Just(b"\0".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..40)
}

proptest! {
    /// However a stream is chunked, its events are the same, and nothing panics.
    #[test]
    fn chunks_do_not_matter(pieces in pieces(), sizes in proptest::collection::vec(1usize..9, 1..20)) {
        let text = Bytes::from(pieces.concat());
        let mut chunks = Vec::new();
        let mut rest = text.clone();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            chunks.push(rest.split_to((*size).min(rest.len())));
        }
        let limit = 1 << 20;
        prop_assert_eq!(read_now(chunks, limit), read_now(vec![text], limit));
    }

    /// The events are those of the rules of the specification, written down plainly.
    #[test]
    fn events_are_those_of_the_specification(pieces in pieces()) {
        let text = pieces.concat();
        prop_assert_eq!(whole(&text), plain(&text));
    }
}

/// The specification's algorithm over a whole text.
fn plain(text: &[u8]) -> Vec<Seen> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\r' => {
                at += usize::from(text.get(at + 1) == Some(&b'\n'));
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            byte => lines.last_mut().unwrap().push(byte),
        }
        at += 1;
    }
    lines.pop();
    let mut events = Vec::new();
    let (mut name, mut data, mut id, mut retry) = (String::new(), None::<String>, None, None);
    for line in lines {
        let line = String::from_utf8_lossy(&line).into_owned();
        if line.is_empty() {
            if data.is_some() || id.is_some() || retry.is_some() {
                events.push((name.clone(), data.take().unwrap_or_default(), id.take(), retry.take()));
            }
            name.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "event" => name = value,
            "data" => {
                data = Some(match data {
                    Some(before) => format!("{before}\n{value}"),
                    None => value,
                });
            }
            "id" if !value.contains('\0') => id = Some(value),
            "retry" if !value.contains('+') => {
                retry = value.parse().ok().map(Duration::from_millis).or(retry);
            }
            _ => {}
        }
    }
    events
}

#[tokio::test]
async fn a_lost_body_says_so_behind_its_last_event() {
    let mut events = Events::new(Lost(Some(Bytes::from_static(b"data: a\n\n"))), 100);
    assert_eq!(events.next().await.unwrap().unwrap().data, "a");
    assert_eq!(events.next().await.unwrap_err().to_string(), "reset");
    assert!(events.next().await.unwrap().is_none());
}

/// A body that breaks off behind one chunk.
struct Lost(Option<Bytes>);

impl Body for Lost {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, BoxError>>> {
        Poll::Ready(Some(self.0.take().map(http_body::Frame::data).ok_or_else(|| "reset".into())))
    }
}
