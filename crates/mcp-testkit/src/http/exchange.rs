use std::{fmt, io};

#[cfg(feature = "http2")]
use super::http2;
use super::{HttpRequest, http1};

/// One request, and the means to answer it. Dropping it closes its connection, or over HTTP/2 resets its stream.
pub struct HttpExchange {
    /// The request.
    pub request: HttpRequest,
    answering: Answering,
}

pub(super) enum Answering {
    Http1(http1::Answering),
    #[cfg(feature = "http2")]
    Http2(http2::Answering),
}

impl HttpExchange {
    pub(super) fn new(request: HttpRequest, answering: Answering) -> Self {
        Self { request, answering }
    }

    /// Writes `bytes` as they are, and flushes.
    ///
    /// # Errors
    /// When the client is gone, and over HTTP/2, whose frames are not the test's own.
    pub async fn raw(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        match &mut self.answering {
            Answering::Http1(answering) => answering.write(bytes.as_ref()).await,
            #[cfg(feature = "http2")]
            Answering::Http2(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Answers whole, with `Content-Length`.
    pub async fn respond(mut self, status: u16, fields: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        // A client that is gone is no failure of the server.
        match &mut self.answering {
            Answering::Http1(answering) => {
                let length = body.len().to_string();
                let mut answer = http1::head(status, fields, ("content-length", &length)).into_bytes();
                answer.extend_from_slice(body);
                let _ = answering.write(&answer).await;
            }
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => {
                let _ = answering.begin(status, fields, body.is_empty());
                if !body.is_empty() {
                    let _ = answering.send(body, true);
                }
            }
        }
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

    /// Begins an answer in pieces with this head.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn start(&mut self, status: u16, fields: &[(&str, &str)]) -> io::Result<()> {
        match &mut self.answering {
            Answering::Http1(answering) => {
                let head = http1::head(status, fields, ("transfer-encoding", "chunked"));
                answering.write(head.as_bytes()).await
            }
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => answering.begin(status, fields, false),
        }
    }

    /// Begins a stream of events: 200, in pieces, with these fields besides.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn start_events(&mut self, fields: &[(&str, &str)]) -> io::Result<()> {
        let mut all = vec![("content-type", "text/event-stream")];
        all.extend_from_slice(fields);
        self.start(200, &all).await
    }

    /// Sends one piece of an answer in pieces.
    ///
    /// # Errors
    /// When the client is gone.
    pub async fn chunk(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let bytes = bytes.as_ref();
        match &mut self.answering {
            Answering::Http1(answering) => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend_from_slice(bytes);
                chunk.extend_from_slice(b"\r\n");
                answering.write(&chunk).await
            }
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => answering.send(bytes, false),
        }
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

    /// Ends an answer in pieces. The connection can be used again.
    pub async fn end(mut self) {
        match &mut self.answering {
            Answering::Http1(answering) => {
                let _ = answering.write(b"0\r\n\r\n").await;
            }
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => {
                let _ = answering.send(b"", true);
            }
        }
        self.finish();
    }

    /// Leaves the answer as it is. The connection can be used again; over HTTP/2, an answer that has not ended is reset.
    pub fn finish(self) {
        match self.answering {
            Answering::Http1(answering) => answering.finish(),
            #[cfg(feature = "http2")]
            Answering::Http2(_) => {}
        }
    }

    /// Resets the connection, or over HTTP/2 the stream: what the client has not read is lost. Over TLS the connection is
    /// closed without a word.
    pub fn reset(self) {
        match self.answering {
            Answering::Http1(answering) => answering.reset(),
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => answering.reset(),
        }
    }

    /// Whether the client closed the connection, or over HTTP/2 reset the stream.
    pub fn is_gone(&mut self) -> bool {
        match &mut self.answering {
            Answering::Http1(answering) => answering.is_gone(),
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => answering.is_gone(),
        }
    }

    /// Waits until the client closes the connection, or over HTTP/2 resets the stream.
    pub async fn gone(&mut self) {
        match &mut self.answering {
            Answering::Http1(answering) => answering.gone().await,
            #[cfg(feature = "http2")]
            Answering::Http2(answering) => answering.gone().await,
        }
    }

    fn rpc_id(&self) -> String {
        self.request.rpc_id().unwrap_or_else(|| "null".into())
    }
}

impl fmt::Debug for HttpExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpExchange({:?})", self.request)
    }
}
