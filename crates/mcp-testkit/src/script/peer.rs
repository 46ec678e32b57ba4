use std::time::Duration;

use bytes::Bytes;
use mcp_transport::{
    Link, RawMessage, TransportError,
    contract::{FakePipe, patiently},
};
use mcp_types::{RequestId, jsonrpc::MethodName};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    message::{Notification, Request, Response},
    wire::{Ear, Heard, Mouth, split, text},
};

/// A link, and the peer at its far end.
///
/// Frames of any content can be sent; what the client hands to the transport beside messages is seen through
/// [`Peer::pipe`].
pub fn peer() -> (Link, Peer) {
    let (link, pipe) = FakePipe::link();
    let mouth = Mouth::fake(&pipe);
    (link, Peer { ear: Ear::Fake(pipe), mouth })
}

/// The peer of a client, played by a test. See the [module](super).
///
/// Dropping it ends its direction in order and stops reading.
pub struct Peer {
    ear: Ear,
    mouth: Mouth,
}

/// Making one.
impl Peer {
    /// A peer over the far end of any shared pipe, for example of `memory::pair()`. It can send messages only.
    ///
    /// Writes by a task of its own, so it needs a tokio runtime.
    ///
    /// # Panics
    /// When `link` is of exchanges.
    pub fn over(link: Link) -> Self {
        let (ear, mouth) = split(link);
        Self { ear, mouth }
    }

    /// A peer that reads and writes lines: over `tokio::io::duplex`, a socket, or standard input and output.
    ///
    /// Reads only while something is expected. Writes by a task of its own, so it needs a tokio runtime.
    pub fn over_bytes(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { ear: Ear::bytes(reader), mouth: Mouth::bytes(writer) }
    }
}

/// Listening. Each of these takes the **next** thing from the client and panics when it is another one, or none comes.
impl Peer {
    /// The next request, which must be `method`.
    pub async fn expect(&mut self, method: &str) -> Request {
        let expected = format!("the request `{method}`");
        match self.next(&expected).await {
            RawMessage::Request(request) if request.method == method => Request::new(request, &self.mouth),
            other => self.unexpected(&expected, &text(&other.to_vec())),
        }
    }

    /// The next request, whatever its method; `expected` says in a panic what it may be.
    pub async fn expect_request(&mut self, expected: &str) -> Request {
        match self.next(expected).await {
            RawMessage::Request(request) => Request::new(request, &self.mouth),
            other => self.unexpected(expected, &text(&other.to_vec())),
        }
    }

    /// The next notification, which must be `method`.
    pub async fn expect_notification(&mut self, method: &str) -> Notification {
        let expected = format!("the notification `{method}`");
        match self.next(&expected).await {
            RawMessage::Notification(notification) if notification.method == method => {
                Notification { method: notification.method.into_owned(), params: notification.params }
            }
            other => self.unexpected(&expected, &text(&other.to_vec())),
        }
    }

    /// The next reply, which must be to the request of this peer with this id; see [`request`](Self::request).
    pub async fn expect_response(&mut self, id: impl Into<RequestId>) -> Response {
        let id = id.into();
        let expected = format!("the reply to the request {id} of the server");
        match self.next(&expected).await {
            RawMessage::Response(response) if response.id.as_ref() == Some(&id) => Response { response },
            other => self.unexpected(&expected, &text(&other.to_vec())),
        }
    }

    /// The next message, whatever it is.
    pub async fn expect_message(&mut self) -> RawMessage {
        self.next("a message").await
    }

    /// The end: the client closed its direction, or is gone.
    pub async fn expect_end(&mut self) {
        match self.hear("the end of the client").await {
            Heard::End => {}
            other => self.unexpected("the end of the client", &shown(&other)),
        }
    }

    /// Nothing for `time`: on a paused clock this costs none.
    pub async fn expect_nothing(&mut self, time: Duration) {
        if let Ok(heard) = tokio::time::timeout(time, self.ear.hear()).await {
            self.unexpected(&format!("nothing for {time:?}"), &shown(&heard));
        }
    }

    /// Runs `answer` on every request until the client ends; notifications and replies of the client are passed over.
    ///
    /// Waits without a limit.
    pub async fn serve(mut self, mut answer: impl AsyncFnMut(Request)) {
        loop {
            match self.ear.hear().await {
                Heard::Message(RawMessage::Request(request)) => {
                    answer(Request::new(request, &self.mouth)).await;
                }
                Heard::Message(_) => {}
                Heard::End => return,
                other => self.unexpected("a message", &shown(&other)),
            }
        }
    }

