//! Subscriptions on a legacy server: of the connection, not of a request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use mcp_types::{
    Notification, PromptListChangedNotification, Request, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParams, SubscribeRequest, SubscribeRequestParams,
    SubscriptionFilter, ToolListChangedNotification, UnsubscribeRequest, UnsubscribeRequestParams,
};

use crate::{
    Client, ErrorKind, Result,
    client::Inner,
    session::{RENEWED, ReportStep, Slot, lock},
};

/// How many subscriptions of a client want each resource: the server is told of the first and of the last.
#[derive(Debug, Default)]
pub(crate) struct SubscribedResources {
    counts: Mutex<HashMap<String, usize>>,
    turn: tokio::sync::Mutex<()>,
}

pub(super) struct Legacy {
    client: Client,
    slot: Arc<Slot>,
    uris: Vec<String>,
}

/// Subscribes to what the server offers of `filter`, and says what that is.
pub(super) async fn subscribe(
    client: &Client,
    filter: &SubscriptionFilter,
    timeout: Option<Duration>,
) -> Result<(Legacy, SubscriptionFilter)> {
    let capabilities = client.capabilities();
    let offered =
        |asked: Option<bool>, path: &str| (asked == Some(true) && capabilities.has(path)).then_some(true);
    let mut agreed = SubscriptionFilter::new();
    agreed.tools_list_changed = offered(filter.tools_list_changed, "tools.listChanged");
    agreed.prompts_list_changed = offered(filter.prompts_list_changed, "prompts.listChanged");
    agreed.resources_list_changed = offered(filter.resources_list_changed, "resources.listChanged");
    let wanted = match &filter.resource_subscriptions {
        Some(uris) if capabilities.has("resources.subscribe") => uris.clone(),
        _ => Vec::new(),
    };
    let slot = Arc::new(Slot::keeping_reports());
    let (lists, resources) = (agreed.clone(), wanted.clone());
    // Before the first request, so that no change in between is missed.
    client.0.session.add_feed(&slot, move |method, params| match method {
        ToolListChangedNotification::METHOD => lists.tools_list_changed.is_some(),
        PromptListChangedNotification::METHOD => lists.prompts_list_changed.is_some(),
        ResourceListChangedNotification::METHOD => lists.resources_list_changed.is_some(),
        ResourceUpdatedNotification::METHOD => concerns(params, &resources),
        RENEWED => true,
        _ => false,
    });
    let mut legacy = Legacy { client: client.clone(), slot, uris: Vec::new() };
    for uri in wanted {
        // One at a time, so that a second subscription of a resource learns what became of the first.
        let _turn = client.0.subscribed.turn.lock().await;
        if !legacy.join(&uri) {
            let mut call = client.subscribe_resource(uri.as_str());
            if let Some(limit) = timeout {
                call = call.timeout(limit);
            }
            match call.await {
                Ok(_) => {}
                // This resource is not offered; the others are.
                Err(error) if error.kind() == ErrorKind::Rpc => continue,
                Err(error) => return Err(error),
            }
            lock(&client.0.subscribed.counts).insert(uri.clone(), 1);
        }
        legacy.uris.push(uri);
    }
    if !legacy.uris.is_empty() {
        agreed.resource_subscriptions = Some(legacy.uris.clone());
    }
    Ok((legacy, agreed))
}

impl Inner {
    /// Subscribes to the resources that were subscribed to in a session that was lost.
    pub(crate) fn subscribe_again(&self) {
        let counts = lock(&self.subscribed.counts);
        for uri in counts.keys() {
            // Still under the lock, as the end of a subscription is: the server must hear of that after this.
            if let Ok(params) = crate::call::encode(&SubscribeRequestParams::new(uri.clone())) {
                let limit = self.options.metadata_timeout;
                self.session.post(SubscribeRequest::METHOD, params, limit);
            }
        }
    }
}

/// Whether an update is of one of `uris`, or of something below it.
fn concerns(params: &Bytes, uris: &[String]) -> bool {
    mcp_types::read::bytes::<ResourceUpdatedNotificationParams>(params)
        .is_ok_and(|params| uris.iter().any(|uri| is_at_or_below(&params.uri, uri)))
}

fn is_at_or_below(uri: &str, base: &str) -> bool {
    uri.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || base.ends_with('/') || rest.starts_with(['/', '?', '#']))
}

impl Legacy {
    pub(super) fn poll_report(&self, cx: &mut Context<'_>) -> Poll<ReportStep> {
        self.slot.poll_report(cx)
    }

    /// Why the connection ended.
    pub(super) fn end(&self) -> Result<()> {
        match self.client.0.session.failure() {
            Some(failure) => Err(crate::error::start_error(crate::session::StartError::Ended(failure))),
            None => Ok(()),
        }
    }

    /// Joins those that have subscribed to `uri` already, if there are any.
    fn join(&self, uri: &str) -> bool {
        let mut counts = lock(&self.client.0.subscribed.counts);
        let count = counts.get_mut(uri);
        let joined = count.is_some();
        if let Some(count) = count {
            *count += 1;
        }
        joined
    }
}

impl Drop for Legacy {
    fn drop(&mut self) {
        for uri in std::mem::take(&mut self.uris) {
            let mut counts = lock(&self.client.0.subscribed.counts);
            let Some(count) = counts.get_mut(&uri) else { continue };
            *count -= 1;
            if *count > 0 {
                continue;
            }
            counts.remove(&uri);
            // Still under the lock: whoever subscribes next must come after it.
            if let Ok(params) = crate::call::encode(&UnsubscribeRequestParams::new(uri)) {
                let limit = self.client.0.options.metadata_timeout;
                self.client.0.session.post(UnsubscribeRequest::METHOD, params, limit);
            }
        }
    }
}
