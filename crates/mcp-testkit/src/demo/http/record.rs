use std::{
    any::Any,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::StatusCode;
use http_body::{Body, Frame};
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};

/// How long a stream is silent at most: then a comment keeps the connection alive.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long a client is asked to wait before it takes a stream up again.
const RETRY_MS: u32 = 100;

/// What one stream says. It is kept from the beginning: whoever reads it does so at their own pace, and again.
#[derive(Debug)]
pub(super) struct Record {
    /// Of its session.
    pub(super) number: u64,
    said: watch::Sender<Said>,
}

#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) entries: Vec<Entry>,
    /// Nothing more will be said.
    pub(super) over: bool,
    /// How often the server wanted its connections to end.
    pub(super) hang_ups: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// A message as JSON.
    pub(super) text: Bytes,
    /// Of a reply: the status that it has where it is the whole response.
    pub(super) status: Option<StatusCode>,
}

impl Record {
    pub(super) fn new(number: u64) -> Arc<Self> {
        Arc::new(Self { number, said: watch::Sender::default() })
    }

    pub(super) fn say(&self, entry: Entry) {
        self.said.send_modify(|said| said.entries.push(entry));
    }

    pub(super) fn end(&self) {
        self.said.send_modify(|said| said.over = true);
    }

    pub(super) fn hang_up(&self) {
        self.said.send_modify(|said| said.hang_ups += 1);
    }

    pub(super) fn is_over(&self) -> bool {
        self.said.borrow().over
    }

    /// Waits until it is known how the response begins; the first entry, if the response is that alone.
    pub(super) async fn begun(&self) -> Option<Entry> {
        let mut said = self.said.subscribe();
        // The sender is in `self`.
        let said =
            said.wait_for(|said| said.over || said.hang_ups > 0 || !said.entries.is_empty()).await.ok()?;
        said.entries.first().filter(|entry| entry.status.is_some()).cloned()
    }

    /// Where a reading that goes on behind event `count` begins; `None` when there is no such event.
    pub(super) fn resume(self: &Arc<Self>, count: usize) -> Option<Reading> {
        let said = self.said.borrow();
        let reading = Reading { from: count, hang_ups: said.hang_ups, ..Reading::new(self) };
        (count <= said.entries.len()).then_some(reading)
    }
}

/// One reading of a record.
pub(super) struct Reading {
    record: Arc<Record>,
    /// How many entries are skipped.
    from: usize,
    /// How many times the server had hung up before.
    hang_ups: u32,
    /// Whether the events have ids, by which the stream is taken up again.
    numbered: bool,
    /// Whether an empty event with an id comes first.
    primed: bool,
    /// Is dropped when nobody reads any more.
    _held: Option<Box<dyn Any + Send + Sync>>,
}

impl Reading {
    pub(super) fn new(record: &Arc<Record>) -> Self {
        let record = Arc::clone(record);
        Self { record, from: 0, hang_ups: 0, numbered: false, primed: false, _held: None }
    }

    /// With ids, by which the stream can be taken up again; `primed`, from its beginning on.
    pub(super) fn numbered(self, primed: bool) -> Self {
        Self { numbered: true, primed, ..self }
    }

    /// With something that is dropped when nobody reads any more.
    pub(super) fn holding(self, held: impl Any + Send + Sync) -> Self {
        Self { _held: Some(Box::new(held)), ..self }
    }

    /// The events, as the body of a response.
    pub(super) fn into_body(self) -> Events {
        let (to, events) = mpsc::channel(16);
        tokio::spawn(self.write(to));
        Events::new(events)
    }

    /// Writes until the end of the record, or until nobody reads.
    async fn write(self, to: mpsc::Sender<Bytes>) {
        let mut said = self.record.said.subscribe();
        let mut at = self.from;
        if self.primed && to.send(self.event(at, b"")).await.is_err() {
            return;
        }
        loop {
            let (entries, over, hangs_up) = {
                let said = said.borrow_and_update();
                (said.entries[at..].to_vec(), said.over, said.hang_ups > self.hang_ups)
            };
            for entry in entries {
                at += 1;
                if to.send(self.event(at, &entry.text)).await.is_err() {
                    return;
                }
            }
            if over {
                return;
            }
            // Without an id, the client could not come back.
            if hangs_up && self.numbered && (self.primed || at > self.from) {
                let _ = to.send(format!("retry: {RETRY_MS}\n\n").into()).await;
                return;
            }
            tokio::select! {
                _ = said.changed() => {}
                () = to.closed() => return,
                () = sleep(KEEP_ALIVE) => {
                    let _ = to.send(Bytes::from_static(b": still here\n\n")).await;
                }
            }
        }
    }

    /// JSON has no line breaks here: each message is one line of data.
    fn event(&self, count: usize, data: &[u8]) -> Bytes {
        let mut event = Vec::with_capacity(data.len() + 32);
        if self.numbered {
            event.extend_from_slice(format!("id: {}-{count}\n", self.record.number).as_bytes());
        }
        event.extend_from_slice(b"data: ");
        event.extend_from_slice(data);
        event.extend_from_slice(b"\n\n");
        event.into()
    }
}

/// Events as they are written.
pub(super) struct Events(mpsc::Receiver<Bytes>);

impl Events {
    pub(super) fn new(events: mpsc::Receiver<Bytes>) -> Self {
        Self(events)
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
