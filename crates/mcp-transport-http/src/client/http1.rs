//! One connection of HTTP/1.1, which carries one exchange at a time.

use std::{
    error::Error,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
#[cfg(feature = "proxy")]
use http::header;
use http::{HeaderMap, HeaderName, Request, Response};
use http_body::{Body, Frame};
use hyper::{
    body::Incoming,
    client::conn::{TrySendError, http1},
    rt,
};
use hyper_util::rt::TokioIo;
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::time::timeout;

#[cfg(feature = "proxy")]
use super::proxy::Forward;
use super::{Settings, drive::Driver};
use crate::RequestBody;

/// How long a connection may take to be ready again. Longer, and a new one is better.
const READY_WITHIN: Duration = Duration::from_millis(100);

/// One connection. Who waits for something on it drives it; dropping it closes it.
pub(super) struct Connection {
    sender: http1::SendRequest<RequestBody>,
    driver: Driver,
    /// It leads to a proxy, which forwards requests.
    #[cfg(feature = "proxy")]
    forward: Option<Box<Forward>>,
}

/// A request that was handed to a connection.
pub(super) type Sending =
    Pin<Box<dyn Future<Output = Result<Response<Incoming>, TrySendError<Request<RequestBody>>>> + Send>>;

/// Why there is no response.
pub(super) enum NotAnswered {
    NeverSent(Box<Request<RequestBody>>, TransportError),
    /// Not to be sent again, whatever the error says of it.
    Failed(TransportError),
}

impl Connection {
    pub(super) async fn begin<S>(stream: S, settings: &Settings) -> Result<Self, hyper::Error>
    where
        TokioIo<S>: rt::Read + rt::Write + Unpin + Send + 'static,
    {
        let mut builder = http1::Builder::new();
        // At most 100 fields, as long as hyper is not told a number: then it would allocate for each head.
        builder.max_header_size(settings.max_head);
        let (sender, connection) = builder.handshake::<_, RequestBody>(TokioIo::new(stream)).await?;
        Ok(Self {
            sender,
            driver: Driver::new(connection),
            #[cfg(feature = "proxy")]
            forward: None,
        })
    }

    #[cfg(feature = "proxy")]
    pub(super) fn forwarded(mut self, forward: Forward) -> Self {
        self.forward = Some(Box::new(forward));
        self
    }

    /// After a response: whether another request can be sent, as far as is known. Later, only sending tells.
    pub(super) fn goes_on(&mut self) -> bool {
        if !self.sender.is_ready() {
            // It did not see the end of the response yet, or that it is to be closed.
            self.driver.turn();
        }
        !self.driver.is_over() && !self.sender.is_closed()
    }

    /// Whether the next request can be sent: not when the last one is still being written to a server that answered
    /// early and does not read.
    pub(super) async fn ready(&mut self) -> bool {
        if self.sender.is_ready() {
            return true;
        }
        let (sender, driver) = (&mut self.sender, &mut self.driver);
        let ready = poll_fn(|cx| driver.poll(cx, |cx| sender.poll_ready(cx)));
        // On the heap: rare.
        Box::pin(timeout(READY_WITHIN, ready)).await.is_ok_and(|ready| ready.is_ok())
    }

    /// Whether a request can be sent at once, as it is.
    pub(super) fn is_ready(&self) -> bool {
        #[cfg(feature = "proxy")]
        if self.forward.is_some() {
            return false;
        }
        self.sender.is_ready()
    }

    /// Hands the request over; [`poll_answer`](Self::poll_answer) does the rest.
    pub(super) fn begin_to_send(&mut self, request: Request<RequestBody>) -> Sending {
        // On the heap: as large as a request.
        Box::pin(self.sender.try_send_request(request))
    }

    pub(super) fn poll_answer(
        &mut self,
        sending: &mut Sending,
        cx: &Context<'_>,
    ) -> Poll<Result<Response<Incoming>, NotAnswered>> {
        self.driver.poll(cx, |cx| sending.as_mut().poll(cx).map_err(not_sent))
    }

    async fn answer(&mut self, mut sending: Sending) -> Result<Response<Incoming>, NotAnswered> {
        poll_fn(|cx| self.poll_answer(&mut sending, cx)).await
    }

    pub(super) async fn send(
        &mut self,
        request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, NotAnswered> {
        #[cfg(feature = "proxy")]
        if self.forward.is_some() {
            return self.forward(request).await;
        }
        let sending = self.begin_to_send(request);
        self.answer(sending).await
    }

    #[cfg(feature = "proxy")]
    async fn forward(
        &mut self,
        mut request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, NotAnswered> {
        let path = request.uri().clone();
        if let Some(forward) = &self.forward {
            forward.address(&mut request).map_err(NotAnswered::Failed)?;
        }
        let sending = self.begin_to_send(request);
        match (self.answer(sending).await, &self.forward) {
            (Ok(answer), Some(forward)) => {
                let driver = &mut self.driver;
                let answer = answer.map(|incoming| Driven { incoming, driver });
                let passed = forward.pass(answer).await.map_err(NotAnswered::Failed)?;
                Ok(passed.map(|driven| driven.incoming))
            }
            (Err(NotAnswered::NeverSent(mut request, error)), _) => {
                // The next connection may lead elsewhere.
                *request.uri_mut() = path;
                request.headers_mut().remove(header::PROXY_AUTHORIZATION);
                Err(NotAnswered::NeverSent(request, error))
            }
            (other, _) => other,
        }
    }

    /// The next frame of the response.
    pub(super) fn poll_frame(
        &mut self,
        incoming: &mut Incoming,
        cx: &Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.driver.poll_after(cx, |cx| Pin::new(&mut *incoming).poll_frame(cx))
    }
}

/// A body with the connection that it comes on.
#[cfg(feature = "proxy")]
struct Driven<'a> {
    incoming: Incoming,
    driver: &'a mut Driver,
}

#[cfg(feature = "proxy")]
impl Body for Driven<'_> {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { incoming, driver } = self.get_mut();
        driver.poll_after(cx, |cx| Pin::new(&mut *incoming).poll_frame(cx))
    }
}

