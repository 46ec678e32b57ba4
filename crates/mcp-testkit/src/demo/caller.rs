//! The client of one request, as the code that answers it sees it.

use std::{future::pending, sync::Arc};

use bytes::Bytes;
use mcp_protocol::connection::{Outcome, ServeId};
use mcp_types::{
    CacheScope, ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, Era, Json, JsonObject,
    JsonRpcError, LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams, Meta,
    Notification, ProgressNotification, ProgressNotificationParams, Request, RequestId, ResultType, Revision,
    SubscriptionFilter, SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    read,
};
use serde::Serialize;

use super::{
    Demo,
    counter::{self, Counter},
    era::{self, Terms},
    methods::encode,
    server::Server,
};

pub(super) struct Caller {
    server: Arc<Server>,
    id: ServeId,
    request_id: RequestId,
    terms: Terms,
}

impl Caller {
    pub(super) fn new(server: Arc<Server>, id: ServeId, request_id: RequestId, terms: Terms) -> Self {
        Self { server, id, request_id, terms }
    }

    pub(super) fn demo(&self) -> &Demo {
        &self.server.demo
    }

    pub(super) fn revision(&self) -> Revision {
        self.terms.revision
    }

    pub(super) fn era(&self) -> Era {
        self.terms.revision.era()
    }

    pub(super) fn capabilities(&self) -> &ClientCapabilities {
        &self.terms.capabilities
    }

    /// A result, with what the era wants of each.
    pub(super) fn result(&self, result: &impl Serialize) -> Bytes {
        self.stamped(result, JsonObject::new())
    }

    /// As [`Self::result`], for results that clients may cache.
    pub(super) fn cacheable(&self, result: &impl Serialize) -> Bytes {
        const TTL_MS: u64 = 60_000;
        let hints = [("ttlMs", Json::from(TTL_MS)), ("cacheScope", CacheScope::Public.as_str().into())];
        self.stamped(result, hints.into())
    }

    fn stamped(&self, result: &impl Serialize, hints: JsonObject) -> Bytes {
        if self.era() == Era::Legacy {
            return encode(result);
        }
        let object = || -> read::Result<JsonObject> { Json::encode(result)?.decode() };
        let mut object = object().expect("every result is an object");
        if object.get("resultType").is_none() {
            object.insert("resultType", ResultType::Complete.as_str().into());
            for (name, hint) in hints {
                object.insert(name, hint);
            }
        }
        let meta = Meta::new().with_server_info(era::identity(self.revision()));
        object.insert("_meta", meta.into_object().into());
        encode(&object)
    }

    /// Reports progress, if the client asked for it.
    pub(super) fn progress(&self, progress: u32, total: u32, message: impl Into<String>) {
        let Some(token) = &self.terms.progress_token else { return };
        let mut params =
            ProgressNotificationParams::new(token.clone(), f64::from(progress)).with_total(f64::from(total));
        if self.revision() >= Revision::V2025_03_26 {
            params = params.with_message(message);
        }
        self.server.notify(self.id, ProgressNotification::METHOD, encode(&params));
    }

    /// Sends a log message, if the client wants messages of this level.
    pub(super) fn log(&self, level: LoggingLevel, logger: &str, data: impl Into<Json>) {
        let lowest = match self.era() {
            Era::Modern => self.terms.log_level.clone(),
            Era::Legacy => self.server.around.session.log_level(),
        };
        // The graver the lower.
        if lowest.is_some_and(|lowest| level.severity() <= lowest.severity()) {
            let params = LoggingMessageNotificationParams::new(level, data.into()).with_logger(logger);
            self.server.notify(self.id, LoggingMessageNotification::METHOD, encode(&params));
        }
    }

    pub(super) fn set_log_level(&self, level: LoggingLevel) {
        self.server.around.session.set_log_level(level);
    }

    /// Ends the connection to the client, where the client can take the call up again.
    pub(super) fn hang_up(&self) {
        if let Some(hang_up) = &self.server.around.hang_up {
            hang_up();
        }
    }

    /// Asks the user, by a request of the legacy era.
    pub(super) async fn elicit(&self, params: &ElicitRequestParams) -> Result<ElicitResult, String> {
        match self.server.ask(ElicitRequest::METHOD, encode(params)).await {
            Some(Outcome::Result(result)) => {
                serde_json::from_slice(&result).map_err(|error| format!("The answer cannot be read: {error}"))
            }
            Some(Outcome::Error(error)) => Err(match serde_json::from_slice::<JsonRpcError>(&error) {
                Ok(error) => format!("The client refused to ask: {error}"),
                Err(_) => "The client refused to ask".into(),
            }),
            _ => Err("The client is gone".into()),
        }
    }

    pub(super) fn counter(&self) -> &Counter {
        &self.server.around.counter
    }

    /// Whether the session wants to hear of changes of `uri`. Of what never changes, there is nothing to hear.
    pub(super) fn subscribe(&self, uri: &str, wanted: bool) {
        if uri == counter::URI {
            self.server.around.session.watch_counter(wanted);
        }
    }

    /// Opens a subscription, of `wanted` to what changes here. Ends when it is cancelled.
    pub(super) async fn listen(&self, wanted: &SubscriptionFilter) -> Bytes {
        let wants = wanted.resource_subscriptions.iter().flatten().any(|uri| uri == counter::URI);
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = wants.then(|| vec![counter::URI.into()]);
        let meta = Meta::new().with_subscription_id(self.request_id.clone());
        // Before it is acknowledged: a change that the client causes then is not missed.
        let mut changes = self.counter().changes();
        let params = SubscriptionsAcknowledgedNotificationParams::new(granted).with_meta(meta.clone());
        self.server.notify(self.id, SubscriptionsAcknowledgedNotification::METHOD, encode(&params));
        if !wants {
            return pending().await;
        }
        loop {
            changes.next().await;
            self.server.notify(self.id, counter::UPDATED, counter::updated(Some(meta.clone())));
        }
    }
}
