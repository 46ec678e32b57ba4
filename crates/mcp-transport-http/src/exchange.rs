//! One request, its response, and in the legacy era what takes the place of a response that broke off.

use std::{pin::pin, sync::Arc, task::Poll, time::Duration};

use bytes::Bytes;
use http::header;
use mcp_transport::{
    Delivery, ExchangeEnd, Exchanges, Inbound, Origin, OutboundMessage, RawMessage, Sink, TransportError,
    TransportErrorKind,
};
use mcp_types::{RequestId, jsonrpc::JsonRpcMessage};
use tokio::{
    sync::SemaphorePermit,
    time::{sleep, timeout},
};

use crate::{
    answer::{Media, media},
    body,
    headers::SESSION_ID,
    http_sse,
    link::Shared,
    refusal::{self, Refusal},
    request::Prepared,
    service::Answer,
    session::SessionId,
    sse::Events,
    stream::{Consumer, Cursor, StreamLimits, is_stream, passes},
    turns::{at_once, behind_the_woken},
};

/// A stream that lasts longer does not count as a connection any more.
const LONG_STREAM: Duration = Duration::from_secs(1);
/// How long a stream is read on after its reply, so that its connection can be used again.
const AFTER_REPLY: Duration = Duration::from_millis(250);

/// The exchanges of a link.
pub(crate) struct HttpExchanges(pub(crate) Arc<Shared>);

impl Exchanges for HttpExchanges {
    fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static {
        let shared = Arc::clone(&self.0);
        async move { perform(&shared, &out, &sink).await.unwrap_or_else(ExchangeEnd::Failed) }
    }
}

async fn perform(shared: &Shared, out: &OutboundMessage, sink: &Sink) -> Result<ExchangeEnd, TransportError> {
    let JsonRpcMessage::Request(request) = &out.message else {
        return Err(TransportError::new(
            TransportErrorKind::Configuration,
            Delivery::NeverSent,
            "only a request has an exchange of its own",
        ));
    };
    let initialize = request.method == "initialize";
    if !initialize && shared.session.is_half_open() {
        // Rare, so kept out of the size of every exchange. So is what follows like this.
        Box::pin(shared.session.open(shared.options.accept_timeout)).await;
    }
    let permit = if request.method == "subscriptions/listen" { None } else { shared.permit().await };
    // Without the request in between, which would be a part of every exchange.
    let (answer, session, modern) =
        shared.post(out).map(|it| (shared.service.fetch(it.request), it.session, it.modern))?;
    let many = shared.has_many_open();
    if many {
        behind_the_woken().await;
    }
    let mut answer = answer.await?;
    if many {
        behind_the_woken().await;
    }
    let id = &request.id;
    let mut exchange =
        Exchange { shared, out, id, initialize, session, resumable: !modern, sink, replied: false };
    if !answer.status().is_success() {
        return Box::pin(exchange.refused(answer, permit)).await;
    }
    sink.accepted();
    if initialize {
        shared.session.offered(answer.headers().get(SESSION_ID).cloned());
    }
    if answer.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let what = "the server's answer is compressed, which it was not asked to be";
        return Err(refusal::no_message(&answer.into_parts().0, b"", what));
    }
    match media(answer.headers()) {
        Media::Json | Media::Unnamed => {
            let options = &shared.options;
            let frame = body::whole(answer.body_mut(), options.max_message, options.body_idle).await?;
            if !exchange.deliver(&frame) {
                let what = "the server's answer holds no message";
                return Err(refusal::no_message(&answer.into_parts().0, &frame, what));
            }
        }
        Media::EventStream => {
            // By itself: an argument is kept twice.
            let events = Box::new(exchange.limits().events(answer.into_body()));
            Box::pin(exchange.stream(events, permit)).await?;
        }
        Media::Other => {
            let what = "the server's answer is neither JSON nor a stream";
            return Err(Box::pin(refusal::unexpected(answer, what)).await);
        }
    }
    Ok(ExchangeEnd::Complete)
}

struct Exchange<'a> {
    shared: &'a Shared,
    out: &'a OutboundMessage,
    id: &'a RequestId,
    initialize: bool,
    session: Option<SessionId>,
    resumable: bool,
    sink: &'a Sink,
    replied: bool,
}

