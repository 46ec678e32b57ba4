use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use mcp_transport::{RawMessage, SkippedKind};
use tokio::{io::duplex, time::timeout};

use super::*;

/// Keeps what is written, write by write.
#[derive(Clone, Default)]
struct Writes(Arc<Mutex<Vec<Vec<u8>>>>);

impl AsyncWrite for Writes {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.lock().unwrap().push(bytes.to_vec());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Takes nothing any more.
struct Broken;

impl AsyncWrite for Broken {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn note(size: usize) -> Outbound {
    let params = Bytes::from(format!("\"{}\"", "x".repeat(size)));
    RawMessage::notification("n", Some(params)).into()
}

#[tokio::test]
async fn a_batch_is_written_at_once() {
    let writes = Writes::default();
    let mut sender = PipeSender::new(writes.clone());
    let settled = Outbound::Settled(mcp_types::Revision::LATEST);
    let mut batch = VecDeque::from([note(1), settled, note(2), Outbound::Abandon(1.into()), note(3)]);
    sender.send(&mut batch).await.unwrap();
    assert!(batch.is_empty());
    let writes = writes.0.lock().unwrap();
    assert_eq!(writes.len(), 1);
    assert_eq!(writes[0].split_inclusive(|byte| *byte == b'\n').count(), 3);
}

#[tokio::test]
async fn a_large_batch_is_written_in_chunks() {
    let writes = Writes::default();
    let mut sender = PipeSender::new(writes.clone());
    let mut batch: VecDeque<_> = (0..10_000).map(|_| note(100)).collect();
    sender.send(&mut batch).await.unwrap();
    let writes = writes.0.lock().unwrap();
    let (total, largest) = (writes.iter().map(Vec::len).sum::<usize>(), writes.iter().map(Vec::len).max());
    assert!(largest.unwrap() < 2 * CHUNK);
    assert_eq!(writes.len(), total.div_ceil(largest.unwrap()), "and no chunk is small but the last");
}

#[tokio::test]
async fn memory_of_a_large_message_is_given_back() {
    let mut sender = PipeSender::new(Writes::default());
    sender.send(&mut VecDeque::from([note(8 * KEPT_BUFFER)])).await.unwrap();
    assert!(sender.buffer.capacity() <= KEPT_BUFFER);

    let stream = [vec![b'x'; 8 * KEPT_BUFFER], b"\n".to_vec(), b"x\n".repeat(3)].concat();
    let mut receiver = PipeReceiver::new(io::Cursor::new(stream), usize::MAX);
    let mut into = Vec::new();
    while receiver.recv(&mut into).await.unwrap() {
        receiver.make_room();
        assert!(receiver.buffer.capacity() <= KEPT_BUFFER);
    }
    assert_eq!(into.len(), 4);
}

#[tokio::test]
async fn after_an_error_the_batch_holds_what_never_left() {
    let mut sender = PipeSender::new(Broken);
    let mut batch = VecDeque::from([note(CHUNK), note(1), note(2)]);
    let error = sender.send(&mut batch).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Closed);
    assert_eq!((error.delivery(), batch.len()), (Delivery::MaybeSent, 2));
    let error = sender.send(&mut batch).await.unwrap_err();
    assert_eq!((error.delivery(), batch.len()), (Delivery::NeverSent, 2));
}

#[tokio::test(start_paused = true)]
async fn nothing_follows_half_a_message() {
    let (near, mut far) = duplex(1024);
    let mut sender = PipeSender::new(near);
    let mut batch = VecDeque::from([note(4096), note(1)]);
    let stuck = timeout(Duration::from_secs(1), sender.send(&mut batch)).await;
    assert!(stuck.is_err());
    let error = sender.send(&mut VecDeque::from([note(2)])).await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NeverSent);
    drop(sender);
    let mut text = Vec::new();
    far.read_to_end(&mut text).await.unwrap();
    assert_eq!(text.len(), 1024);
}

#[tokio::test]
async fn close_comes_last() {
    let (near, mut far) = duplex(1024);
    let mut sender = PipeSender::new(near);
    let mut batch = VecDeque::from([note(1), Outbound::Close, note(2)]);
    let error = sender.send(&mut batch).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Closed);
    assert_eq!((error.delivery(), batch.len()), (Delivery::NeverSent, 1));
    let mut text = String::new();
    far.read_to_string(&mut text).await.unwrap();
    assert_eq!(text.lines().count(), 1);
    sender.send(&mut VecDeque::new()).await.unwrap();
}

#[tokio::test]
async fn all_messages_of_a_read_come_together_and_a_rest_is_reported() {
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n";
    let stream = format!("{}{{\"half\":", line.repeat(10));
    let mut receiver = PipeReceiver::new(io::Cursor::new(stream), 1024);
    let mut into = Vec::new();
    assert!(receiver.recv(&mut into).await.unwrap());
    assert_eq!(into.len(), 10);
    assert!(receiver.recv(&mut into).await.unwrap());
    assert!(matches!(&into[10], Inbound::Skipped(rest) if rest.kind == SkippedKind::Text));
    assert!(!receiver.recv(&mut into).await.unwrap());
}

#[tokio::test]
async fn a_receive_that_is_dropped_loses_nothing() {
    let (near, mut far) = duplex(1024);
    let mut receiver = PipeReceiver::new(near, 1024);
    let mut into = Vec::new();
    for piece in ["{\"jsonrpc\":\"2.0\",", "\"method\":", "\"n\"}\n"] {
        let waiting = timeout(Duration::from_millis(1), receiver.recv(&mut into)).await;
        assert!(waiting.is_err());
        far.write_all(piece.as_bytes()).await.unwrap();
    }
    receiver.recv(&mut into).await.unwrap();
    assert!(matches!(&into[..], [Inbound::Message { .. }]));
}
