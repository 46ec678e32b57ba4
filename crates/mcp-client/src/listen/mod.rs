//! What a server sends unasked, as streams.

mod feed;
mod legacy;

use std::{
    fmt,
    future::{Future, IntoFuture, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use mcp_types::{
    Era, Json, Notification, PromptListChangedNotification, Request, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequest,
    SubscriptionsListenRequestParams, ToolListChangedNotification, jsonrpc::MethodName,
};

pub use feed::{Notifications, Received};
pub(crate) use legacy::SubscribedResources;

use crate::{
    Call, Client, Error, ErrorKind, Result,
    call::{CallFuture, Mode},
    error::Cause,
    session::{RENEWED, Report, ReportStep, Slot},
};

/// Opens a [`Subscription`] when it is awaited. See [`Client::listen`].
#[must_use = "nothing is subscribed to before this is awaited"]
pub struct Listen {
    client: Client,
    filter: SubscriptionFilter,
    timeout: Option<Duration>,
}

/// A stream of changes at the server.
///
/// Dropping it ends the subscription, and tells the server. Changes that nobody takes are kept up to 1,024, then the
/// oldest go ([`lost`](Self::lost)); changes of one list are coalesced.
pub struct Subscription {
    source: Source,
    asked: SubscriptionFilter,
    acknowledged: SubscriptionFilter,
    lost: u64,
    ended: bool,
}

/// A change at the server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools: read it again.
    ToolsListChanged,
    /// The list of prompts: read it again.
    PromptsListChanged,
    /// The list of resources: read it again.
    ResourcesListChanged,
    /// A resource: read it again.
    ResourceUpdated(ResourceUpdatedNotificationParams),
    /// The server lost the session (legacy era, over HTTP), and a new one was begun, with the same subscriptions. Changes
    /// in between may have been missed: read everything again.
    SessionRenewed,
    /// Another notification on the subscription, an extension's, say.
    Other {
        /// Its method.
        method: MethodName,
        /// Its params, if they are JSON.
        params: Option<Json>,
    },
}

enum Source {
    /// An open request.
    Modern(Modern),
    /// Subscriptions of the connection.
    Legacy(legacy::Legacy),
}

struct Modern {
    call: Option<Box<CallFuture<SubscriptionsListenRequest>>>,
    slot: Arc<Slot>,
    end: Option<Result<()>>,
}

impl Client {
    /// Listens for changes at the server: a modern server is sent `subscriptions/listen`; on a legacy server it rests on
    /// `resources/subscribe` and its list-changed notifications. What the server does not offer is left out: compare
    /// [`Subscription::acknowledged`].
    ///
    /// This is the way to hear of changes that works in both eras. [`notifications`](Self::notifications) and
    /// [`ClientBuilder::on_notification`](crate::ClientBuilder::on_notification) see what the server sends anyway, and
    /// ask for nothing.
    ///
    /// Section: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    pub fn listen(&self, filter: SubscriptionFilter) -> Listen {
        Listen { client: self.clone(), filter, timeout: None }
    }
}

impl Listen {
    /// How long the server may take to acknowledge. Default: the call limit of the client. The subscription itself has
    /// no limit.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    async fn open(self) -> Result<Subscription> {
        if self.client.negotiated().era() == Era::Legacy {
            let (legacy, acknowledged) = legacy::subscribe(&self.client, &self.filter, self.timeout).await?;
            return Ok(Subscription {
                source: Source::Legacy(legacy),
                asked: self.filter,
                acknowledged,
                lost: 0,
                ended: false,
            });
        }
        let params = SubscriptionsListenRequestParams::new(self.filter.clone());
        let mut call: Call<SubscriptionsListenRequest> = self.client.request(params);
        if let Some(limit) = self.timeout {
            call = call.timeout(limit);
        }
        let slot = Arc::new(Slot::keeping_reports());
        let call = CallFuture::new(call.into_raw(), Arc::clone(&slot), Mode::Stream);
        let mut modern = Modern { call: Some(Box::new(call)), slot, end: None };
        let acknowledged = poll_fn(|cx| modern.poll_acknowledged(cx)).await?;
        Ok(Subscription {
            source: Source::Modern(modern),
            asked: self.filter,
            acknowledged,
            lost: 0,
            ended: false,
        })
    }
}

