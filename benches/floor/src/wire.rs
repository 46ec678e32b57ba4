use std::borrow::Cow;

use bench_kit::Failure;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(crate) struct Request<'a, P> {
    pub(crate) jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<u64>,
    pub(crate) method: &'a str,
    pub(crate) params: P,
}

#[derive(Deserialize)]
pub(crate) struct Message<'a> {
    pub(crate) id: Option<u64>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
}

impl Message<'_> {
    pub(crate) fn outcome(&self) -> Result<Box<RawValue>, Failure> {
        match (self.result, self.error) {
            (Some(result), None) => Ok(result.to_owned()),
            (_, Some(error)) => Err(error.get().into()),
            (None, None) => Err("neither a result nor an error".into()),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct InitializeParams {
    #[serde(rename = "protocolVersion")]
    pub(crate) protocol_version: &'static str,
    pub(crate) capabilities: Capabilities,
    #[serde(rename = "clientInfo")]
    pub(crate) client_info: Implementation,
}

#[derive(Serialize)]
pub(crate) struct Capabilities {}

#[derive(Serialize)]
pub(crate) struct Implementation {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

#[derive(Serialize)]
pub(crate) struct CallParams<'a, A> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a A,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Meta>,
}

#[derive(Serialize)]
pub(crate) struct ListParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Meta>,
}

/// What every modern request carries, and the token by which progress is asked for.
#[derive(Serialize)]
pub(crate) struct Meta {
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    pub(crate) progress_token: Option<u64>,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<&'static str>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo", skip_serializing_if = "Option::is_none")]
    pub(crate) client_info: Option<Implementation>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", skip_serializing_if = "Option::is_none")]
    pub(crate) capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
pub(crate) struct CallResult {
    pub(crate) content: Vec<Block>,
    #[serde(rename = "isError", default)]
    pub(crate) is_error: bool,
}

#[derive(Deserialize)]
pub(crate) struct Block {
    #[serde(rename = "type")]
    pub(crate) kind: Cow<'static, str>,
    pub(crate) text: String,
}

#[derive(Deserialize)]
pub(crate) struct Progress {
    #[serde(rename = "progressToken")]
    pub(crate) token: u64,
    #[serde(rename = "progress")]
    pub(crate) value: u64,
    pub(crate) message: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct ListResult {
    pub(crate) tools: Vec<Tool>,
    #[serde(rename = "nextCursor")]
    pub(crate) next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(rename = "inputSchema")]
    pub(crate) input_schema: Box<RawValue>,
    pub(crate) annotations: Option<Annotations>,
}

#[derive(Deserialize)]
pub(crate) struct Annotations {
    #[serde(rename = "readOnlyHint", default)]
    pub(crate) read_only_hint: bool,
}
