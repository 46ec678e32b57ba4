//! The contract on rmcp, which serves both eras: over stdio, or with PORT over Streamable HTTP at `/mcp`. The client's side of
//! it: `scenarios/own.json`.

mod answers;
mod counting;
mod listening;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use answers::{QUESTION, from};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        ElicitRequestParams, ElicitResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        InputRequest, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
        SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
    transport::stdio,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Cheap to clone; all clones are one, as over HTTP each session or request has one of its own.
#[derive(Clone, Default)]
struct Contract(Arc<State>);

#[derive(Default)]
struct State {
    stopped: AtomicU64,
    touched: Notify,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Ok(port) = env::var("PORT") {
        return listening::listen(Contract::default(), port.parse()?).await;
    }
    Contract::default().serve(stdio()).await?.waiting().await?;
    Ok(())
}

impl ServerHandler for Contract {
    fn get_info(&self) -> ServerConfig {
        from(answers::info()).unwrap_or_default()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        from(answers::tools())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let text = match request.name.as_ref() {
            "echo" => arguments["message"].as_str().unwrap_or_default().to_string(),
            "count" => counting::count(&arguments, &context, &self.0.stopped).await?,
            "stopped" => self.0.stopped.load(Ordering::Relaxed).to_string(),
            "disconnect" => "stayed".to_string(),
            "ask" => return ask(request, context).await,
            "touch" => {
                // Kept until somebody listens: the SDK acknowledges a subscription before it calls `listen`.
                self.0.touched.notify_one();
                if !is_modern(&context) {
                    context.peer.notify_tool_list_changed().await.map_err(internal)?;
                }
                "touched".to_string()
            }
            name => return Ok(from::<CallToolResult>(answers::fixed(name, &arguments)?)?.into()),
        };
        said(&text)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        from(answers::resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        from(answers::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(from::<ReadResourceResult>(answers::contents(&request.uri)?)?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        from(answers::prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(from::<GetPromptResult>(answers::greeting(&arguments))?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        from(answers::completion(&request.argument.value))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.0.touched.notified() => {
                    context.sink().notify_tool_list_changed().await.map_err(internal)?;
                }
            }
        }
    }
}

/// Asks by a request of its own, or in the modern era by a result.
async fn ask(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let form = answers::form();
    let answer: ElicitResult = match request.input_responses {
        Some(mut responses) => from(responses.remove("who").unwrap_or_default())?,
        None if is_modern(&context) => {
            let question = json!({ "method": "elicitation/create", "params": form });
            let requests = BTreeMap::from([("who".to_string(), from::<InputRequest>(question)?)]);
            return Ok(InputRequiredResult::from_input_requests(requests).into());
        }
        None => {
            let form: ElicitRequestParams = from(form)?;
            context.peer.create_elicitation(form).await.map_err(internal)?
        }
    };
    let answer = serde_json::to_value(answer).map_err(internal)?;
    let (name, colour) = (&answer["content"]["name"], &answer["content"]["colour"]);
    match (name.as_str(), colour.as_str()) {
        (Some(name), Some(colour)) => said(&format!("{name} likes {colour}")),
        _ => said(answer["action"].as_str().unwrap_or(QUESTION)),
    }
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn said(text: &str) -> Result<CallToolResponse, ErrorData> {
    Ok(from::<CallToolResult>(answers::text(text))?.into())
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
