//! From a request to the head of its response.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use http::{HeaderValue, Request, Response, header};
use mcp_transport::TransportError;

use super::{
    HttpClient, ResponseBody,
    http1::{NotAnswered, Sending},
    is_last,
    pool::Lease,
    target::{Key, Target},
};
use crate::RequestBody;

/// A request that is under way. Dropping it abandons the request.
///
/// No `async fn`: that would hold the request and what becomes of it several times over.
pub(crate) struct Performing<'a> {
    client: &'a HttpClient,
    step: Step<'a>,
}

type Answered = Result<Response<ResponseBody>, TransportError>;

enum Step<'a> {
    /// On a connection that waited for it, which is nearly always so.
    Sent(Lease, Sending),
    Later(Pin<Box<dyn Future<Output = Answered> + Send + 'a>>),
    Over(Option<TransportError>),
}

impl HttpClient {
    /// Sends `request`, at once where a connection waits for one, and waits for its response.
    pub(super) fn perform(&self, request: Request<RequestBody>) -> Performing<'_> {
        let step = self.begin(request).unwrap_or_else(|error| Step::Over(Some(error)));
        Performing { client: self, step }
    }

    fn begin(&self, mut request: Request<RequestBody>) -> Result<Step<'_>, TransportError> {
        let target = Target::take(request.uri_mut())?;
        let length = request.body().bytes().len();
        if length > 0 {
            request.headers_mut().insert(header::CONTENT_LENGTH, decimal(length));
        }
        let last = is_last(&request);
        let authorization = request.headers().get(header::AUTHORIZATION);
        let mut idle = self.pool.take(&target, authorization);
        if let Some(mut lease) = idle.take_if(|lease| !last && lease.connection().is_ready()) {
            request.headers_mut().insert(header::HOST, lease.host().clone());
            let sending = lease.connection().begin_to_send(request);
            return Ok(Step::Sent(lease, sending));
        }
        let key = Key { target, authorization: request.headers().get(header::AUTHORIZATION).cloned() };
        request.headers_mut().insert(header::HOST, key.target.host_field()?);
        Ok(Step::Later(Box::pin(self.later(idle, key, request))))
    }
}

impl Future for Performing<'_> {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answered> {
        loop {
            let answered = match &mut self.step {
                Step::Sent(lease, sending) => ready!(lease.connection().poll_answer(sending, cx)),
                Step::Later(later) => return later.as_mut().poll(cx),
                Step::Over(error) => match error.take() {
                    Some(error) => return Poll::Ready(Err(error)),
                    None => panic!("a request was polled after its end"),
                },
            };
            let Step::Sent(lease, _) = std::mem::replace(&mut self.step, Step::Over(None)) else { continue };
            self.step = match answered {
                Ok(answer) => return Poll::Ready(Ok(self.client.leased(lease, answer))),
                Err(NotAnswered::NeverSent(request, _)) => {
                    Step::Later(Box::pin(self.client.later(None, lease.into_key(), *request)))
                }
                Err(NotAnswered::Failed(error)) => return Poll::Ready(Err(error)),
            };
        }
    }
}

/// As `HeaderValue::from`, with one allocation instead of two.
fn decimal(number: usize) -> HeaderValue {
    let mut digits = [0; 20];
    let (mut at, mut left) = (digits.len(), number);
    loop {
        at -= 1;
        // A single digit.
        digits[at] = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        if left == 0 {
            break;
        }
    }
    HeaderValue::from_bytes(&digits[at..]).unwrap_or_else(|_| HeaderValue::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 9, 10, 1234, usize::MAX] {
            assert_eq!(decimal(number), HeaderValue::from(number));
        }
    }
}
