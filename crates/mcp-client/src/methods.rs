//! The methods of the specification, by name.

use std::sync::atomic::Ordering;

use mcp_types::{
    CallToolRequest, CallToolRequestParams, CompleteRequest, CompleteRequestParams, CompletionArgument,
    CompletionReference, DiscoverRequest, Era, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, LoggingLevel, PingRequest,
    ReadResourceRequest, ReadResourceRequestParams, RequestParams, SetLevelRequest, SetLevelRequestParams,
    SubscribeRequest, SubscribeRequestParams, UnsubscribeRequest, UnsubscribeRequestParams,
};

use crate::{
    Call, Client, Result,
    call::{ListCall, Paged},
    session::lock,
    similar::similar_names,
};

impl Client {
    /// Lists the tools.
    ///
    /// Over HTTP, in the modern era, a tool whose schema has invalid `x-mcp-header` annotations is left out, as the
    /// specification demands: it is among the rejected items, with the reason, and a
    /// [`Diagnostic::InvalidTool`](crate::Diagnostic::InvalidTool).
    ///
    /// Section: [Listing Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    pub fn list_tools(&self) -> ListCall<ListToolsRequest> {
        ListCall::new(self.clone())
    }

    /// Calls the tool `name`. A tool's own failure is a result with `isError`, not an error.
    ///
    /// Over HTTP, in the modern era, arguments travel in header fields too where the tool's schema says so, by the
    /// definition that was listed last or [given beforehand](crate::ClientBuilder::known_tools). Nothing is listed first: a
    /// tool that is not known is called without such fields. When the server refuses a call for its fields (-32020), the
    /// tools are listed and the call is made once more, within its total limit.
    ///
    /// ```no_run
    /// # async fn f(client: mcp_client::Client) -> mcp_client::Result<()> {
    /// let result = client.call_tool("add").args(&serde_json::json!({"a": 2, "b": 40}))?.await?;
    /// println!("{}", result.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Section: [Calling Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
    pub fn call_tool(&self, name: impl Into<String>) -> Call<CallToolRequest> {
        self.request(CallToolRequestParams::new(name.into()))
    }

    /// Names of tools that are like `name`, the nearest first, at most three; none when the server has the tool `name`, or
    /// its tools were never listed. To be asked before a call, or after one that failed: each server has its own way to
    /// say that it does not know a tool, and some say it as a result of the call.
    #[inline]
    pub fn similar_tools(&self, name: &str) -> Vec<String> {
        let catalogue = &self.0.catalogue;
        if catalogue.get(name).is_some() {
            return Vec::new();
        }
        let names = catalogue.names();
        similar_names(name, names.iter().map(|name| &**name)).into_iter().map(str::to_owned).collect()
    }

    /// Lists the resources.
    ///
    /// Section: [Listing Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources).
    pub fn list_resources(&self) -> ListCall<ListResourcesRequest> {
        ListCall::new(self.clone())
    }

    /// Lists the templates of resources.
    ///
    /// Section: [Resource Templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    pub fn list_resource_templates(&self) -> ListCall<ListResourceTemplatesRequest> {
        ListCall::new(self.clone())
    }

    /// Reads the resource at `uri`.
    ///
    /// Section: [Reading Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources).
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<ReadResourceRequest> {
        self.request(ReadResourceRequestParams::new(uri.into()))
    }

    /// Asks for `notifications/resources/updated` of the resource at `uri`. Legacy era only: [`listen`](Self::listen) does
    /// it in both eras.
    pub fn subscribe_resource(&self, uri: impl Into<String>) -> Call<SubscribeRequest> {
        self.request(SubscribeRequestParams::new(uri.into()))
    }

    /// Ends what [`subscribe_resource`](Self::subscribe_resource) began. Legacy era.
    pub fn unsubscribe_resource(&self, uri: impl Into<String>) -> Call<UnsubscribeRequest> {
        self.request(UnsubscribeRequestParams::new(uri.into()))
    }

    /// Lists the prompts.
    ///
    /// Section: [Listing Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts).
    pub fn list_prompts(&self) -> ListCall<ListPromptsRequest> {
        ListCall::new(self.clone())
    }

    /// Gets the prompt `name`; arguments by [`arg`](Call::arg).
    ///
    /// Section: [Getting a Prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt).
    pub fn get_prompt(&self, name: impl Into<String>) -> Call<GetPromptRequest> {
        self.request(GetPromptRequestParams::new(name.into()))
    }

    /// Lists whatever `R` lists: for methods that have no function of their own here, such as `skills/list`.
    pub fn list<R: Paged>(&self) -> ListCall<R> {
        ListCall::new(self.clone())
    }

    /// Asks how the value of an argument may go on, of a prompt or of a template of resources.
    ///
    /// Section: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    pub fn complete(
        &self,
        reference: impl Into<CompletionReference>,
        argument: impl Into<String>,
        value: impl Into<String>,
    ) -> Call<CompleteRequest> {
        let argument = CompletionArgument::new(argument.into(), value.into());
        self.request(CompleteRequestParams::new(reference.into(), argument))
    }

    /// Sets the lowest level of log messages that the server sends. In the legacy era this is a request; in the modern
    /// era the level goes with every later request, and [`Call::log_level`] overrides it.
    ///
    /// # Errors
    /// As any call; never in the modern era.
    #[doc(alias = "set_logging_level")]
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<()> {
        match self.negotiated().era() {
            Era::Legacy => {
                self.request::<SetLevelRequest>(SetLevelRequestParams::new(level.clone())).await?;
            }
            Era::Modern => {}
        }
        *lock(&self.0.log_level) = Some(level);
        self.0.has_log_level.store(true, Ordering::Release);
        Ok(())
    }

    /// Asks the server whether it is there: `ping`, in the modern era `server/discover`.
    ///
    /// # Errors
    /// As any call.
    pub async fn ping(&self) -> Result<()> {
        match self.negotiated().era() {
            Era::Legacy => self.request::<PingRequest>(RequestParams::new()).await.map(drop),
            Era::Modern => self.request::<DiscoverRequest>(RequestParams::new()).await.map(drop),
        }
    }
}
