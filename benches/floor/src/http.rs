use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bench_kit::Failure;
use bytes::{Buf as _, Bytes};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, Uri,
    body::Incoming,
    client::conn::http1::{SendRequest, handshake},
    header::{self, HeaderName, HeaderValue},
};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::net::TcpStream;

use crate::{
    connection::Handler,
    wire::{self, Message, Progress},
};

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Streamable HTTP: connections that are idle, and as many more as there are calls.
pub(crate) struct Http {
    authority: String,
    host: HeaderValue,
    path: Uri,
    legacy: bool,
    session: OnceLock<HeaderValue>,
    idle: Mutex<Vec<SendRequest<Full<Bytes>>>>,
}

impl Http {
    pub(crate) fn new(url: &str, legacy: bool) -> Result<Self, Failure> {
        let url: Uri = url.parse()?;
        let authority = url.authority().ok_or("no authority")?.to_string();
        Ok(Self {
            host: authority.parse()?,
            authority,
            path: url.path().parse()?,
            legacy,
            session: OnceLock::new(),
            idle: Mutex::default(),
        })
    }

    pub(crate) async fn exchange(
        &self,
        id: u64,
        method: &str,
        name: Option<&str>,
        params: &impl Serialize,
        handler: Option<Handler>,
    ) -> Result<Box<RawValue>, Failure> {
        let (answer, connection) = self.post(Some(id), method, name, params).await?;
        if method == "initialize"
            && let Some(session) = answer.headers().get(SESSION)
        {
            self.session.get_or_init(|| session.clone());
        }
        let events =
            answer.headers().get(header::CONTENT_TYPE).is_some_and(|value| value == "text/event-stream");
        let result = if events {
            events_result(answer.into_body(), handler).await?
        } else {
            let body = answer.into_body().collect().await?.to_bytes();
            serde_json::from_slice::<Message<'_>>(&body)?.outcome()?
        };
        self.idle().push(connection);
        Ok(result)
    }

    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) -> Result<(), Failure> {
        let (answer, connection) = self.post(None, method, None, params).await?;
        answer.into_body().collect().await?;
        self.idle().push(connection);
        Ok(())
    }

    async fn post(
        &self,
        id: Option<u64>,
        method: &str,
        name: Option<&str>,
        params: &impl Serialize,
    ) -> Result<(Response<Incoming>, SendRequest<Full<Bytes>>), Failure> {
        let body = serde_json::to_vec(&wire::Request { jsonrpc: "2.0", id, method, params })?;
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.path.clone();
        let fields = request.headers_mut();
        fields.insert(header::HOST, self.host.clone());
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        fields.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if self.legacy {
            if let Some(session) = self.session.get() {
                fields.insert(VERSION, HeaderValue::from_static("2025-11-25"));
                fields.insert(SESSION, session.clone());
            }
        } else {
            fields.insert(VERSION, HeaderValue::from_static("2026-07-28"));
            fields.insert(METHOD, method.parse()?);
            if let Some(name) = name {
                fields.insert(NAME, name.parse()?);
            }
        }
        let idle = self.idle().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        connection.ready().await?;
        let answer = connection.send_request(request).await?;
        if !answer.status().is_success() {
            return Err(answer.status().to_string().into());
        }
        Ok((answer, connection))
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, Failure> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SendRequest<Full<Bytes>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads events until their end, and gives the result among them.
async fn events_result(mut body: Incoming, mut handler: Option<Handler>) -> Result<Box<RawValue>, Failure> {
    let mut line = Vec::new();
    let mut result = None;
    while let Some(frame) = body.frame().await {
        let Ok(mut data) = frame?.into_data() else { continue };
        while let Some(end) = memchr::memchr(b'\n', &data) {
            line.extend_from_slice(&data[..end]);
            data.advance(end + 1);
            if let Some(text) = line.strip_prefix(b"data:") {
                let message: Message<'_> = serde_json::from_slice(text)?;
                if message.method.as_deref() == Some("notifications/progress") {
                    if let (Some(params), Some(handler)) = (message.params, &mut handler) {
                        handler(serde_json::from_str::<Progress>(params.get())?);
                    }
                } else if message.id.is_some() {
                    result = Some(message.outcome()?);
                }
            }
            line.clear();
        }
        line.extend_from_slice(&data);
    }
    result.ok_or_else(|| "the stream ended without a reply".into())
}
