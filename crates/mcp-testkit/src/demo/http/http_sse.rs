//! The transport of 2024-11-05: one stream of events from the server, and a URL that the client sends its messages to.
//!
//! Section: [HTTP with SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body::Body;
use mcp_transport::{Inbound, Link, LinkParts, Outbound, RawMessage, Receiver, Sender, memory};
use mcp_types::ErrorCode;
use tokio::{sync::mpsc, time::sleep};

use super::{
    answer::{self, Answer},
    lock, post,
    record::{Events, KEEP_ALIVE},
    unguessable,
};
use crate::demo::{
    Demo,
    counter::Counter,
    server::{self, Surroundings},
};

/// Where a client begins.
pub(super) const STREAM: &str = "/sse";
/// Where it sends its messages.
pub(super) const MESSAGES: &str = "/messages";

/// How many streams are open at once.
const MAX_OPEN: usize = 256;

/// How many messages of a client wait for its server.
const WAITING: usize = 64;

/// The open streams, by the ids in the URLs of their messages.
#[derive(Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<String, mpsc::Sender<RawMessage>>>>);

impl Streams {
    /// Begins a stream, with a server of its own.
    pub(super) fn begin(&self, headers: &HeaderMap, demo: &Demo, counter: &Counter) -> Answer {
        if !answer::accepts(headers, "text/event-stream") {
            return answer::status(StatusCode::NOT_ACCEPTABLE);
        }
        let (inlet, inputs) = mpsc::channel(WAITING);
        let id = unguessable();
        {
            let mut open = lock(&self.0);
            if open.len() >= MAX_OPEN {
                return answer::status(StatusCode::SERVICE_UNAVAILABLE);
            }
            open.insert(id.clone(), inlet);
        }
        let (near, far) = memory::pair();
        let around = Surroundings { counter: counter.clone(), ..Surroundings::default() };
        let serving = server::run(demo.clone(), around, far);
        let (to, events) = mpsc::channel(WAITING);
        let open = Arc::clone(&self.0);
        tokio::spawn(async move {
            tokio::select! {
                _ = serving => {}
                () = talk(&id, near, inputs, &to) => {}
                () = to.closed() => {}
            }
            lock(&open).remove(&id);
        });
        answer::events(Events::new(events))
    }

    /// Takes a message of a client.
    pub(super) async fn take<B: Body<Data = Bytes>>(&self, request: Request<B>) -> Answer
    where
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let id = request.uri().query().and_then(|query| query.strip_prefix("sessionId="));
        let Some(inlet) = id.and_then(|id| lock(&self.0).get(id).cloned()) else {
            return answer::status(StatusCode::NOT_FOUND);
        };
        let body = match post::whole(request.into_body()).await {
            Ok(body) => body,
            Err(status) => return answer::status(status),
        };
        let message = match post::parse(&body) {
            Ok(post::Body::Message(message)) => message,
            Ok(post::Body::Batch(_)) => return malformed(ErrorCode::INVALID_REQUEST),
            Err(code) => return malformed(code),
        };
        if inlet.send(message).await.is_err() {
            return answer::status(StatusCode::NOT_FOUND);
        }
        answer::status(StatusCode::ACCEPTED)
    }
}

fn malformed(code: ErrorCode) -> Answer {
    answer::error(StatusCode::BAD_REQUEST, None, code, "The body is not what it should be")
}

/// Carries messages between the server behind `near` and its client, until one of them ends.
async fn talk(id: &str, near: Link, mut inputs: mpsc::Receiver<RawMessage>, to: &mpsc::Sender<Bytes>) {
    let LinkParts { mut sender, mut receiver, .. } = near.into_parts();
    let mut event = event("endpoint", format!("{MESSAGES}?sessionId={id}").as_bytes());
    let mut entries = Vec::new();
    while to.send(event).await.is_ok() {
        event = loop {
            if let Some(Inbound::Message { message, .. }) = entries.pop() {
                break self::event("message", &message.to_vec());
            }
            tokio::select! {
                more = receiver.recv(&mut entries) => {
                    if !matches!(more, Ok(true)) {
                        return;
                    }
                    entries.reverse();
                }
                Some(message) = inputs.recv() => {
                    if sender.send(&mut VecDeque::from([Outbound::from(message)])).await.is_err() {
                        return;
                    }
                }
                () = sleep(KEEP_ALIVE) => break Bytes::from_static(b": still here\n\n"),
            }
        };
    }
}

fn event(name: &str, data: &[u8]) -> Bytes {
    let mut event = format!("event: {name}\ndata: ").into_bytes();
    event.extend_from_slice(data);
    event.extend_from_slice(b"\n\n");
    event.into()
}
