//! Messages of the client.

use std::{error::Error, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use mcp_transport::{Inbound, Origin, RawMessage, SkippedKind};
use mcp_types::{
    Era, ErrorCode, InitializeRequest, Request as _, RequestId, Revision,
    jsonrpc::{JsonRpcMessage, JsonRpcRequest},
};
use tokio::time::timeout;

use super::{
    answer::{self, Answer},
    endpoint::{Endpoint, SESSION_ID},
    exchange::{self, cancelled},
    mirror,
    record::{Reading, Record},
    routes::Routes,
    session::HttpSession,
};
use crate::demo::{methods::Params, server::Surroundings};

const MAX_BODY: usize = 4 * 1024 * 1024;

/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(30);

/// In one batch.
const MAX_MESSAGES: usize = 100;

impl Endpoint {
    pub(super) async fn post(&self, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let headers = &head.headers;
        if !["application/json", "text/event-stream"].iter().all(|kind| answer::accepts(headers, kind)) {
            return answer::status(StatusCode::NOT_ACCEPTABLE);
        }
        if !is_json(headers) {
            return answer::status(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let body = match whole(body).await {
            Ok(body) => body,
            Err(status) => return answer::status(status),
        };
        match parse(&body) {
            Err(code) => {
                answer::error(StatusCode::BAD_REQUEST, None, code, "The body is not what it should be")
            }
            Ok(Body::Batch(messages)) => self.in_session(headers, messages, true).await,
            Ok(Body::Message(message)) => match &message {
                JsonRpcMessage::Request(request) if self.is_modern(headers, request) => {
                    self.modern(headers, request).await
                }
                JsonRpcMessage::Notification(_) if names_modern(headers) => {
                    answer::status(StatusCode::ACCEPTED)
                }
                JsonRpcMessage::Request(request) if request.method == InitializeRequest::METHOD => {
                    self.open(message).await
                }
                _ => self.in_session(headers, vec![message], false).await,
            },
        }
    }

    /// Whether a request is to be served by itself.
    fn is_modern(&self, headers: &HeaderMap, request: &JsonRpcRequest<Bytes>) -> bool {
        let claims = names_modern(headers) || Params::new(request.params.clone()).claims_modern();
        let no_session =
            self.demo.newest(Era::Legacy).is_none() && request.method != InitializeRequest::METHOD;
        self.demo.newest(Era::Modern).is_some() && (claims || no_session)
    }

    async fn modern(&self, headers: &HeaderMap, request: &JsonRpcRequest<Bytes>) -> Answer {
        if let Err(why) = mirror::check(headers, request) {
            let (id, code) = (Some(request.id.clone()), ErrorCode::HEADER_MISMATCH);
            return answer::error(StatusCode::BAD_REQUEST, id, code, why);
        }
        let record = Record::new(0);
        let requests = vec![JsonRpcMessage::Request(request.clone())];
        let held = exchange::start(
            self.demo.clone(),
            Surroundings { counter: self.counter.clone(), one_of_many: true, ..Surroundings::default() },
            Era::Modern,
            &Arc::<Routes>::default(),
            &record,
            requests,
        );
        // Dropping it, here or with the response, is how the client cancels.
        let reading = Reading::new(&record).holding(held);
        self.begin(&record, reading, true).await
    }

    /// Opens a session.
    async fn open(&self, initialize: RawMessage) -> Answer {
        let session = HttpSession::new(&self.counter);
        let id = initialize.id().cloned();
        let record = match session.start(&self.demo, vec![initialize]) {
            Ok(record) => record,
            Err(why) => return refused(id, why),
        };
        let answer = self.begin(&record, session.fit(Reading::new(&record)), true).await;
        if session.revision().is_none() {
            return answer;
        }
        let id = self.sessions.insert(session);
        answer::with(answer, SESSION_ID, id)
    }

    /// Takes messages of a session.
    async fn in_session(&self, headers: &HeaderMap, messages: Vec<RawMessage>, batch: bool) -> Answer {
        let session = match self.session(headers) {
            Ok(session) => session,
            Err(refusal) => return refusal.into(),
        };
        let malformed = |why| answer::error(StatusCode::BAD_REQUEST, None, ErrorCode::INVALID_REQUEST, why);
        if batch && session.revision() != Some(Revision::V2025_03_26) {
            return malformed("The revision has no batches");
        }
        let mut requests = Vec::new();
        for message in messages {
            match message {
                JsonRpcMessage::Response(reply) => {
                    if !session.routes.reply(reply) {
                        return malformed("Nobody waits for this reply");
                    }
                }
                JsonRpcMessage::Request(request) if request.method == InitializeRequest::METHOD => {
                    return malformed("A session is opened by a request of its own");
                }
                message => match cancelled(&message) {
                    Some(id) => session.routes.cancel(&id, message),
                    None if message.id().is_some() => requests.push(message),
                    None => {}
                },
            }
        }
        let Some(id) = requests.first().map(|request| request.id().cloned()) else {
            return answer::status(StatusCode::ACCEPTED);
        };
        let alone = requests.len() == 1;
        match session.start(&self.demo, requests) {
            Ok(record) => self.begin(&record, session.fit(Reading::new(&record)), alone).await,
            Err(why) => refused(id, why),
        }
    }

    /// The response to requests: a single reply by itself, or a stream of everything that `record` says.
    async fn begin(&self, record: &Arc<Record>, reading: Reading, alone: bool) -> Answer {
        let first = record.begun().await;
        match first.and_then(|entry| Some((entry.status?, entry.text))) {
            Some((status, text)) if alone && (!self.demo.streamed || status != StatusCode::OK) => {
                answer::json(status, text)
            }
            _ => answer::stream(reading),
        }
    }
}

/// The body of a request, or the status of the answer when it cannot be had.
pub(super) async fn whole<B>(body: B) -> Result<Bytes, StatusCode>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    match timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        // Or the client broke off, and hears nothing.
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

pub(super) enum Body {
    Message(RawMessage),
    Batch(Vec<RawMessage>),
}

pub(super) fn parse(body: &Bytes) -> Result<Body, ErrorCode> {
    let mut entries = Vec::with_capacity(1);
    Inbound::parse(Origin::Shared, body, &mut entries);
    match (entries.pop(), entries.pop()) {
        (Some(Inbound::Message { message, .. }), None) => Ok(Body::Message(message)),
        (Some(Inbound::Batch { messages, .. }), None) if messages.len() <= MAX_MESSAGES => {
            Ok(Body::Batch(messages))
        }
        (Some(Inbound::Skipped(skipped)), None) if skipped.kind == SkippedKind::Text => {
            Err(ErrorCode::PARSE_ERROR)
        }
        _ => Err(ErrorCode::INVALID_REQUEST),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Whether the field for the revision names one that is not of the legacy era.
fn names_modern(headers: &HeaderMap) -> bool {
    let version = headers.get(mirror::VERSION).map(HeaderValue::to_str);
    version.is_some_and(|version| {
        version.map_or(true, |version| {
            Revision::from_wire(version).is_none_or(|revision| revision.era() == Era::Modern)
        })
    })
}

fn refused(id: Option<RequestId>, why: &str) -> Answer {
    answer::error(StatusCode::SERVICE_UNAVAILABLE, id, ErrorCode::INTERNAL_ERROR, why)
}
