//! The requests of one POST, and the server that answers them.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use http::StatusCode;
use mcp_transport::{BoxSender, Inbound, LinkParts, Outbound, RawMessage, Receiver, Sender, memory};
use mcp_types::{
    CancelledNotification, Era, ErrorCode, JsonRpcError, Notification, RequestId,
    jsonrpc::{JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, scan},
};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{
    Held,
    record::{Entry, Record},
    routes::{Inlet, Routes},
};
use crate::demo::{
    Demo,
    server::{self, Surroundings},
};

pub(super) struct Exchange {
    record: Arc<Record>,
    routes: Arc<Routes>,
    era: Era,
    inlet: Inlet,
    /// The requests without a reply.
    open: HashSet<RequestId>,
    /// What the server asked the client: by its own ids, with those that the client knows.
    asked: HashMap<RequestId, i64>,
}

/// Starts to work on `requests`; `None` when one of them has the id of another that is open.
pub(super) fn start(
    demo: Demo,
    around: Surroundings,
    era: Era,
    routes: &Arc<Routes>,
    record: &Arc<Record>,
    requests: Vec<RawMessage>,
) -> Option<Held> {
    let ids: Vec<RequestId> = requests.iter().filter_map(RawMessage::id).cloned().collect();
    let (inlet, inputs) = mpsc::unbounded_channel();
    if !routes.serve(&ids, &inlet) {
        return None;
    }
    let exchange = Exchange {
        record: Arc::clone(record),
        routes: Arc::clone(routes),
        era,
        inlet,
        open: ids.into_iter().collect(),
        asked: HashMap::new(),
    };
    let (near, far) = memory::pair();
    let work = async move {
        // Ends when the exchange closes the link.
        let (served, ()) =
            tokio::join!(server::run(demo, around, far), exchange.talk(near.into_parts(), requests, inputs));
        drop(served);
    };
    Some(Held(tokio::spawn(work).abort_handle()))
}

impl Exchange {
    async fn talk(
        mut self,
        LinkParts { mut sender, mut receiver, .. }: LinkParts,
        requests: Vec<RawMessage>,
        mut inputs: mpsc::UnboundedReceiver<RawMessage>,
    ) {
        if !send(&mut sender, requests).await {
            return;
        }
        let (mut entries, mut closing) = (Vec::new(), false);
        loop {
            tokio::select! {
                more = receiver.recv(&mut entries) => {
                    for entry in entries.drain(..) {
                        if let Inbound::Message { message, .. } = entry {
                            self.hear(message);
                        }
                    }
                    if !matches!(more, Ok(true)) {
                        return;
                    }
                }
                Some(message) = inputs.recv(), if !closing => {
                    if let Some(id) = cancelled(&message) {
                        self.routes.served(&id);
                        self.open.remove(&id);
                    }
                    if !send(&mut sender, [message]).await {
                        return;
                    }
                }
            }
            if self.open.is_empty() && !closing {
                closing = true;
                // What the server has to say yet is still heard.
                let _ = sender.send(&mut VecDeque::from([Outbound::Close])).await;
            }
        }
    }

    /// Takes a message of the server.
    fn hear(&mut self, message: RawMessage) {
        let (message, status) = match message {
            JsonRpcMessage::Response(response) => {
                if let Some(id) = &response.id {
                    self.open.remove(id);
                    self.routes.served(id);
                }
                let status = status(self.era, &response);
                (JsonRpcMessage::Response(response), Some(status))
            }
            JsonRpcMessage::Request(request) => {
                let number = self.routes.ask(request.id.clone(), &self.inlet);
                self.asked.insert(request.id.clone(), number);
                (JsonRpcMessage::Request(JsonRpcRequest { id: number.into(), ..request }), None)
            }
            JsonRpcMessage::Notification(_) => match cancelled(&message) {
                None => (message, None),
                Some(id) => {
                    let Some(number) = self.asked.remove(&id) else { return };
                    self.routes.asked_no_more(number);
                    let params = format!(r#"{{"requestId":{number}}}"#).into();
                    (RawMessage::notification(CancelledNotification::METHOD, Some(params)), None)
                }
            },
        };
        self.record.say(Entry { text: message.to_vec().into(), status });
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        for id in &self.open {
            self.routes.served(id);
        }
        for number in self.asked.values() {
            self.routes.asked_no_more(*number);
        }
        self.record.end();
    }
}

async fn send(sender: &mut BoxSender, messages: impl IntoIterator<Item = RawMessage>) -> bool {
    let mut batch = messages.into_iter().map(Outbound::from).collect();
    sender.send(&mut batch).await.is_ok()
}

/// The request that a cancellation is about.
pub(super) fn cancelled(message: &RawMessage) -> Option<RequestId> {
    if message.method() != Some(CancelledNotification::METHOD) {
        return None;
    }
    let params = message.body()?;
    let id: &RawValue = serde_json::from_slice(&params[scan::member(params, "requestId")?]).ok()?;
    RequestId::from_token(id.get())
}

/// The status of a response that is this reply alone.
///
/// Section: [Protocol Version Header](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#protocol-version-header).
fn status(era: Era, response: &JsonRpcResponse<Bytes>) -> StatusCode {
    let Err(error) = &response.outcome else { return StatusCode::OK };
    let code = serde_json::from_slice::<JsonRpcError>(error).map(|error| error.code);
    match code {
        Ok(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => StatusCode::BAD_REQUEST,
        Ok(ErrorCode::METHOD_NOT_FOUND) if era == Era::Modern => StatusCode::NOT_FOUND,
        Ok(ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)
            if era == Era::Modern =>
        {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}
