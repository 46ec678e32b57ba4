//! One connection of HTTP/2, which carries many exchanges at once.

use std::{
    convert::Infallible,
    future::poll_fn,
    io,
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use h2::{
    Ping, PingPong, Reason, RecvStream,
    client::{Builder, SendRequest},
};
use http::{HeaderValue, Request, Response, Version, header};
use http_body::Body;
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{oneshot, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{Settings, target::Target};
use crate::RequestBody;

/// How much of one response may wait to be read.
const STREAM_WINDOW: u32 = 1 << 20;
/// How much of all responses together may wait to be read: some that nobody reads do not stop the others.
const CONNECTION_WINDOW: u32 = 16 << 20;

/// How many streams are opened before the server said how many it takes. RFC 9113 advises servers to take 100 or more;
/// the odd number is one that no server names.
const STREAMS_AT_FIRST: usize = 101;

/// How long a connection is kept without an exchange, unless that is set: common proxies close theirs after 60 s.
pub(super) const DEFAULT_KEEP_IDLE: Duration = Duration::from_secs(30);

/// How long the last words on a connection may take.
const LEAVE_WITHIN: Duration = Duration::from_millis(500);

/// A peer that is gone without a word is noticed after both, also where a proxy answers TCP keep-alive in its place.
const PING_EVERY: Duration = Duration::from_secs(30);
const PING_WITHIN: Duration = Duration::from_secs(20);

/// Fields that belong to a connection of HTTP/1.1, and the host, which is part of the URI here.
const NOT_HERE: [header::HeaderName; 7] = [
    header::HOST,
    header::CONNECTION,
    header::HeaderName::from_static("keep-alive"),
    header::HeaderName::from_static("proxy-connection"),
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
];

/// One connection, and the task that drives it. Dropping it closes it: what was abandoned on it is still told to the server.
pub(super) struct Connection {
    sender: SendRequest<Bytes>,
    /// How many exchanges have a place on it, or [`CLOSED`]. Its driver is woken when the first begins and the last ends.
    streams: watch::Sender<usize>,
    task: JoinHandle<()>,
    /// Told to the task by being dropped.
    _wanted: oneshot::Sender<Infallible>,
}

/// The connection was idle for too long.
const CLOSED: usize = usize::MAX;

impl Connection {
    /// A connection with one place taken, by whoever wanted it.
    pub(super) async fn begin<S>(stream: S, settings: &Settings) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, connection) = Builder::new()
            .enable_push(false)
            .initial_max_send_streams(STREAMS_AT_FIRST)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(settings.max_head).unwrap_or(u32::MAX))
            .handshake(stream)
            .await?;
        let mut connection = Box::pin(connection);
        let pings = connection.ping_pong();
        let (wanted, unwanted) = oneshot::channel();
        let streams = watch::Sender::new(1);
        let counted = streams.clone();
        let keep = settings.keep_idle.unwrap_or(DEFAULT_KEEP_IDLE);
        let task = tokio::spawn(async move {
            // What goes wrong reaches the exchanges on the connection.
            tokio::select! {
                _ = &mut connection => {}
                () = until_silent(pings) => {}
                () = until_idle(&counted, keep) => {}
                _ = unwanted => drop(timeout(LEAVE_WITHIN, &mut connection).await),
            }
        });
        Ok(Self { sender, streams, task, _wanted: wanted })
    }

    /// Whether nothing can be sent any more: it ended, or the server announced its end.
    pub(super) fn is_over(&self) -> bool {
        let goes_away = || {
            let ready = self.sender.clone().poll_ready(&mut Context::from_waker(Waker::noop()));
            matches!(ready, Poll::Ready(Err(_)))
        };
        *self.streams.borrow() == CLOSED || self.task.is_finished() || goes_away()
    }

    /// Takes the place of one exchange, if the server has one left. Until it said so, requests wait their turn in here.
    pub(super) fn enter(&self) -> bool {
        let most = self.sender.current_max_send_streams();
        let mut entered = false;
        self.streams.send_if_modified(|streams| {
            entered = *streams != CLOSED && (most == STREAMS_AT_FIRST || *streams < most);
            *streams += usize::from(entered);
            entered && *streams == 1
        });
        entered
    }

    /// Leaves the place that was taken.
    pub(super) fn leave(&self) {
        self.streams.send_if_modified(|streams| {
            *streams -= 1;
            *streams == 0
        });
    }

    /// Dropping the future resets the stream.
    pub(super) async fn send(
        &self,
        target: &Target,
        request: Request<RequestBody>,
    ) -> Result<Response<RecvStream>, TransportError> {
        let (head, mut body) = on_a_stream(target, request)?;
        let mut sender = self.sender.clone();
        let never = |error| not_answered(error).with_delivery(Delivery::NeverSent);
        poll_fn(|cx| sender.poll_ready(cx)).await.map_err(never)?;
        let body = body.take();
        let (response, mut stream) = sender.send_request(head, body.is_none()).map_err(never)?;
        // The rest of the connection goes on without this handle.
        drop(sender);
        if let Some(body) = body {
            // It is sent as the server grants room for it. What fails here fails the response too.
            let _ = stream.send_data(body, true);
        }
        response.await.map_err(not_answered)
    }
}

