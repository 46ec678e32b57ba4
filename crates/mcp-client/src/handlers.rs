use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use bytes::Bytes;
use mcp_protocol::connection::CallId;
use mcp_types::{ErrorCode, Json, JsonRpcError, Notification, Request, RequestId, jsonrpc::MethodName};
use serde_core::de::DeserializeOwned;

use crate::{
    Client,
    client::WeakClient,
    diagnostic::Diagnostic,
    session::{Mail, Session},
};

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
pub(crate) type RequestHandler =
    Arc<dyn Fn(Option<Bytes>, RequestContext) -> BoxFuture<Result<Bytes, JsonRpcError>> + Send + Sync>;
type NotificationHandler =
    Box<dyn Fn(Option<Bytes>, NotificationContext) -> Result<BoxFuture<()>, String> + Send + Sync>;
type AnyNotificationHandler =
    Box<dyn Fn(RawNotification, NotificationContext) -> BoxFuture<()> + Send + Sync>;
type DiagnosticHandler = Box<dyn Fn(Diagnostic) + Send + Sync>;

/// What the application does with what the server sends.
#[derive(Default)]
pub(crate) struct Handlers {
    requests: Vec<(&'static str, RequestHandler)>,
    notifications: Vec<(&'static str, NotificationHandler)>,
    any_notification: Option<AnyNotificationHandler>,
    diagnostic: Option<DiagnosticHandler>,
}

/// What a handler of a request knows beside its params.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RequestContext {
    /// The method.
    pub method: MethodName,
    /// The id that the server gave the request; `None` when it came in a result (modern era).
    pub id: Option<RequestId>,
    /// The call that it belongs to, as far as that is known: always in the modern era, over HTTP in the legacy era.
    pub call: Option<CallInfo>,
    client: Option<WeakClient>,
}

/// A call of the client, to whoever answers a request that belongs to it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallInfo {
    /// The id of the request.
    pub id: Option<RequestId>,
    /// The method.
    pub method: MethodName,
    /// The params, as they were sent.
    pub params: Option<Json>,
}

impl CallInfo {
    pub(crate) fn new(id: Option<CallId>, method: &MethodName, params: Option<&Bytes>) -> Self {
        let params = params.and_then(|params| mcp_types::read::bytes(params).ok());
        Self { id: id.map(RequestId::from), method: method.clone(), params }
    }
}

/// What a handler of a notification knows beside its params.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NotificationContext {
    client: Option<WeakClient>,
}

/// A notification for which there is no handler of its own.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RawNotification {
    /// The method.
    pub method: MethodName,
    /// Its params, if they are JSON.
    pub params: Option<Json>,
}

impl RequestContext {
    pub(crate) fn new(
        method: MethodName,
        id: Option<RequestId>,
        call: Option<CallInfo>,
        client: Option<WeakClient>,
    ) -> Self {
        Self { method, id, call, client }
    }

    /// The client that the request came to. `None` while it is still connecting, and once it is gone.
    pub fn client(&self) -> Option<Client> {
        self.client.as_ref()?.upgrade()
    }
}

impl NotificationContext {
    /// The client that the notification came to. `None` while it is still connecting, and once it is gone.
    pub fn client(&self) -> Option<Client> {
        self.client.as_ref()?.upgrade()
    }
}

impl Handlers {
    pub(crate) fn on_request<R, Fut>(
        &mut self,
        handler: impl Fn(R::Params, RequestContext) -> Fut + Send + Sync + 'static,
    ) where
        R: Request,
        Fut: Future<Output = Result<R::Result, JsonRpcError>> + Send + 'static,
    {
        let handler: RequestHandler = Arc::new(move |params, context| {
            let running = decode::<R::Params>(params.as_ref()).map(|params| handler(params, context));
            Box::pin(async move {
                let invalid = |error: mcp_types::read::Error| {
                    JsonRpcError::new(ErrorCode::INVALID_PARAMS, error.to_string())
                };
                let result = running.map_err(invalid)?.await?;
                serde_json::to_vec(&result)
                    .map(Bytes::from)
                    .map_err(|error| JsonRpcError::new(ErrorCode::INTERNAL_ERROR, error.to_string()))
            })
        });
        replace(&mut self.requests, R::METHOD, handler);
    }

