mod http_sse;
mod legacy;
mod modern;
mod refusals;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use mcp_transport::contract::patiently;
use mcp_types::Revision;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::*;

const BOTH: &str = "application/json, text/event-stream";

/// A client in raw HTTP, each request on a connection of its own.
struct Peer {
    server: DemoHttp,
    /// Sent with every request.
    fields: Vec<(&'static str, String)>,
}

impl Peer {
    async fn of(demo: Demo) -> Self {
        let server = demo.bind_http("127.0.0.1:0").await.unwrap();
        let fields = vec![("accept", BOTH.into()), ("content-type", "application/json".into())];
        Self { server, fields }
    }

    /// A peer in a session.
    async fn in_session(demo: Demo, revision: Revision, capabilities: Value) -> Self {
        let mut peer = Self::of(demo).await;
        let params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": capabilities,
            "clientInfo": { "name": "peer", "version": "1" },
        });
        let answer = peer.post(&request(1, "initialize", &params)).await;
        let id = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let reply = match kind(answer.headers()) {
            "application/json" => reply(answer).await,
            _ => Stream::of(answer).message().await,
        };
        assert_eq!(reply["result"]["protocolVersion"], revision.as_str());
        peer.fields.push(("mcp-session-id", id));
        peer.fields.push(("mcp-protocol-version", revision.as_str().into()));
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(peer.post(&ready).await.status(), StatusCode::ACCEPTED);
        peer
    }

    async fn send(
        &self,
        method: Method,
        fields: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        self.ask(method, PATH, fields, body).await
    }

    async fn ask(
        &self,
        method: Method,
        target: &str,
        fields: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let stream = TcpStream::connect(self.server.local_addr()).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = Request::new(Full::new(body.into()));
        *request.method_mut() = method;
        *request.uri_mut() = target.parse().unwrap();
        let headers = request.headers_mut();
        headers.insert("host", self.server.local_addr().to_string().parse().unwrap());
        let own = self.fields.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in own.chain(fields.iter().copied()) {
            let name: http::HeaderName = name.parse().unwrap();
            if value.is_empty() {
                headers.remove(name);
            } else {
                headers.insert(name, value.parse().unwrap());
            }
        }
        patiently(sender.send_request(request)).await.unwrap().unwrap()
    }

    async fn post(&self, message: &Value) -> Response<Incoming> {
        self.send(Method::POST, &[], message.to_string()).await
    }

    async fn get(&self, fields: &[(&str, &str)]) -> Response<Incoming> {
        self.send(Method::GET, fields, "").await
    }
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn kind(headers: &HeaderMap) -> &str {
    headers.get("content-type").map_or("", |value| value.to_str().unwrap())
}

/// The reply that is a whole response.
async fn reply(answer: Response<Incoming>) -> Value {
    assert_eq!(kind(answer.headers()), "application/json");
    let body = patiently(answer.into_body().collect()).await.unwrap().unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

/// A stream of events.
struct Stream {
    body: Incoming,
    buffer: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Event {
    id: Option<String>,
    retry: Option<String>,
    data: Option<String>,
}

impl Event {
    fn message(&self) -> Value {
        serde_json::from_str(self.data.as_deref().unwrap())
            .unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Stream {
    fn of(answer: Response<Incoming>) -> Self {
        assert_eq!((answer.status(), kind(answer.headers())), (StatusCode::OK, "text/event-stream"));
        assert_eq!(answer.headers()["x-accel-buffering"], "no");
        Self { body: answer.into_body(), buffer: String::new() }
    }

    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let mut event = Event::default();
                for line in block.lines() {
                    match line.split_once(": ").unwrap() {
                        ("id", id) => event.id = Some(id.into()),
                        ("retry", retry) => event.retry = Some(retry.into()),
                        ("data", data) => event.data = Some(data.into()),
                        _ => panic!("{line}"),
                    }
                }
                self.buffer = rest.to_owned();
                return Some(event);
            }
            let frame = patiently(self.body.frame()).await.unwrap()?;
            self.buffer.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }

    async fn message(&mut self) -> Value {
        self.next().await.expect("an event").message()
    }

    async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}
