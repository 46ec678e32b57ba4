use std::{
    io::Write,
    sync::{Mutex, mpsc},
};

use super::*;

fn lines_of(pieces: &[&[u8]]) -> Vec<String> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let each = {
        let seen = seen.clone();
        LineFn(Arc::new(move |line: &str| seen.lock().unwrap().push(line.to_owned())))
    };
    let mut lines = Lines::new(each);
    for piece in pieces {
        lines.push(piece);
    }
    lines.finish();
    std::mem::take(&mut *seen.lock().unwrap())
}

#[test]
fn lines_are_handed_out_whole() {
    assert_eq!(lines_of(&[b"a", b"b\r\nc\n\n", b"d"]), ["ab", "c", "d"]);
    assert_eq!(lines_of(&[b"\xff\n"]), ["\u{fffd}"]);
}

/// Field report S-03.
#[test]
fn a_long_line_is_handed_out_in_pieces() {
    let text = "x".repeat(3 * Stderr::LINE_LIMIT + 5);
    let pieces = lines_of(&[text.as_bytes()]);
    assert!(pieces.iter().all(|piece| piece.len() <= Stderr::LINE_LIMIT));
    assert_eq!(pieces.len(), 4);
    assert_eq!(pieces.concat(), text);
}

#[test]
fn characters_are_not_cut_between_pieces() {
    for start in ["", "a", "ab", "abc"] {
        let text = format!("{start}{}", "\u{1F980}".repeat(5000));
        assert_eq!(lines_of(&[text.as_bytes(), b"\n"]).concat(), text);
    }
}

#[test]
fn a_function_that_panics_is_not_called_again() {
    let calls = Arc::new(Mutex::new(0));
    let each = {
        let calls = calls.clone();
        LineFn(Arc::new(move |_: &str| {
            *calls.lock().unwrap() += 1;
            std::panic::resume_unwind(Box::new("a test"));
        }))
    };
    let mut lines = Lines::new(each);
    lines.push(b"a\nb\n");
    lines.finish();
    assert_eq!(calls.lock().map_or_else(|poisoned| *poisoned.into_inner(), |calls| *calls), 1);
}

#[test]
fn the_tail_starts_with_a_line() {
    let mut tail = Tail::default();
    tail.push(b"first\n");
    assert_eq!(tail.text(), "first\n");
    tail.push(&[b'x'; TAIL - 8]);
    tail.push(b"\nsecond\nthird");
    assert_eq!(tail.text(), "second\nthird");
    tail.push(&[b'y'; 3 * TAIL]);
    assert_eq!(tail.text(), "y".repeat(TAIL));
}

/// A writer that waits, as a full pipe does, until it may write; and tells what was written when it is dropped.
struct Slow {
    go: mpsc::Receiver<()>,
    written: Vec<u8>,
    end: mpsc::Sender<Vec<u8>>,
}

impl Slow {
    fn target() -> (Target, mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>) {
        let (go, may_go) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let slow = Self { go: may_go, written: Vec::new(), end };
        (Target::Own(OwnStderr::new(Box::new(slow))), go, ended)
    }
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.go.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
        let some = &bytes[..bytes.len().min(1000)];
        self.written.extend_from_slice(some);
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = self.end.send(std::mem::take(&mut self.written));
    }
}

fn text(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect()
}

async fn copied(text: &[u8], to: &mut Target) -> usize {
    let mut from: Input = Box::new(io::Cursor::new(text.to_vec()));
    let mut kept = 0;
    copy(&mut from, to, &mut |bytes| kept += bytes.len()).await;
    kept
}

/// Field report S-03. What did not fit is dropped, and nothing else.
#[tokio::test]
async fn a_stuck_reader_of_ours_holds_nobody_back() {
    let (mut to, go, end) = Slow::target();
    let text = text(1024 * 1024);
    assert_eq!(copied(&text, &mut to).await, text.len());
    drop(to);
    while go.send(()).is_ok() {}
    assert!(end.recv().unwrap() == text[..own::LIMIT]);
}

#[tokio::test]
async fn what_passes_through_comes_out_whole() {
    let (mut to, go, end) = Slow::target();
    for _ in 0..1000 {
        go.send(()).unwrap();
    }
    let text = text(own::LIMIT);
    assert_eq!(copied(&text, &mut to).await, text.len());
    drop(to);
    assert!(end.recv().unwrap() == text);
}

#[tokio::test]
async fn what_reads_on_after_ours_was_closed_keeps_all() {
    let (mut to, go, end) = Slow::target();
    drop(go);
    let text = text(1024 * 1024);
    assert_eq!(copied(&text, &mut to).await, text.len());
    assert_eq!(end.recv().unwrap(), b"");
}