    pub(crate) fn on_notification<N, Fut>(
        &mut self,
        handler: impl Fn(N::Params, NotificationContext) -> Fut + Send + Sync + 'static,
    ) where
        N: Notification,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let handler: NotificationHandler =
            Box::new(move |params, context| match decode::<N::Params>(params.as_ref()) {
                Ok(params) => Ok(Box::pin(handler(params, context))),
                Err(error) => Err(error.to_string()),
            });
        replace(&mut self.notifications, N::METHOD, handler);
    }

    pub(crate) fn on_any_notification<Fut>(
        &mut self,
        handler: impl Fn(RawNotification, NotificationContext) -> Fut + Send + Sync + 'static,
    ) where
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.any_notification = Some(Box::new(move |note, context| Box::pin(handler(note, context))));
    }

    pub(crate) fn on_diagnostic(&mut self, handler: impl Fn(Diagnostic) + Send + Sync + 'static) {
        self.diagnostic = Some(Box::new(handler));
    }

    pub(crate) fn request(&self, method: &str) -> Option<RequestHandler> {
        self.requests.iter().find(|(served, _)| *served == method).map(|(_, handler)| Arc::clone(handler))
    }

    /// Whether anybody listens to notifications of `method`.
    pub(crate) fn wants(&self, method: &str) -> bool {
        self.any_notification.is_some() || self.notification(method).is_some()
    }

    fn notification(&self, method: &str) -> Option<&NotificationHandler> {
        self.notifications.iter().find(|(taken, _)| *taken == method).map(|(_, handler)| handler)
    }

    /// Runs the notification handlers of a session, one notification after the other, until it is over.
    pub(crate) async fn work(self: Arc<Self>, session: Arc<Session>) {
        while let Some(mail) = session.mailbox().next().await {
            match mail {
                Mail::Diagnostic(diagnostic) => self.report(diagnostic),
                Mail::Notification { method, params } => {
                    let context = NotificationContext { client: session.client() };
                    let mut running = Box::pin(self.notify(method.clone(), params, context));
                    // One that panics costs its own notification, not those after it.
                    let outcome = poll_fn(|cx| {
                        catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)))
                            .map_or(Poll::Ready(false), |poll| poll.map(|()| true))
                    });
                    if !outcome.await {
                        self.report(Diagnostic::HandlerPanicked { method: method.into_owned() });
                    }
                }
            }
        }
    }

    async fn notify(&self, method: MethodName, params: Option<Bytes>, context: NotificationContext) {
        if let Some(handler) = self.notification(&method) {
            match handler(params, context) {
                Ok(running) => running.await,
                Err(error) => {
                    self.report(Diagnostic::UnreadableNotification { method: method.into_owned(), error });
                }
            }
        } else if let Some(handler) = &self.any_notification {
            let params = params.and_then(|params| mcp_types::read::bytes(&params).ok());
            handler(RawNotification { method, params }, context).await;
        }
    }

    fn report(&self, diagnostic: Diagnostic) {
        if let Some(handler) = &self.diagnostic {
            // Nobody is left to be told.
            let _ = catch_unwind(AssertUnwindSafe(|| handler(diagnostic)));
        }
    }
}

fn replace<H>(handlers: &mut Vec<(&'static str, H)>, method: &'static str, handler: H) {
    match handlers.iter_mut().find(|(other, _)| *other == method) {
        Some(entry) => entry.1 = handler,
        None => handlers.push((method, handler)),
    }
}

fn decode<T: DeserializeOwned>(params: Option<&Bytes>) -> mcp_types::read::Result<T> {
    match params {
        Some(params) => mcp_types::decode(params),
        // Absent params and an empty object are the same to a typed handler.
        None => mcp_types::decode(b"{}"),
    }
}
