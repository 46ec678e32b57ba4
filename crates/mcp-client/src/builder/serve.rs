//! What a server sends unasked, and what it asks its client for: handlers, and the capabilities that follow from them.

use std::{future::Future, sync::Arc};

use mcp_types::{
    CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, JsonObject, JsonRpcError,
    ListRootsRequest, Notification, Request, Root,
};

use super::ClientBuilder;
use crate::{
    Diagnostic, NotificationContext, RawNotification, RequestContext,
    input::{answer_elicitation, checked_url},
};

impl ClientBuilder {
    /// Asks the user, when the server wants something of him: by a form, or at a URL. Serves the requests of legacy servers
    /// and the input requests of modern ones, and declares the capability.
    ///
    /// The handler shows the request and returns what the user did. Members of a form that the answer lacks get the
    /// form's defaults; an answer that does not fit the form becomes an error to the server. URLs other than `https` (and
    /// `http` on this machine) are refused before the handler sees them. The deadline of the call that it belongs to
    /// stands still meanwhile.
    ///
    /// Section: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    pub fn on_elicit<Fut>(
        mut self,
        handler: impl Fn(ElicitRequestParams, RequestContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<ElicitResult, JsonRpcError>> + Send + 'static,
    {
        let both = ElicitationCapability::new().with_form(JsonObject::new()).with_url(JsonObject::new());
        self.settings().served.elicitation = Some(both);
        let declared = Arc::clone(&self.settings().declared);
        let handler = Arc::new(handler);
        self.on_request::<ElicitRequest, _>(move |params, context| {
            let handler = Arc::clone(&handler);
            let modes = declared.get().and_then(|declared| declared.elicitation.clone()).unwrap_or_default();
            async move {
                match &params {
                    ElicitRequestParams::Form(form) if modes.supports_form() => {
                        let form = form.clone();
                        answer_elicitation(&form, handler(params, context).await?)
                    }
                    ElicitRequestParams::Url(url) if modes.supports_url() => {
                        checked_url(url)?;
                        handler(params, context).await
                    }
                    _ => Err(JsonRpcError::new(
                        ErrorCode::INVALID_PARAMS,
                        "elicitation: a mode that was not declared",
                    )),
                }
            }
        })
    }

    /// Asks a model, when the server wants a completion. Serves the requests of legacy servers and the input requests of
    /// modern ones, and declares the capability, without tools: see
    /// [`on_sample_with_tools`](Self::on_sample_with_tools).
    ///
    /// Section: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    pub fn on_sample<Fut>(
        mut self,
        handler: impl Fn(CreateMessageRequestParams, RequestContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<CreateMessageResult, JsonRpcError>> + Send + 'static,
    {
        self.settings().served.sampling.get_or_insert_default();
        let declared = Arc::clone(&self.settings().declared);
        let handler = Arc::new(handler);
        self.on_request::<CreateMessageRequest, _>(move |params, context| {
            let handler = Arc::clone(&handler);
            let with_tools = declared.get().is_some_and(|declared| declared.has("sampling.tools"));
            async move {
                if !with_tools && (params.tools.is_some() || params.tool_choice.is_some()) {
                    let why = "sampling: the client did not declare `sampling.tools`";
                    return Err(JsonRpcError::new(ErrorCode::INVALID_PARAMS, why));
                }
                handler(params, context).await
            }
        })
    }

    /// As [`on_sample`](Self::on_sample), for a model that can use tools.
    pub fn on_sample_with_tools<Fut>(
        mut self,
        handler: impl Fn(CreateMessageRequestParams, RequestContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<CreateMessageResult, JsonRpcError>> + Send + 'static,
    {
        self.settings().served.sampling.get_or_insert_default().tools.get_or_insert_default();
        self.on_sample(handler)
    }

    /// The roots that the client offers: folders and files that a server may work on. Declares the capability. They may
    /// be changed later: [`Client::set_roots`](crate::Client::set_roots).
    ///
    /// Section: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    pub fn roots<T: Into<Root>>(mut self, roots: impl IntoIterator<Item = T>) -> Self {
        self.settings().served.roots.get_or_insert_default().list_changed = Some(true);
        let offered = self.settings().roots.get_or_insert_default().clone();
        offered.set(roots.into_iter().map(Into::into).collect());
        self.on_request::<ListRootsRequest, _>(move |_, _| std::future::ready(Ok(offered.list())))
    }

    /// Serves a request of the server. One handler a method: a later one replaces an earlier one. Handlers of several
    /// requests run side by side, each in a task of its own; one that the server cancels is dropped.
    ///
    /// For methods that have no function of their own here. Declare the capability that the method belongs to with
    /// [`capabilities`](Self::capabilities).
    pub fn on_request<R, Fut>(
        mut self,
        handler: impl Fn(R::Params, RequestContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        R: Request,
        Fut: Future<Output = Result<R::Result, JsonRpcError>> + Send + 'static,
    {
        self.settings().handlers.on_request::<R, Fut>(handler);
        self
    }

    /// Takes notifications of one method. Handlers run one after the other, in the order in which the notifications
    /// came, and may make calls on the same client. When they are too slow, notifications are dropped and counted
    /// ([`Diagnostic::Lost`]); `list_changed` notifications are coalesced.
    ///
    /// ```no_run
    /// # let builder = mcp_client::Client::builder("a", "1");
    /// use mcp_types::ToolListChangedNotification;
    /// let builder = builder.on_notification::<ToolListChangedNotification, _>(|_, context| async move {
    ///     if let Some(client) = context.client() {
    ///         let _tools = client.list_tools().all().await;
    ///     }
    /// });
    /// ```
    ///
    /// Not for `notifications/progress` and `notifications/cancelled`, which belong to calls.
    pub fn on_notification<N, Fut>(
        mut self,
        handler: impl Fn(N::Params, NotificationContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        N: Notification,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.settings().handlers.on_notification::<N, Fut>(handler);
        self
    }

    /// Takes notifications that have no handler of their own, also of unknown methods.
    pub fn on_any_notification<Fut>(
        mut self,
        handler: impl Fn(RawNotification, NotificationContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.settings().handlers.on_any_notification(handler);
        self
    }

    /// Hears of odd things that the connection survives: stray text, late replies, losses. It must not block.
    pub fn on_diagnostic(mut self, handler: impl Fn(Diagnostic) + Send + Sync + 'static) -> Self {
        self.settings().handlers.on_diagnostic(handler);
        self
    }
}
