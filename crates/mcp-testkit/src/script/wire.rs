use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use mcp_transport::{
    BoxReceiver, BoxSender, Inbound, Link, Origin, Outbound, RawMessage, Receiver, Sender, TransportError,
    contract::{FakePipe, FakeSpeaker},
};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{mpsc, watch},
    task::AbortHandle,
};

/// What a peer reads from.
pub(super) enum Ear {
    Fake(FakePipe),
    Link {
        receiver: BoxReceiver,
        waiting: VecDeque<Inbound>,
    },
    Bytes {
        reader: Box<dyn AsyncBufRead + Send + Unpin>,
        line: Vec<u8>,
    },
    /// Cut.
    Deaf,
}

/// What the client sent.
pub(super) enum Heard {
    Message(RawMessage),
    Batch(Vec<RawMessage>),
    Junk(String),
    End,
}

impl Ear {
    pub(super) fn bytes(reader: impl AsyncRead + Send + Unpin + 'static) -> Self {
        Self::Bytes { reader: Box::new(BufReader::new(reader)), line: Vec::new() }
    }

    /// Waits for the next thing that the client sent. May be dropped and called again without loss.
    pub(super) async fn hear(&mut self) -> Heard {
        match self {
            Self::Deaf => Heard::End,
            Self::Fake(pipe) => loop {
                match pipe.recv().await {
                    Some(Outbound::Message(out)) => return Heard::Message(out.message),
                    Some(Outbound::Close) | None => return Heard::End,
                    Some(_) => {}
                }
            },
            Self::Link { receiver, waiting } => loop {
                if let Some(entry) = waiting.pop_front() {
                    return heard(entry);
                }
                let mut entries = Vec::new();
                let outcome = receiver.recv(&mut entries).await;
                waiting.extend(entries);
                if waiting.is_empty() {
                    return match outcome {
                        Ok(_) => Heard::End,
                        Err(error) => Heard::Junk(format!("{error:?}")),
                    };
                }
            },
            Self::Bytes { reader, line } => loop {
                // An unfinished line stays in `line` when this is dropped, and when it failed.
                let outcome = reader.read_until(b'\n', line).await;
                let ended = !line.ends_with(b"\n");
                let frame = Bytes::from(std::mem::take(line));
                if let Err(error) = outcome {
                    return Heard::Junk(format!("reading failed: {error}"));
                }
                if frame.is_empty() {
                    return Heard::End;
                }
                if ended {
                    return Heard::Junk(format!("a line without its end: {}", text(&frame)));
                }
                if frame[..] != b"\n"[..] {
                    let mut entries = Vec::new();
                    Inbound::parse(Origin::Shared, &frame, &mut entries);
                    if let Some(junk) = entries.iter().position(|entry| matches!(entry, Inbound::Skipped(_)))
                    {
                        entries.swap(0, junk);
                    }
                    if let Some(entry) = entries.into_iter().next() {
                        return heard(entry);
                    }
                }
            },
        }
    }
}

fn heard(entry: Inbound) -> Heard {
    match entry {
        Inbound::Message { message, .. } => Heard::Message(message),
        Inbound::Batch { messages, .. } => Heard::Batch(messages),
        other => Heard::Junk(format!("{other:?}")),
    }
}

/// What a peer speaks through; requests that wait for their answer hold one too.
#[derive(Clone)]
pub(super) struct Mouth {
    kind: Kind,
    transcript: Arc<Mutex<VecDeque<String>>>,
}

#[derive(Clone)]
enum Kind {
    Fake(FakeSpeaker),
    Queue {
        steps: mpsc::UnboundedSender<Step>,
        bytes: bool,
        writer: AbortHandle,
        idle: watch::Receiver<usize>,
        queued: Arc<Mutex<usize>>,
    },
}

enum Step {
    Frame(Bytes),
    Bytes { bytes: Bytes, chunk: usize },
    End,
}

impl Mouth {
    pub(super) fn fake(pipe: &FakePipe) -> Self {
        Self::new(Kind::Fake(pipe.speaker()))
    }

    /// Speaks over the sending half of a link, by a task of its own.
    pub(super) fn link(mut sender: BoxSender) -> Self {
        let (steps, mut queue) = mpsc::unbounded_channel();
        let (done, idle) = watch::channel(0);
        let writer = tokio::spawn(async move {
            while let Some(step) = queue.recv().await {
                let mut batch = match step {
                    Step::Frame(frame) => messages(&frame),
                    Step::End => [Outbound::Close].into(),
                    Step::Bytes { .. } => VecDeque::new(),
                };
                if sender.send(&mut batch).await.is_err() {
                    // The client is gone; a test that cares expects its end.
                    return;
                }
                done.send_modify(|done| *done += 1);
            }
        });
        Self::queue(steps, false, writer.abort_handle(), idle)
    }