impl IntoFuture for Listen {
    type Output = Result<Subscription>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Subscription>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

impl Subscription {
    /// The next change. `None` when the subscription has ended in order: the server ended it, or the client was closed.
    ///
    /// Cancel-safe: no change is lost.
    ///
    /// # Errors
    /// When it ended abruptly: the link failed, or the server refused it afterwards. Changes may have been missed.
    pub async fn next(&mut self) -> Result<Option<Change>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// What the server agreed to send.
    pub fn acknowledged(&self) -> &SubscriptionFilter {
        &self.acknowledged
    }

    /// Whether the server agreed to send all that was asked for.
    pub fn is_complete(&self) -> bool {
        let (asked, got) = (&self.asked, &self.acknowledged);
        let covers = |asked: Option<bool>, got: Option<bool>| asked != Some(true) || got == Some(true);
        let uris = |filter: &SubscriptionFilter| filter.resource_subscriptions.clone().unwrap_or_default();
        covers(asked.tools_list_changed, got.tools_list_changed)
            && covers(asked.prompts_list_changed, got.prompts_list_changed)
            && covers(asked.resources_list_changed, got.resources_list_changed)
            && uris(asked).iter().all(|uri| uris(got).contains(uri))
    }

    /// How many changes were dropped so far, because they were not taken in time.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Change>>> {
        loop {
            let step = match &mut self.source {
                Source::Modern(modern) => {
                    modern.drive(cx);
                    modern.slot.poll_report(cx)
                }
                Source::Legacy(legacy) => legacy.poll_report(cx),
            };
            match step {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ReportStep::Lost(count)) => self.lost += count,
                Poll::Ready(ReportStep::Report(report)) => return Poll::Ready(Ok(Some(change(report)))),
                Poll::Ready(ReportStep::End) if self.ended => return Poll::Ready(Ok(None)),
                Poll::Ready(ReportStep::End) => {
                    self.ended = true;
                    let end = match &mut self.source {
                        Source::Modern(modern) => modern.end.take().unwrap_or(Ok(())),
                        Source::Legacy(legacy) => legacy.end(),
                    };
                    return Poll::Ready(match end {
                        Err(error) if error.kind() == ErrorKind::Closed => Ok(None),
                        end => end.map(|()| None),
                    });
                }
            }
        }
    }
}

/// Ends after the first `Ok(None)` or error.
impl Stream for Subscription {
    type Item = Result<Change>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx).map(Result::transpose)
    }
}

impl Modern {
    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(call) = &mut self.call
            && let Poll::Ready(end) = Pin::new(call).poll(cx)
        {
            self.end = Some(end.map(drop));
            self.call = None;
        }
    }

    fn poll_acknowledged(&mut self, cx: &mut Context<'_>) -> Poll<Result<SubscriptionFilter>> {
        self.drive(cx);
        self.slot.poll_acknowledgement(cx).map(|params| match params {
            Some(params) => {
                let params: Option<SubscriptionsAcknowledgedNotificationParams> =
                    mcp_types::read::bytes(&params).ok();
                Ok(params.map(|params| params.notifications).unwrap_or_default())
            }
            None => Err(self.end.take().and_then(Result::err).unwrap_or_else(|| {
                Error::new(Cause::NoReply)
                    .sent(true)
                    .of_method(&SubscriptionsListenRequest::METHOD.into())
                    .with_context("the server ended the subscription without acknowledging it".into())
            })),
        })
    }
}

fn change(report: Report) -> Change {
    match report.method.as_ref() {
        RENEWED => Change::SessionRenewed,
        ToolListChangedNotification::METHOD => Change::ToolsListChanged,
        PromptListChangedNotification::METHOD => Change::PromptsListChanged,
        ResourceListChangedNotification::METHOD => Change::ResourcesListChanged,
        ResourceUpdatedNotification::METHOD => match mcp_types::read::bytes(&report.params) {
            Ok(params) => Change::ResourceUpdated(params),
            Err(_) => other(report),
        },
        _ => other(report),
    }
}

fn other(report: Report) -> Change {
    Change::Other { params: mcp_types::read::bytes(&report.params).ok(), method: report.method }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("acknowledged", &self.acknowledged)
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listen").field("filter", &self.filter).finish_non_exhaustive()
    }
}
