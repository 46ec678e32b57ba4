use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use mcp_transport::TransportError;

use super::pool::{Lease, not_read};

/// The body of a response. Read to its end, it gives its connection back; dropped before, it closes it.
pub struct ResponseBody {
    incoming: Incoming,
    lease: Option<Lease>,
}

impl ResponseBody {
    pub(super) fn new(incoming: Incoming, lease: Lease) -> Self {
        let mut body = Self { incoming, lease: Some(lease) };
        body.give_back_at_end();
        body
    }

    fn give_back_at_end(&mut self) {
        if self.incoming.is_end_stream()
            && let Some(lease) = self.lease.take()
        {
            lease.give_back();
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
        match ready!(Pin::new(&mut self.incoming).poll_frame(cx)) {
            Some(Ok(frame)) => {
                self.give_back_at_end();
                Poll::Ready(Some(Ok(frame)))
            }
            Some(Err(error)) => {
                self.lease = None;
                Poll::Ready(Some(Err(not_read(error))))
            }
            None => {
                if let Some(lease) = self.lease.take() {
                    lease.give_back();
                }
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
