use std::{
    future::poll_fn,
    io,
    task::{Context, Poll, Waker},
};

use bytes::{Bytes, BytesMut};
use h2::{Reason, RecvStream, SendStream, server::SendResponse};
use http::Response;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
};

use super::{HttpExchange, HttpRequest, exchange};

/// How many streams a client may have open: more than any test wants.
const MOST_STREAMS: u32 = 10_000;

/// Fields that belong to a connection of HTTP/1.1.
const NOT_HERE: [&str; 3] = ["connection", "keep-alive", "transfer-encoding"];

/// The server's side of a stream.
pub(super) struct Answering {
    respond: SendResponse<Bytes>,
    body: Option<SendStream<Bytes>>,
}

impl Answering {
    pub(super) fn begin(&mut self, status: u16, fields: &[(&str, &str)], whole: bool) -> io::Result<()> {
        let mut head = Response::builder().status(status);
        for (name, value) in fields.iter().filter(|(name, _)| !NOT_HERE.contains(name)) {
            head = head.header(*name, *value);
        }
        let head = head.body(()).map_err(io::Error::other)?;
        self.body = Some(self.respond.send_response(head, whole).map_err(io::Error::other)?);
        Ok(())
    }

    pub(super) fn send(&mut self, bytes: &[u8], last: bool) -> io::Result<()> {
        let Some(body) = &mut self.body else { return Err(io::ErrorKind::NotConnected.into()) };
        body.send_data(Bytes::copy_from_slice(bytes), last).map_err(io::Error::other)
    }

    pub(super) fn reset(mut self) {
        match &mut self.body {
            Some(body) => body.send_reset(Reason::INTERNAL_ERROR),
            None => self.respond.send_reset(Reason::INTERNAL_ERROR),
        }
    }

    pub(super) fn is_gone(&mut self) -> bool {
        self.poll_gone(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    pub(super) async fn gone(&mut self) {
        poll_fn(|cx| self.poll_gone(cx)).await;
    }

    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.body {
            Some(body) => body.poll_reset(cx).map(drop),
            None => self.respond.poll_reset(cx).map(drop),
        }
    }
}

/// Reads the requests of a connection, each beside the others.
pub(super) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    to: mpsc::UnboundedSender<HttpExchange>,
) {
    let handshake = h2::server::Builder::new().max_concurrent_streams(MOST_STREAMS).handshake(stream).await;
    let Ok(mut connection) = handshake else { return };
    let mut reading = tokio::task::JoinSet::new();
    while let Some(Ok((request, respond))) = connection.accept().await {
        let to = to.clone();
        reading.spawn(async move {
            let (head, body) = request.into_parts();
            // What was abandoned while it came was no request.
            let Ok(body) = whole(body).await else { return };
            let answering = exchange::Answering::Http2(Answering { respond, body: None });
            // Without its reader, the server is over.
            let _ = to.send(HttpExchange::new(as_request(&head, body), answering));
        });
        while reading.try_join_next().is_some() {}
    }
}

async fn whole(mut body: RecvStream) -> Result<Bytes, h2::Error> {
    let mut all = BytesMut::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        all.extend_from_slice(&data);
    }
    Ok(all.freeze())
}

fn as_request(head: &http::request::Parts, body: Bytes) -> HttpRequest {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let mut fields: Vec<_> =
        head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    // Where HTTP/1.1 has it.
    fields.extend(head.uri.authority().map(|authority| ("host".to_owned(), authority.to_string())));
    HttpRequest {
        method: head.method.to_string(),
        target: head.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        fields,
        body,
    }
}