    async fn next(&mut self, expected: &str) -> RawMessage {
        match self.hear(expected).await {
            Heard::Message(message) => message,
            other => self.unexpected(expected, &shown(&other)),
        }
    }

    async fn hear(&mut self, expected: &str) -> Heard {
        match patiently(self.ear.hear()).await {
            Some(Heard::Message(message)) => {
                self.mouth.note("client", &message.to_vec());
                Heard::Message(message)
            }
            Some(other) => other,
            None => self.unexpected(expected, "nothing"),
        }
    }

    pub(super) fn unexpected(&self, expected: &str, came: &str) -> ! {
        panic!("expected {expected}, came {came}; {}", self.mouth.transcript())
    }
}

/// Speaking: queued, in order, without a wait.
impl Peer {
    /// Sends a notification; `params` is JSON text that goes out as it is.
    pub fn notify(&self, method: &str, params: impl AsRef<str>) {
        self.mouth.frame(notification(method, params.as_ref()).into());
    }

    /// Sends a request of the server; `params` is JSON text that goes out as it is. Its reply is
    /// [`expect_response`](Self::expect_response).
    pub fn request(&self, id: impl Into<RequestId>, method: &str, params: impl AsRef<str>) {
        let method = MethodName::Owned(method.to_owned());
        let params = Bytes::copy_from_slice(params.as_ref().as_bytes());
        let request = RawMessage::request(id, method, Some(params));
        self.mouth.frame(request.to_vec().into());
    }

    /// Sends `frame` as it is: a batch, or junk. Over bytes, a line end follows.
    pub fn send_frame(&self, frame: impl Into<Bytes>) {
        self.mouth.frame(frame.into());
    }

    /// Sends the notification `count` times; every `{n}` in `params` becomes its number, from 0.
    pub fn flood(&self, count: usize, method: &str, params: &str) {
        for number in 0..count {
            self.notify(method, params.replace("{n}", &number.to_string()));
        }
    }

    /// Writes `bytes` as they are, without a line end.
    ///
    /// # Panics
    /// When the peer does not stand on bytes.
    pub fn send_bytes(&self, bytes: impl Into<Bytes>) {
        let bytes = bytes.into();
        let length = bytes.len().max(1);
        self.mouth.bytes_as_they_are(bytes, length);
    }

    /// Writes `bytes` as they are in pieces of `size` bytes, each flushed by itself.
    ///
    /// # Panics
    /// When the peer does not stand on bytes, or `size` is zero.
    pub fn send_in_pieces(&self, bytes: impl Into<Bytes>, size: usize) {
        assert!(size > 0, "a piece has at least one byte");
        self.mouth.bytes_as_they_are(bytes.into(), size);
    }

    /// Ends the peer's direction in order, after what was said before.
    pub fn close(&self) {
        self.mouth.end();
    }

    /// Ends the client's receiver with `error`, after what was said before: an exit, for example.
    ///
    /// # Panics
    /// When the peer is not one of [`peer`].
    pub fn fail(&self, error: TransportError) {
        self.mouth.fail(error);
    }

    /// Ends both directions at once. What is queued is lost; [`written`](Self::written) waits for it.
    pub fn cut(&mut self) {
        self.mouth.cut();
        self.ear = Ear::Deaf;
    }

    /// Waits until what was said is written.
    ///
    /// # Panics
    /// When the client does not read it.
    pub async fn written(&mut self) {
        if patiently(self.mouth.written()).await.is_none() {
            self.unexpected("the client to read what was said", "no end of it");
        }
    }

    /// Stops reading for good: a full pipe makes the client's sends hang.
    ///
    /// A peer over a link or bytes only reads while something is expected, so there it does nothing.
    pub fn stall(&mut self) {
        if let Ear::Fake(pipe) = &self.ear {
            pipe.stop_reading();
        }
    }

    /// The pipe under a peer of [`peer`]: entries beside messages, failing sends, the closer.
    ///
    /// # Panics
    /// When the peer is another one, or was cut.
    pub fn pipe(&mut self) -> &mut FakePipe {
        match &mut self.ear {
            Ear::Fake(pipe) => pipe,
            _ => panic!("only a peer of `script::peer` that was not cut has one"),
        }
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.mouth.transcript())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.mouth.end();
    }
}

fn notification(method: &str, params: &str) -> String {
    let method = serde_json::Value::from(method);
    format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#)
}

fn shown(heard: &Heard) -> String {
    match heard {
        Heard::Message(message) => text(&message.to_vec()),
        Heard::Batch(messages) => format!("a batch of {}", messages.len()),
        Heard::Junk(junk) => format!("what is no message: {junk}"),
        Heard::End => String::from("the end of the client"),
    }
}
