use std::io;

use tokio::{
    io::AsyncWriteExt,
    net::tcp::OwnedWriteHalf,
    sync::{oneshot, watch},
};

use super::HttpRequest;

/// One request, and the means to answer it. Dropping it closes its connection.
#[derive(Debug)]
pub struct HttpExchange {
    /// The request.
    pub request: HttpRequest,
    writer: Option<OwnedWriteHalf>,
    finished: Option<oneshot::Sender<OwnedWriteHalf>>,
    gone: watch::Receiver<bool>,
}

impl HttpExchange {
    pub(super) fn new(
        request: HttpRequest,
        writer: OwnedWriteHalf,
        finished: oneshot::Sender<OwnedWriteHalf>,
        gone: watch::Receiver<bool>,
    ) -> Self {
        Self { request, writer: Some(writer), finished: Some(finished), gone }
    }

    /// Writes `bytes` as they are, and flushes.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn raw(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Err(io::ErrorKind::NotConnected.into()) };
        writer.write_all(bytes.as_ref()).await?;
        writer.flush().await
    }

    /// Answers whole, with `Content-Length`.
    pub async fn respond(mut self, status: u16, fields: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut answer = head(status, fields, ("content-length", &length)).into_bytes();
        answer.extend_from_slice(body);
        // A client that is gone is no failure of the server.
        let _ = self.raw(answer).await;
        self.finish();
    }

    /// Answers 200 with `body` as JSON.
    pub async fn json(self, body: impl AsRef<[u8]>) {
        self.respond(200, &[("content-type", "application/json")], body).await;
    }

    /// Answers 200 with a JSON-RPC response to the request, whose result is `result`.
    pub async fn result(self, result: &str) {
        let id = self.rpc_id();
        self.json(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
    }

    /// Answers 202, as a notification is accepted.
    pub async fn accept(self) {
        self.respond(202, &[], "").await;
    }

    /// Begins a chunked answer with this head.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn start(&mut self, status: u16, fields: &[(&str, &str)]) -> io::Result<()> {
        self.raw(head(status, fields, ("transfer-encoding", "chunked"))).await
    }

    /// Begins a stream of events: 200, chunked, with these fields besides.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn start_events(&mut self, fields: &[(&str, &str)]) -> io::Result<()> {
        let mut all = vec![("content-type", "text/event-stream")];
        all.extend_from_slice(fields);
        self.start(200, &all).await
    }

    /// Sends one chunk of a chunked answer.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn chunk(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let bytes = bytes.as_ref();
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.raw(chunk).await
    }

    /// Sends one event without a name, whose data is `data`: a `data` line for each of its lines.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn event(&mut self, data: &str) -> io::Result<()> {
        let mut event = String::new();
        for line in data.lines() {
            event.push_str("data: ");
            event.push_str(line);
            event.push('\n');
        }
        event.push('\n');
        self.chunk(event).await
    }

    /// Sends the JSON-RPC response to the request as an event.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn result_event(&mut self, result: &str) -> io::Result<()> {
        let id = self.rpc_id();
        self.event(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await
    }

    /// Ends a chunked answer. The connection can be used again.
    pub async fn end(mut self) {
        let _ = self.raw("0\r\n\r\n").await;
        self.finish();
    }

    /// Leaves the answer as it is. The connection can be used again.
    pub fn finish(mut self) {
        if let (Some(writer), Some(finished)) = (self.writer.take(), self.finished.take()) {
            // Its connection is gone: nothing is left to be used.
            let _ = finished.send(writer);
        }
    }

    /// Resets the connection: what the client has not read is lost.
    pub fn reset(mut self) {
        if let Some(writer) = self.writer.take() {
            // Zero lingering means a reset.
            #[expect(deprecated, reason = "the time is zero, so that no drop waits")]
            let _ = writer.as_ref().set_linger(Some(std::time::Duration::ZERO));
        }
    }

    /// Whether the client closed the connection.
    pub fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Waits until the client closes the connection.
    pub async fn gone(&mut self) {
        // Without its connection, the client is gone too.
        let _ = self.gone.wait_for(|gone| *gone).await;
    }

    fn rpc_id(&self) -> String {
        self.request.rpc_id().unwrap_or_else(|| "null".into())
    }
}

fn head(status: u16, fields: &[(&str, &str)], last: (&str, &str)) -> String {
    let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
    for (name, value) in fields.iter().copied().chain([last]) {
        for part in [name, ": ", value, "\r\n"] {
            head.push_str(part);
        }
    }
    head.push_str("\r\n");
    head
}
