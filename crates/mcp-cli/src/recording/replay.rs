//! Serves a recording as a server: each request gets what it got when it was recorded.

mod script;

use std::collections::VecDeque;

use mcp_transport::{BoxSender, Inbound, Outbound, RawMessage, Receiver, Sender, TransportError};
use mcp_types::{Json, JsonObject, jsonrpc::JsonRpcMessage};

use super::Recording;
use script::Script;

/// Serves one client over the standard streams, until its direction ends.
///
/// # Errors
/// When reading or writing fails.
pub(crate) async fn serve(recording: &Recording) -> Result<(), TransportError> {
    let link = mcp_transport_stdio::pipe(tokio::io::stdin(), tokio::io::stdout());
    let mut parts = link.into_parts();
    let mut script = Script::new(recording);
    send(&mut parts.sender, script.begin()).await?;
    let mut inbound = Vec::new();
    while parts.receiver.recv(&mut inbound).await? {
        for entry in inbound.drain(..) {
            let messages = match entry {
                Inbound::Message { message, .. } => vec![message],
                Inbound::Batch { messages, .. } => messages,
                _ => continue,
            };
            for message in messages {
                send(&mut parts.sender, answer(&mut script, &message)).await?;
            }
        }
    }
    parts.sender.send(&mut VecDeque::from([Outbound::Close])).await
}

fn answer(script: &mut Script, message: &RawMessage) -> Vec<Json> {
    match message {
        JsonRpcMessage::Request(request) => {
            let Ok(id) = Json::encode(&request.id) else { return Vec::new() };
            let params: Option<JsonObject> =
                request.params.as_ref().and_then(|params| serde_json::from_slice(params).ok());
            script.request(&id, &request.method, params.as_ref())
        }
        JsonRpcMessage::Notification(note) => script.notification(&note.method),
        JsonRpcMessage::Response(response) => {
            let id = response.id.as_ref().and_then(|id| Json::encode(id).ok());
            id.map(|id| script.response(&id)).unwrap_or_default()
        }
    }
}

async fn send(sender: &mut BoxSender, frames: Vec<Json>) -> Result<(), TransportError> {
    let mut entries = Vec::new();
    for frame in frames {
        Inbound::parse(mcp_transport::Origin::Shared, &frame.as_str().to_owned().into(), &mut entries);
    }
    let mut batch: VecDeque<Outbound> = entries
        .into_iter()
        .filter_map(|entry| match entry {
            Inbound::Message { message, .. } => Some(message.into()),
            _ => None,
        })
        .collect();
    if batch.is_empty() { Ok(()) } else { sender.send(&mut batch).await }
}