/// Asks the peer again and again for a sign of life; ends when there is none.
async fn until_silent(pings: Option<PingPong>) {
    let Some(mut pings) = pings else { return std::future::pending().await };
    loop {
        sleep(PING_EVERY).await;
        if !timeout(PING_WITHIN, pings.ping(Ping::opaque())).await.is_ok_and(|pong| pong.is_ok()) {
            return;
        }
    }
}

/// Ends when no exchange was on the connection for as long as `keep`; then none enters any more.
async fn until_idle(streams: &watch::Sender<usize>, keep: Duration) {
    let mut seen = streams.subscribe();
    loop {
        // The sender is here: the channel does not end.
        let _ = seen.wait_for(|streams| *streams == 0).await;
        if timeout(keep, seen.wait_for(|streams| *streams > 0)).await.is_ok() {
            continue;
        }
        let closed = |streams: &mut usize| {
            let idle = *streams == 0;
            if idle {
                *streams = CLOSED;
            }
            idle
        };
        if streams.send_if_modified(closed) {
            return;
        }
    }
}

/// The request in the form of HTTP/2: the whole URI, and no field of a connection.
fn on_a_stream(
    target: &Target,
    request: Request<RequestBody>,
) -> Result<(Request<()>, RequestBody), TransportError> {
    let (mut head, body) = request.into_parts();
    head.uri = target.absolute(&head.uri)?;
    head.version = Version::HTTP_2;
    for name in NOT_HERE {
        head.headers.remove(name);
    }
    if !body.is_end_stream() {
        head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.bytes().len()));
    }
    Ok((Request::from_parts(head, ()), body))
}

/// No response came.
fn not_answered(error: h2::Error) -> TransportError {
    use TransportErrorKind::{Closed, Configuration, Io, Protocol};
    let (kind, delivery, what) = if error.is_remote() && error.is_go_away() {
        // Only a stream that the server did not look at ends so; the others end with the connection. RFC 9113, 6.8.
        (Closed, Delivery::Refused, "the server ends the connection and did not look at the request")
    } else if error.is_remote() && error.reason() == Some(Reason::REFUSED_STREAM) {
        (Closed, Delivery::Refused, "the server refused the stream of the request unseen")
    } else if error.is_remote() {
        (Closed, Delivery::MaybeSent, "the server reset the stream of the request before it answered")
    } else if error.is_library() {
        (Protocol, Delivery::MaybeSent, "the server's response is not HTTP/2, or its head is over the limit")
    } else if error.get_io().is_some_and(is_end) {
        (Closed, Delivery::MaybeSent, "the server closed the connection before it answered")
    } else if let Some(io) = error.get_io() {
        // It is here that a server says that it does not accept our certificate.
        let what = format!("the connection failed before the server answered: {io}");
        return TransportError::new(Io, Delivery::MaybeSent, what).with_source(error);
    } else {
        (Configuration, Delivery::MaybeSent, "the request cannot be sent over HTTP/2")
    };
    TransportError::new(kind, delivery, what).with_source(error)
}

/// A response broke off.
pub(super) fn not_read(error: h2::Error) -> TransportError {
    let (kind, what) = if error.is_library() {
        (TransportErrorKind::Protocol, "the body of the server's response is not HTTP/2")
    } else {
        (TransportErrorKind::Closed, "the server's response broke off")
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}