impl Exchange<'_> {
    /// What comes of a response whose status says no.
    async fn refused(
        &self,
        answer: Answer,
        permit: Option<SemaphorePermit<'_>>,
    ) -> Result<ExchangeEnd, TransportError> {
        let refusal = Refusal::read(answer, self.session.is_some()).await;
        drop(permit);
        if self.initialize
            // Not a server that is known to speak this transport, and lost a session.
            && !self.shared.session.is_settled()
            && refusal.may_be_http_sse()
            && let Some(link) = http_sse::open(self.shared).await
        {
            return Ok(ExchangeEnd::Replaced(link));
        }
        let reply = refusal.rpc_error(self.id);
        let error = refusal.into_error();
        if let Some(message) = reply {
            // A JSON-RPC error in it is the reply.
            self.sink.accepted();
            self.sink.refused(&error);
            let origin = Origin::Exchange(self.id.clone());
            self.sink.deliver(Inbound::Message { origin, message });
        }
        Err(error)
    }

    async fn stream(
        &mut self,
        mut events: Box<Events>,
        permit: Option<SemaphorePermit<'_>>,
    ) -> Result<(), TransportError> {
        let limits = self.limits();
        let mut cursor = Cursor::default();
        let begun = at_once(pin!(limits.read(&mut events, &mut cursor, self))).await;
        let end = match begun {
            Poll::Ready(end) => end,
            // On the heap: large, for its timers.
            Poll::Pending => Box::pin(self.read_long(&mut events, &mut cursor, permit)).await,
        };
        match end {
            Ok(true) => {
                // Most servers end the stream here; another one is left.
                let rest = at_once(pin!(limits.read(&mut events, &mut cursor, self))).await;
                if rest.is_pending() {
                    let rest = limits.read(&mut events, &mut cursor, self);
                    let _ = Box::pin(timeout(AFTER_REPLY, rest)).await;
                }
                Ok(())
            }
            end if self.may_resume(&cursor, &end) => {
                drop(events);
                Box::pin(self.resume(cursor)).await
            }
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Goes on with a stream of which more is to come.
    async fn read_long(
        &mut self,
        events: &mut Events,
        cursor: &mut Cursor,
        permit: Option<SemaphorePermit<'_>>,
    ) -> Result<bool, TransportError> {
        let limits = self.limits();
        let mut reading = pin!(limits.read(events, cursor, self));
        if let Ok(end) = timeout(LONG_STREAM, reading.as_mut()).await {
            return end;
        }
        drop(permit);
        reading.await
    }

    fn may_resume(&self, cursor: &Cursor, end: &Result<bool, TransportError>) -> bool {
        let readable = end.as_ref().err().is_none_or(|error| error.kind() != TransportErrorKind::TooLarge);
        self.resumable && cursor.last_id().is_some() && readable
    }

    /// Takes the stream up again, behind the last event that came.
    ///
    /// Section: [Resumability and Redelivery](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).
    async fn resume(&mut self, mut cursor: Cursor) -> Result<(), TransportError> {
        let limits = self.limits();
        let mut last: Option<TransportError> = None;
        while let Some(wait) = cursor.next_wait() {
            let asked = last.as_ref().and_then(|error| error.http()?.retry_after);
            sleep(wait.max(asked.unwrap_or_default())).await;
            let Prepared { request, session, .. } =
                self.shared.resume(cursor.last_id(), self.out, self.session.as_ref())?;
            let answer = match self.shared.service.fetch(request).await {
                Ok(answer) => answer,
                Err(error) => {
                    last = Some(error);
                    continue;
                }
            };
            if !is_stream(&answer) {
                let passes = passes(answer.status());
                let error = Refusal::read(answer, session.is_some()).await.into_error();
                if !passes {
                    // The request itself was taken before.
                    return Err(error.with_delivery(Delivery::MaybeSent));
                }
                last = Some(error);
                continue;
            }
            let mut events = limits.events(answer.into_body());
            match limits.read(&mut events, &mut cursor, self).await {
                Ok(true) => {
                    let _ = timeout(AFTER_REPLY, limits.read(&mut events, &mut cursor, self)).await;
                    return Ok(());
                }
                Ok(false) => last = None,
                Err(error) if error.kind() == TransportErrorKind::TooLarge => return Err(error),
                Err(error) => last = Some(error),
            }
        }
        Err(last.map_or_else(no_reply, |error| error.with_delivery(Delivery::MaybeSent)))
    }

    /// Delivers what `frame` holds; whether that is a message.
    fn deliver(&mut self, frame: &Bytes) -> bool {
        let mut messages = 0;
        Inbound::parse_each(Origin::Exchange(self.id.clone()), frame, |entry| {
            match &entry {
                Inbound::Message { message, .. } => {
                    messages += 1;
                    self.look_at(message);
                }
                Inbound::Batch { messages: batch, .. } => {
                    messages += batch.len();
                    for message in batch {
                        self.look_at(message);
                    }
                }
                _ => {}
            }
            self.sink.deliver(entry);
        });
        messages > 0
    }

    /// Before it is delivered: who sees it may go on at once.
    fn look_at(&mut self, message: &RawMessage) {
        let JsonRpcMessage::Response(response) = message else { return };
        let ours = response.id.as_ref().is_none_or(|id| {
            id == self.id || (id.answers_to().is_some() && id.answers_to() == self.id.as_i64())
        });
        if ours && !self.replied {
            self.replied = true;
            if self.initialize {
                self.shared.session.answered(response.outcome.is_ok());
            }
        }
    }

    fn limits(&self) -> StreamLimits {
        StreamLimits::of(&self.shared.options)
    }
}

impl Consumer for Exchange<'_> {
    async fn take(&mut self, message: Bytes) -> bool {
        let before = self.replied;
        self.deliver(&message);
        self.replied && !before
    }
}

fn no_reply() -> TransportError {
    TransportError::new(
        TransportErrorKind::Closed,
        Delivery::MaybeSent,
        "the server's stream was taken up again until nothing new came, and brought no reply",
    )
}
