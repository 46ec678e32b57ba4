//! The seam: what carries one HTTP request and brings its response.

use std::{
    any::Any,
    convert::Infallible,
    error::Error,
    fmt,
    future::{Future, poll_fn, ready},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tower_service::Service;

use crate::{HttpClient, ResponseBody, client::Performing};

/// An error of any type, as services give it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The body of a request: a whole message, or nothing. Cloning it is cheap, so that middleware can send it again.
#[derive(Clone, Default)]
pub struct RequestBody(Option<Bytes>);

impl RequestBody {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }

    #[cfg(feature = "http2")]
    pub(crate) fn take(&mut self) -> Option<Bytes> {
        self.0.take()
    }

    /// What it holds and was not taken yet: for middleware that signs or records.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestBody({} bytes)", self.bytes().len())
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes().len() as u64)
    }
}

pub(crate) type Answer = Response<AnswerBody>;

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// That of our own client.
    Own(ResponseBody),
    Other(UnsyncBoxBody<Bytes, BoxError>),
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Self::Own(body) => Pin::new(body).poll_frame(cx).map_err(Into::into),
            Self::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Own(body) => body.is_end_stream(),
            Self::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Own(body) => body.size_hint(),
            Self::Other(body) => body.size_hint(),
        }
    }
}

/// A service whose type is erased.
pub(crate) trait Fetch: Send + Sync {
    fn fetch(&self, request: Request<RequestBody>) -> Fetching<'_>;

    /// Adds the fields that it sets itself to those that many requests begin with.
    fn make_room(&self, _fields: &mut HeaderMap) {}
}

/// What comes of a request.
pub(crate) enum Fetching<'a> {
    /// Of our own client, without a detour over the heap.
    Own(Performing<'a>),
    Other(Pin<Box<dyn Future<Output = Result<Answer, TransportError>> + Send + 'a>>),
}

impl Future for Fetching<'_> {
    type Output = Result<Answer, TransportError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Own(performing) => {
                Pin::new(performing).poll(cx).map_ok(|answer| answer.map(AnswerBody::Own))
            }
            Self::Other(fetching) => fetching.as_mut().poll(cx),
        }
    }
}

/// Erases `service`. It is cloned for each request, as tower has it; our own needs no detour.
pub(crate) fn erase<S, R>(service: S) -> Arc<dyn Fetch>
where
    S: Service<Request<RequestBody>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    R: Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    match (&service as &dyn Any).downcast_ref::<HttpClient>() {
        Some(own) => Arc::new(own.clone()),
        None => Arc::new(Erased(Mutex::new(service))),
    }
}

struct Erased<S>(Mutex<S>);

impl<S, R> Fetch for Erased<S>
where
    S: Service<Request<RequestBody>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    R: Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    fn fetch(&self, request: Request<RequestBody>) -> Fetching<'_> {
        let mut service = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Nearly every service is ready at once: then its future alone is kept, not the request too.
        Fetching::Other(match service.poll_ready(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(())) => {
                let called = service.call(request);
                Box::pin(async move { answered(called.await) })
            }
            Poll::Ready(Err(error)) => Box::pin(ready(Err(not_ready(error)))),
            Poll::Pending => Box::pin(async move {
                poll_fn(|cx| service.poll_ready(cx)).await.map_err(not_ready)?;
                answered(service.call(request).await)
            }),
        })
    }
}

fn not_ready(error: impl Into<BoxError>) -> TransportError {
    transport_error(error.into()).with_delivery(Delivery::NeverSent)
}

fn answered<R, E>(answer: Result<Response<R>, E>) -> Result<Answer, TransportError>
where
    R: Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
    E: Into<BoxError>,
{
    let answer = answer.map_err(|error| transport_error(error.into()))?;
    Ok(answer.map(|body| AnswerBody::Other(body.map_err(Into::into).boxed_unsync())))
}

/// The failure of a service. One that holds a [`TransportError`] is that, whatever stands around it.
pub(crate) fn transport_error(error: BoxError) -> TransportError {
    let error = match error.downcast::<TransportError>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(known) = inner.downcast_ref::<TransportError>() {
            return known.clone();
        }
        source = inner.source();
    }
    let message = format!("the HTTP service failed: {error}");
    TransportError::new(TransportErrorKind::Io, Delivery::MaybeSent, message).with_source(Foreign(error))
}

/// A boxed error as an error.
#[derive(Debug)]
struct Foreign(BoxError);

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Foreign {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wrapped(TransportError);

    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("middleware failed")
        }
    }

    impl Error for Wrapped {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn the_evidence_survives_middleware() {
        let refused = TransportError::new(TransportErrorKind::Connect, Delivery::NeverSent, "refused");
        for error in [BoxError::from(refused.clone()), Wrapped(refused).into()] {
            assert_eq!(transport_error(error).delivery(), Delivery::NeverSent);
        }
        let foreign = transport_error("odd".into());
        assert_eq!(foreign.delivery(), Delivery::MaybeSent);
        assert_eq!(foreign.to_string(), "the HTTP service failed: odd");
    }
}
