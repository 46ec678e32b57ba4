use std::{sync::LazyLock, time::Instant};

use bytes::Bytes;
use mcp_types::{
    Era, ErrorCode, JsonRpcError, RequestId, Revision,
    jsonrpc::{JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, scan},
    read::{self, Read},
};
use memchr::memmem::Finder;

use super::{
    CallId, Connection, Dropped, Event, Origin, Outcome, Output, encode,
    incoming::{Admission, Incoming},
    outgoing::Answered,
    renewal::Turn,
};

impl<P: Clone, F: Clone> Connection<P, F> {
    /// Takes one message of the peer.
    pub fn receive(&mut self, now: Instant, origin: Origin, message: JsonRpcMessage<Bytes>) {
        if self.ended.is_some() {
            return;
        }
        match message {
            JsonRpcMessage::Response(response) => self.receive_response(origin, response),
            JsonRpcMessage::Notification(notification) => {
                self.receive_notification(now, origin, notification);
            }
            JsonRpcMessage::Request(request) => self.receive_request(origin, request),
        }
    }

    /// Takes a batch. Only revision 2025-03-26 has batches; from others it is dropped.
    pub fn receive_batch(&mut self, now: Instant, origin: Origin, messages: Vec<JsonRpcMessage<Bytes>>) {
        if self.revision != Some(Revision::V2025_03_26) {
            return self.drop_with(Dropped::Batch(messages.len()));
        }
        for message in messages {
            self.receive(now, origin, message);
        }
    }

