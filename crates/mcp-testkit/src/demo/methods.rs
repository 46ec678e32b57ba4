//! Which method is answered by what.

use bytes::Bytes;
use mcp_types::{
    CallToolRequest, CompleteRequest, DiscoverRequest, EmptyResult, ErrorCode, GetPromptRequest, Json,
    JsonRpcError, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    Meta, ReadResourceRequest, Request, SetLevelRequest, SetLevelRequestParams, SubscribeRequest,
    SubscribeRequestParams, SubscriptionsListenRequest, SubscriptionsListenRequestParams, UnsubscribeRequest,
    UnsubscribeRequestParams, jsonrpc::scan, meta::key,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{caller::Caller, completion, era, prompts, resources, tools};

/// Answers a request that was admitted.
pub(super) async fn answer(caller: &Caller, method: &str, params: Params) -> Result<Bytes, JsonRpcError> {
    Ok(match method {
        DiscoverRequest::METHOD => caller.cacheable(&era::discover(caller.demo(), caller.revision())),
        ListToolsRequest::METHOD => caller.cacheable(&tools::list(caller, &params.decode()?)?),
        CallToolRequest::METHOD => caller.result(&tools::call(caller, params.decode()?).await?),
        ListResourcesRequest::METHOD => caller.cacheable(&resources::list(caller, &params.decode()?)?),
        ListResourceTemplatesRequest::METHOD => {
            caller.cacheable(&resources::templates(caller, &params.decode()?)?)
        }
        ReadResourceRequest::METHOD => caller.cacheable(&resources::read(caller, &params.decode()?)?),
        ListPromptsRequest::METHOD => caller.cacheable(&prompts::list(caller, &params.decode()?)?),
        GetPromptRequest::METHOD => caller.result(&prompts::get(&params.decode()?)?),
        CompleteRequest::METHOD => caller.result(&completion::complete(&params.decode()?)?),
        SetLevelRequest::METHOD => {
            let SetLevelRequestParams { level, .. } = params.decode()?;
            caller.set_log_level(era::known_level(Some(level))?);
            caller.result(&EmptyResult::new())
        }
        SubscribeRequest::METHOD => {
            let SubscribeRequestParams { uri, .. } = params.decode()?;
            resources::find(caller, &uri)?;
            caller.subscribe(&uri, true);
            caller.result(&EmptyResult::new())
        }
        UnsubscribeRequest::METHOD => {
            let UnsubscribeRequestParams { uri, .. } = params.decode()?;
            caller.subscribe(&uri, false);
            caller.result(&EmptyResult::new())
        }
        SubscriptionsListenRequest::METHOD => {
            let SubscriptionsListenRequestParams { notifications, .. } = params.decode()?;
            caller.listen(&notifications).await
        }
        _ => return Err(JsonRpcError::method_not_found(method)),
    })
}

/// The params of a request, as they came.
#[derive(Debug)]
pub(super) struct Params(Bytes);

impl Params {
    pub(super) fn new(params: Option<Bytes>) -> Self {
        Self(params.unwrap_or(Bytes::from_static(b"{}")))
    }

    pub(super) fn decode<T: DeserializeOwned>(&self) -> Result<T, JsonRpcError> {
        serde_json::from_slice(&self.0)
            .map_err(|error| JsonRpcError::new(ErrorCode::INVALID_PARAMS, format!("Invalid params: {error}")))
    }

    /// The `_meta`; empty when it is absent or no object.
    pub(super) fn meta(&self) -> Meta {
        self.member("_meta").and_then(|meta| serde_json::from_slice(meta).ok()).unwrap_or_default()
    }

    /// The JSON of a member.
    pub(super) fn member(&self, name: &str) -> Option<&[u8]> {
        scan::member(&self.0, name).map(|range| &self.0[range])
    }

    /// A member that is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_slice(self.member(name)?).ok()
    }

    /// Whether the request carries the metadata of a modern one.
    pub(super) fn claims_modern(&self) -> bool {
        self.meta().get(key::PROTOCOL_VERSION).is_some_and(|version| !Json::is_null(version))
    }
}

/// The JSON text of a type of the schema.
pub(super) fn encode(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("types of the schema can always be written as JSON").into()
}
