use std::{
    io,
    sync::{Arc, Mutex},
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

/// Field report S-03.
#[tokio::test(start_paused = true)]
async fn a_stuck_reader_of_ours_holds_nobody_back() {
    let (mut near, _nobody_reads) = tokio::io::duplex(16);
    let text: &[u8] = vec![b'x'; 1024 * 1024].leak();
    let mut kept = 0;
    pass_through(&mut (Box::new(text) as Input), &mut near, &mut |bytes| kept += bytes.len()).await;
    assert_eq!(kept, text.len());
}

#[tokio::test(start_paused = true)]
async fn what_passes_through_comes_out_whole() {
    let (near, mut far) = tokio::io::duplex(16);
    let text: Vec<u8> = (0..PASS_THROUGH_LIMIT).map(|at| u8::try_from(at % 251).unwrap()).collect();
    let mut from: Input = Box::new(io::Cursor::new(text.clone()));
    let mut out = Vec::new();
    let pass = async {
        let mut near = near;
        pass_through(&mut from, &mut near, &mut |_| ()).await;
    };
    tokio::join!(pass, async {
        far.read_to_end(&mut out).await.unwrap();
    });
    assert!(out == text);
}