    /// Writes to `writer`, by a task of its own.
    pub(super) fn bytes(mut writer: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (steps, mut queue) = mpsc::unbounded_channel();
        let (done, idle) = watch::channel(0);
        let task = tokio::spawn(async move {
            while let Some(step) = queue.recv().await {
                let outcome = match step {
                    Step::Frame(frame) => write_line(&mut writer, &frame).await,
                    Step::Bytes { bytes, chunk } => write_chunks(&mut writer, &bytes, chunk).await,
                    Step::End => {
                        let outcome = writer.shutdown().await;
                        done.send_modify(|done| *done += 1);
                        let _ = outcome;
                        return;
                    }
                };
                if outcome.is_err() {
                    return;
                }
                done.send_modify(|done| *done += 1);
            }
        });
        Self::queue(steps, true, task.abort_handle(), idle)
    }

    fn queue(
        steps: mpsc::UnboundedSender<Step>,
        bytes: bool,
        writer: AbortHandle,
        idle: watch::Receiver<usize>,
    ) -> Self {
        Self::new(Kind::Queue { steps, bytes, writer, idle, queued: Arc::default() })
    }

    fn new(kind: Kind) -> Self {
        Self { kind, transcript: Arc::default() }
    }

    pub(super) fn frame(&self, frame: Bytes) {
        self.note("server", &frame);
        match &self.kind {
            Kind::Fake(speaker) => speaker.send_frame(frame),
            Kind::Queue { bytes, .. } => {
                if !*bytes {
                    assert!(
                        !messages(&frame).is_empty(),
                        "a peer over a link sends messages only, not {}",
                        text(&frame)
                    );
                }
                self.push(Step::Frame(frame));
            }
        }
    }

    pub(super) fn bytes_as_they_are(&self, bytes: Bytes, chunk: usize) {
        assert!(
            matches!(self.kind, Kind::Queue { bytes: true, .. }),
            "only a peer over bytes writes bytes; use `send_frame` for a frame of any content"
        );
        self.note("server", &bytes);
        self.push(Step::Bytes { bytes, chunk });
    }

    pub(super) fn end(&self) {
        match &self.kind {
            Kind::Fake(speaker) => speaker.end(),
            Kind::Queue { .. } => self.push(Step::End),
        }
    }

    pub(super) fn fail(&self, error: TransportError) {
        match &self.kind {
            Kind::Fake(speaker) => speaker.fail(error),
            Kind::Queue { .. } => panic!("only a peer of `script::peer` can fail with a given error"),
        }
    }

    /// Ends at once; what is queued is lost.
    pub(super) fn cut(&self) {
        match &self.kind {
            Kind::Fake(speaker) => speaker.end(),
            Kind::Queue { writer, .. } => writer.abort(),
        }
    }

    fn push(&self, step: Step) {
        if let Kind::Queue { steps, queued, .. } = &self.kind
            && steps.send(step).is_ok()
        {
            *queued.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
    }

    /// Waits until all that was said is written, or the client is gone.
    pub(super) async fn written(&self) {
        if let Kind::Queue { idle, queued, .. } = &self.kind {
            let queued = *queued.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = idle.clone().wait_for(|done| *done >= queued).await;
        }
    }

    pub(super) fn note(&self, who: &str, frame: &[u8]) {
        const KEPT: usize = 12;
        let mut transcript = self.transcript.lock().unwrap_or_else(PoisonError::into_inner);
        if transcript.len() == KEPT {
            transcript.pop_front();
        }
        transcript.push_back(format!("{who}: {}", text(frame)));
    }

    /// What went to and fro last, for a panic.
    pub(super) fn transcript(&self) -> String {
        let transcript = self.transcript.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::from("before that:");
        if transcript.is_empty() {
            out.push_str(" nothing");
        }
        for line in &*transcript {
            out.push_str("\n  ");
            out.push_str(line);
        }
        out
    }
}

/// The halves of `link`, the far end of the client's.
pub(super) fn split(link: Link) -> (Ear, Mouth) {
    let parts = link.into_parts();
    assert!(parts.exchanges.is_none(), "a scripted peer needs a shared pipe");
    let ear = Ear::Link { receiver: parts.receiver, waiting: VecDeque::new() };
    (ear, Mouth::link(parts.sender))
}

fn messages(frame: &Bytes) -> VecDeque<Outbound> {
    let mut entries = Vec::new();
    Inbound::parse(Origin::Shared, frame, &mut entries);
    let mut out = VecDeque::new();
    for entry in entries {
        match entry {
            Inbound::Message { message, .. } => out.push_back(message.into()),
            Inbound::Batch { messages, .. } => out.extend(messages.into_iter().map(Outbound::from)),
            _ => {}
        }
    }
    out
}

async fn write_line(writer: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> std::io::Result<()> {
    writer.write_all(frame).await?;
    writer.write_all(b"\n").await?;
    writer.flush().await
}

async fn write_chunks(
    writer: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    chunk: usize,
) -> std::io::Result<()> {
    for piece in bytes.chunks(chunk) {
        writer.write_all(piece).await?;
        writer.flush().await?;
        if chunk < bytes.len() {
            // Lets the reader see every piece by itself.
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}

/// `bytes` as text, cut short.
pub(super) fn text(bytes: &[u8]) -> String {
    const SHOWN: usize = 400;
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let rest = bytes.len().saturating_sub(SHOWN);
    if rest > 0 { format!("{shown}… ({rest} bytes more)") } else { shown.trim_end().to_owned() }
}
