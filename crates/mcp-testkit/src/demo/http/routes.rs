use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use mcp_transport::RawMessage;
use mcp_types::{
    RequestId,
    jsonrpc::{JsonRpcMessage, JsonRpcResponse},
};
use tokio::sync::mpsc;

use super::lock;

/// Which exchange of a session a message of the client is for.
#[derive(Debug, Default)]
pub(super) struct Routes(Mutex<Table>);

/// To an exchange.
pub(super) type Inlet = mpsc::UnboundedSender<RawMessage>;

#[derive(Debug, Default)]
struct Table {
    /// Requests of the client that are worked on.
    serving: HashMap<RequestId, Inlet>,
    /// Requests to the client, by the ids that it knows them by; and by which id the exchange does.
    asked: HashMap<i64, (Inlet, RequestId)>,
    last: i64,
}

impl Routes {
    /// Whether none of `ids` is being worked on; then they are, by the exchange of `inlet`.
    pub(super) fn serve(self: &Arc<Self>, ids: &[RequestId], inlet: &Inlet) -> bool {
        let mut table = lock(&self.0);
        if ids.iter().any(|id| table.serving.contains_key(id)) {
            return false;
        }
        table.serving.extend(ids.iter().map(|id| (id.clone(), inlet.clone())));
        true
    }

    pub(super) fn served(&self, id: &RequestId) {
        lock(&self.0).serving.remove(id);
    }

    /// Gives a request of an exchange an id that the session has only once.
    pub(super) fn ask(&self, id: RequestId, inlet: &Inlet) -> i64 {
        let mut table = lock(&self.0);
        table.last += 1;
        let number = table.last;
        table.asked.insert(number, (inlet.clone(), id));
        number
    }

    pub(super) fn asked_no_more(&self, number: i64) {
        lock(&self.0).asked.remove(&number);
    }

    /// Gives a reply of the client to the exchange that asked. `false` when nobody waits for it.
    pub(super) fn reply(&self, reply: JsonRpcResponse<bytes::Bytes>) -> bool {
        let number = reply.id.as_ref().and_then(RequestId::as_i64);
        let Some((inlet, id)) = number.and_then(|number| lock(&self.0).asked.remove(&number)) else {
            return false;
        };
        inlet.send(JsonRpcMessage::Response(JsonRpcResponse { id: Some(id), ..reply })).is_ok()
    }

    /// Gives a cancellation to the exchange that works on `id`. One that comes too late is no fault.
    pub(super) fn cancel(&self, id: &RequestId, cancelled: RawMessage) {
        if let Some(inlet) = lock(&self.0).serving.get(id) {
            // The exchange may end at the same time.
            let _ = inlet.send(cancelled);
        }
    }
}
