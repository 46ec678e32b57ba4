use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use mcp_transport::TransportError;

use super::{http1, pool::Lease};
#[cfg(feature = "http2")]
use super::{http2, shared::Share};

/// The body of a response. Read to its end, it frees its connection for others; dropped before, it abandons the request:
/// it closes the connection, or over HTTP/2 resets the stream.
pub struct ResponseBody(Kind);

enum Kind {
    Http1 {
        incoming: Incoming,
        lease: Option<Lease>,
    },
    #[cfg(feature = "http2")]
    Http2 {
        stream: h2::RecvStream,
        share: Option<Share>,
    },
}

impl ResponseBody {
    pub(super) fn http1(incoming: Incoming, lease: Lease) -> Self {
        let mut body = Self(Kind::Http1 { incoming, lease: Some(lease) });
        body.free_at_end();
        body
    }

    #[cfg(feature = "http2")]
    pub(super) fn http2(stream: h2::RecvStream, share: Share) -> Self {
        let mut body = Self(Kind::Http2 { stream, share: Some(share) });
        body.free_at_end();
        body
    }

    fn free_at_end(&mut self) {
        if self.is_end_stream() {
            self.free();
        }
    }

    /// The response was read to its end.
    fn free(&mut self) {
        match &mut self.0 {
            Kind::Http1 { lease, .. } => {
                if let Some(lease) = lease.take() {
                    lease.give_back();
                }
            }
            #[cfg(feature = "http2")]
            Kind::Http2 { share, .. } => *share = None,
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseBody")
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let polled = match &mut self.0 {
            Kind::Http1 { incoming, lease } => {
                // Without its connection it was read to its end.
                let polled = match lease {
                    Some(lease) => lease.connection().poll_frame(incoming, cx),
                    None => Pin::new(incoming).poll_frame(cx),
                };
                match ready!(polled) {
                    Some(Ok(frame)) => Some(Ok(frame)),
                    Some(Err(error)) => {
                        // What is left of the connection is of no use.
                        *lease = None;
                        return Poll::Ready(Some(Err(http1::not_read(error))));
                    }
                    None => None,
                }
            }
            #[cfg(feature = "http2")]
            Kind::Http2 { stream, .. } => match ready!(stream.poll_data(cx)) {
                Some(Ok(data)) => {
                    // Room for as much again. It only fails where nothing is sent any more.
                    let _ = stream.flow_control().release_capacity(data.len());
                    Some(Ok(Frame::data(data)))
                }
                Some(Err(error)) => Some(Err(http2::not_read(error))),
                None => None,
            },
        };
        match polled {
            Some(Ok(_)) => self.free_at_end(),
            Some(Err(_)) | None => self.free(),
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Http1 { incoming, .. } => incoming.is_end_stream(),
            #[cfg(feature = "http2")]
            Kind::Http2 { stream, .. } => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Http1 { incoming, .. } => incoming.size_hint(),
            #[cfg(feature = "http2")]
            Kind::Http2 { .. } => SizeHint::default(),
        }
    }
}
