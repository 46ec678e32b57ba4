//! Reading bodies whole, within limits.

use std::{pin::pin, task::Poll, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::time::{error::Elapsed, timeout};

use crate::{
    BoxError,
    service::{AnswerBody, transport_error},
    turns::at_once,
};

/// Reads a body of at most `limit` bytes that does not pause for longer than `idle`.
pub(crate) async fn whole(
    body: &mut AnswerBody,
    limit: usize,
    idle: Duration,
) -> Result<Bytes, TransportError> {
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    loop {
        let frame = match frame_within(body, idle).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => return Err(transport_error(error)),
            Ok(None) => return Ok(if all.is_empty() { first } else { all.freeze() }),
            Err(_) => {
                let what = format!("the server's answer stopped for {idle:?} before its end");
                return Err(TransportError::new(TransportErrorKind::Timeout, Delivery::MaybeSent, what));
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        if first.len().max(all.len()) + data.len() > limit {
            return Err(too_large(limit));
        }
        // Small answers come in one piece, which is used as it is.
        if first.is_empty() {
            first = data;
            if body.is_end_stream() {
                return Ok(first);
            }
        } else {
            if all.is_empty() {
                let expected =
                    first.len() + data.len() + usize::try_from(body.size_hint().lower()).unwrap_or(0);
                all.reserve(expected.min(limit));
                all.extend_from_slice(&first);
            }
            all.extend_from_slice(&data);
        }
    }
}

/// The next frame. What is there already needs no timer.
async fn frame_within(
    body: &mut AnswerBody,
    idle: Duration,
) -> Result<Option<Result<Frame<Bytes>, BoxError>>, Elapsed> {
    match at_once(pin!(body.frame())).await {
        Poll::Ready(frame) => Ok(frame),
        Poll::Pending => Box::pin(timeout(idle, body.frame())).await,
    }
}

fn too_large(limit: usize) -> TransportError {
    let what = format!("the server's answer is over the limit of {limit} bytes");
    TransportError::new(TransportErrorKind::TooLarge, Delivery::MaybeSent, what)
}

/// The beginning of a body: at most `limit` bytes, and what came `within` that time.
pub(crate) async fn beginning<B>(mut body: B, limit: usize, within: Duration) -> Bytes
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut begun = BytesMut::new();
    let read = async {
        while let Some(Ok(frame)) = body.frame().await {
            if let Ok(data) = frame.into_data() {
                let room = limit - begun.len();
                begun.extend_from_slice(&data[..data.len().min(room)]);
                if data.len() > room {
                    return;
                }
            }
        }
    };
    // What did not come in time is not worth waiting for.
    let _ = timeout(within, read).await;
    begun.freeze()
}

/// Reads what nobody needs, so that the connection can be used again, unless that takes longer than a new one.
pub(crate) async fn drain(body: AnswerBody) {
    const WORTH: usize = 64 * 1024;
    const WITHIN: Duration = Duration::from_secs(1);
    beginning(body, WORTH, WITHIN).await;
}
