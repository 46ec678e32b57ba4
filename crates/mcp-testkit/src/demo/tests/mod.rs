mod calls;
mod content;
mod elicitation;
mod negotiation;
mod revisions;

use std::collections::VecDeque;

use bytes::Bytes;
use mcp_transport::{BoxReceiver, BoxSender, Inbound, Outbound, RawMessage, Receiver, Sender, memory};
use mcp_types::{ErrorCode, JsonRpcError, Request, RequestId, jsonrpc};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::*;

/// A client in raw messages.
struct Peer {
    sender: BoxSender,
    receiver: BoxReceiver,
    received: VecDeque<RawMessage>,
    server: JoinHandle<Result<(), TransportError>>,
    last_id: i64,
    /// What is put into `_meta` of every request.
    meta: Value,
}

impl Peer {
    fn start(demo: Demo) -> Self {
        let (near, far) = memory::pair();
        let near = near.into_parts();
        Self {
            sender: near.sender,
            receiver: near.receiver,
            received: VecDeque::new(),
            server: tokio::spawn(demo.serve(far)),
            last_id: 0,
            meta: json!({}),
        }
    }

    fn modern() -> Self {
        Self::modern_with(&json!({}))
    }

    fn modern_with(capabilities: &Value) -> Self {
        let mut peer = Self::start(Demo::new());
        peer.meta = modern_meta(capabilities);
        peer
    }

    async fn legacy(revision: Revision) -> Self {
        Self::legacy_with(revision, json!({})).await
    }

    async fn legacy_with(revision: Revision, capabilities: Value) -> Self {
        let mut peer = Self::start(Demo::new());
        let params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": capabilities,
            "clientInfo": { "name": "peer", "version": "1" },
        });
        let result = peer.result("initialize", params).await;
        assert_eq!(result["protocolVersion"], revision.as_str());
        peer.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        peer
    }

    /// One peer of every revision.
    async fn all() -> Vec<(Revision, Self)> {
        let mut peers = Vec::new();
        for revision in Revision::ALL {
            let peer = match revision.era() {
                Era::Legacy => Self::legacy(revision).await,
                Era::Modern => Self::modern(),
            };
            peers.push((revision, peer));
        }
        peers
    }

    async fn send(&mut self, text: &str) {
        let mut entries = Vec::new();
        Inbound::parse(mcp_transport::Origin::Shared, &Bytes::copy_from_slice(text.as_bytes()), &mut entries);
        let Ok(Inbound::Message { message, .. }) = <[_; 1]>::try_from(entries).map(|[entry]| entry) else {
            panic!("{text}")
        };
        self.sender.send(&mut VecDeque::from([message.into()])).await.unwrap();
    }

    /// Sends a request and gives its id.
    async fn request(&mut self, method: &str, mut params: Value) -> i64 {
        self.last_id += 1;
        if self.meta != json!({}) {
            params["_meta"] = self.meta.clone();
        }
        let message = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.send(&message.to_string()).await;
        self.last_id
    }

    async fn cancel(&mut self, id: i64) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))
        .await;
    }

    /// The next message of the server.
    async fn next(&mut self) -> RawMessage {
        while self.received.is_empty() {
            let mut entries = Vec::new();
            assert!(self.receiver.recv(&mut entries).await.unwrap(), "the server has ended the link");
            for entry in entries {
                let Inbound::Message { message, .. } = entry else { panic!("{entry:?}") };
                self.received.push_back(message);
            }
        }
        self.received.pop_front().unwrap()
    }

    /// The next message, which must be the reply to `id`.
    async fn reply(&mut self, id: i64) -> Result<Value, JsonRpcError> {
        match self.next().await {
            RawMessage::Response(response) => {
                assert_eq!(response.id, Some(RequestId::from(id)));
                match response.outcome {
                    Ok(result) => Ok(serde_json::from_slice(&result).unwrap()),
                    Err(error) => Err(serde_json::from_slice(&error).unwrap()),
                }
            }
            other => panic!("{other:?}"),
        }
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value, JsonRpcError> {
        let id = self.request(method, params).await;
        self.reply(id).await
    }

    async fn result(&mut self, method: &str, params: Value) -> Value {
        self.call(method, params).await.unwrap()
    }

    async fn error(&mut self, method: &str, params: Value) -> JsonRpcError {
        match self.call(method, params).await {
            Err(error) => error,
            Ok(result) => panic!("{method}: {result}"),
        }
    }

    /// The typed result.
    async fn typed<R: Request>(&mut self, params: Value) -> R::Result {
        let result = self.result(R::METHOD, params).await;
        serde_json::from_value(result.clone()).unwrap_or_else(|error| panic!("{error}: {result}"))
    }

    async fn tool(&mut self, name: &str, arguments: Value) -> mcp_types::CallToolResult {
        self.typed::<mcp_types::CallToolRequest>(json!({ "name": name, "arguments": arguments })).await
    }

    /// Ends the client's direction; the server must end its own, after what is left.
    async fn end(mut self) -> Vec<RawMessage> {
        self.sender.send(&mut VecDeque::from([Outbound::Close])).await.unwrap();
        let mut entries = Vec::new();
        while self.receiver.recv(&mut entries).await.unwrap() {}
        self.server.await.unwrap().unwrap();
        let rest = entries.into_iter().map(|entry| match entry {
            Inbound::Message { message, .. } => message,
            other => panic!("{other:?}"),
        });
        self.received.into_iter().chain(rest).collect()
    }
}

fn modern_meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "peer", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn notification(message: RawMessage) -> (String, Value) {
    match message {
        jsonrpc::JsonRpcMessage::Notification(note) => {
            (note.method.into_owned(), serde_json::from_slice(&note.params.unwrap()).unwrap())
        }
        other => panic!("{other:?}"),
    }
}

fn text(result: &mcp_types::CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}