fn not_sent(mut failure: TrySendError<Request<RequestBody>>) -> NotAnswered {
    match failure.take_message() {
        Some(request) => {
            let error = not_answered(failure.into_error()).with_delivery(Delivery::NeverSent);
            NotAnswered::NeverSent(Box::new(request), error)
        }
        None => NotAnswered::Failed(not_answered(failure.into_error())),
    }
}

/// How long the server says that it keeps an idle connection, less what a request may take to arrive.
pub(super) fn keep_alive(headers: &HeaderMap) -> Option<Duration> {
    const ON_THE_WAY: Duration = Duration::from_secs(1);
    const MOST: Duration = Duration::from_secs(90);
    const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
    let field = headers.get(KEEP_ALIVE)?.to_str().ok()?;
    let seconds = field.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    let said = Duration::from_secs(seconds.trim().parse().ok()?);
    Some(said.saturating_sub(ON_THE_WAY).min(MOST))
}

/// No response came.
fn not_answered(error: hyper::Error) -> TransportError {
    // hyper has a predicate for this on the side of servers only.
    let too_large = error.is_parse() && error.to_string().contains("too large");
    let (kind, what) = if too_large {
        (TransportErrorKind::TooLarge, "the head of the server's response is over the limit")
    } else if error.is_parse() {
        (TransportErrorKind::Protocol, "the server's response is not HTTP/1.1")
    } else if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        (TransportErrorKind::Closed, "the server closed the connection before it answered")
    } else {
        // It is here that a server says that it does not accept our certificate.
        let why = error.source().map(ToString::to_string).unwrap_or_default();
        let what = format!("the connection failed before the server answered: {why}");
        return TransportError::new(TransportErrorKind::Io, Delivery::MaybeSent, what).with_source(error);
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

/// A response broke off.
pub(super) fn not_read(error: hyper::Error) -> TransportError {
    // What is wrong with a chunk comes as an error of input.
    let input = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    let malformed = matches!(input, Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput));
    let (kind, what) = if error.is_parse() || malformed {
        (TransportErrorKind::Protocol, "the body of the server's response is not HTTP/1.1")
    } else {
        (TransportErrorKind::Closed, "the server's response broke off")
    };
    TransportError::new(kind, Delivery::MaybeSent, what).with_source(error)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_server_says_how_long_it_keeps_a_connection() {
        let said = |field: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("keep-alive", HeaderValue::from_static(field));
            keep_alive(&headers)
        };
        assert_eq!(said("timeout=5"), Some(Duration::from_secs(4)));
        assert_eq!(said("max=100, timeout=1"), Some(Duration::ZERO));
        assert_eq!(said("timeout=99999999999"), Some(Duration::from_secs(90)));
        for odd in ["", "timeout=", "timeout=-1", "max=3"] {
            assert_eq!(said(odd), None, "{odd}");
        }
    }
}