    fn receive_response(&mut self, origin: Origin, response: JsonRpcResponse<Bytes>) {
        let id = match (response.id, origin) {
            (Some(id), _) => id,
            // An error without an id answers the request whose exchange it came in.
            (None, Origin::Exchange(call)) => call.into(),
            (None, Origin::Shared) => {
                let (Ok(error) | Err(error)) = response.outcome;
                return self.drop_with(Dropped::UnattributedError(error));
            }
        };
        let ours = id.answers_to().map(CallId);
        let call = match (ours, origin) {
            (Some(ours), origin) if !may_concern(origin, ours) => {
                return self.drop_with(Dropped::ForeignReply(id));
            }
            (Some(ours), _) => ours,
            _ => return self.drop_with(Dropped::ForeignReply(id)),
        };
        if self.renewal.as_ref().is_some_and(|renewal| renewal.is_handshake(call)) {
            return self.turn(Turn::Answered(call, response.outcome));
        }
        match self.calls.answered(call) {
            Answered::Call(pending) => {
                let outcome = match response.outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(error) => Outcome::Error(error),
                };
                self.finish(call, pending, outcome);
                self.fill_places();
            }
            Answered::Late => self.drop_with(Dropped::LateReply(id)),
            Answered::Foreign => self.drop_with(Dropped::ForeignReply(id)),
        }
    }

    fn receive_notification(
        &mut self,
        now: Instant,
        origin: Origin,
        notification: JsonRpcNotification<Bytes>,
    ) {
        match notification.method.as_ref() {
            "notifications/progress" => {
                self.receive_progress(now, origin, notification.params.unwrap_or_default());
            }
            "notifications/cancelled" => self.receive_cancelled(origin, notification),
            _ => {
                self.receive_subscribed(origin, &notification);
                self.give(Output::Event(Event::Notification {
                    method: notification.method,
                    params: notification.params,
                    origin,
                }));
            }
        }
    }

    /// Gives a notification to the subscription that it names, or whose exchange it came in.
    fn receive_subscribed(&mut self, origin: Origin, notification: &JsonRpcNotification<Bytes>) {
        let Some(params) = &notification.params else { return };
        let named = subscription_id(params).and_then(|id| id.answers_to()).map(CallId);
        let id = match (named, origin) {
            (Some(named), origin) if !may_concern(origin, named) => return,
            (Some(id), _) | (None, Origin::Exchange(id)) => id,
            (None, Origin::Shared) => return,
        };
        let Some(pending) = self.calls.subscription(id) else { return };
        let payload = pending.payload.clone();
        if notification.method == "notifications/subscriptions/acknowledged" {
            self.calls.lift_deadlines(id);
        }
        let (method, params) = (notification.method.clone(), params.clone());
        self.give(Output::Subscribed { id, payload, method, params });
    }

    fn receive_progress(&mut self, now: Instant, origin: Origin, params: Bytes) {
        let token = scan::member(&params, "progressToken")
            .and_then(|range| RequestId::from_token(std::str::from_utf8(&params[range]).ok()?));
        let call = token
            .and_then(|token| self.calls.of_token(&token.into()))
            .filter(|call| may_concern(origin, *call));
        let Some((id, pending)) = call.and_then(|id| Some((id, self.calls.progress(now, id)?))) else {
            return self.drop_with(Dropped::StrayProgress(params));
        };
        match self.outputs.back_mut() {
            Some(Output::Progress { id: last, reports, .. }) if *last == id => reports.push(params),
            _ => {
                let (payload, reports) = (pending.payload.clone(), vec![params]);
                self.give(Output::Progress { id, payload, reports });
            }
        }
    }

    fn receive_cancelled(&mut self, origin: Origin, notification: JsonRpcNotification<Bytes>) {
        let params = notification.params.clone().unwrap_or_default();
        let Some(id) = member::<RequestId>(&params, "requestId") else {
            return;
        };
        if let Some(id) = self.serving.cancel(&id) {
            self.give(Output::Event(Event::RequestCancelled { id }));
            return;
        }
        // The one request of ours that a peer may cancel.
        let subscription = id
            .answers_to()
            .map(CallId)
            .filter(|call| may_concern(origin, *call) && self.calls.subscription(*call).is_some());
        if let Some((call, pending)) = subscription.and_then(|call| Some((call, self.calls.remove(call)?))) {
            self.finish(call, pending, Outcome::CancelledByPeer);
            self.fill_places();
            return;
        }
        self.give(Output::Event(Event::Notification {
            method: notification.method,
            params: notification.params,
            origin,
        }));
    }

    fn receive_request(&mut self, origin: Origin, request: JsonRpcRequest<Bytes>) {
        let legacy = self.revision.is_none_or(|revision| revision.era() == Era::Legacy);
        if request.method == "ping" && legacy {
            if self.serving.may_reply() {
                self.reply(JsonRpcMessage::result(request.id, Bytes::from_static(b"{}")));
            } else {
                self.drop_with(Dropped::RequestFlood(request.id));
            }
            return;
        }
        match self.serving.admit(request.id.clone()) {
            Admission::Serve(id) => self.give(Output::Event(Event::Request {
                id,
                request_id: request.id,
                method: request.method,
                params: request.params,
                origin,
            })),
            Admission::Refuse => {
                let message = format!("More than {} requests are open", Incoming::MAX_OPEN);
                let error = JsonRpcError::new(ErrorCode::INTERNAL_ERROR, message);
                self.reply(JsonRpcMessage::error(Some(request.id), encode(&error)));
            }
            Admission::Drop => self.drop_with(Dropped::RequestFlood(request.id)),
        }
    }

    fn drop_with(&mut self, mut dropped: Dropped) {
        /// A diagnosis keeps no more of a body.
        const EXCERPT: usize = 256;
        if let Dropped::UnattributedError(body) | Dropped::StrayProgress(body) = &mut dropped
            && body.len() > EXCERPT
        {
            *body = Bytes::copy_from_slice(&body[..EXCERPT]);
        }
        self.give(Output::Event(Event::Dropped(dropped)));
    }
}

/// What comes in the exchange of one call is of no other.
fn may_concern(origin: Origin, call: CallId) -> bool {
    match origin {
        Origin::Shared => true,
        Origin::Exchange(exchange) => exchange == call,
    }
}

fn subscription_id(params: &[u8]) -> Option<RequestId> {
    const KEY: &str = "io.modelcontextprotocol/subscriptionId";
    // A cheap search first: most notifications are on no subscription.
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(KEY));
    FINDER.find(params)?;
    let meta = scan::member(params, "_meta")?;
    member(&params[meta], KEY)
}

fn member<T: Read>(params: &[u8], key: &str) -> Option<T> {
    read::bytes(&params[scan::member(params, key)?]).ok()
}
