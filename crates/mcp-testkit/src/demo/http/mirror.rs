//! Header fields of the modern era, which must say what the body says.
//!
//! Section: [Server Validation](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation).

use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use mcp_param_headers::{HeaderPlan, decode_value};
use mcp_types::{
    CallToolRequest, GetPromptRequest, Json, JsonSchema, ReadResourceRequest, Request,
    jsonrpc::JsonRpcRequest, meta::key,
};

use crate::demo::{methods::Params, tools};

pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// How the fields differ from what the request says.
pub(super) fn check(headers: &HeaderMap, request: &JsonRpcRequest<Bytes>) -> Result<(), String> {
    let params = Params::new(request.params.clone());
    let meta = params.meta();
    let version = meta.get(key::PROTOCOL_VERSION).and_then(Json::as_string);
    compare_plain(headers, &VERSION, version.as_deref().unwrap_or_default())?;
    compare_plain(headers, &METHOD, &request.method)?;
    let subject = match request.method.as_ref() {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.text("name"),
        ReadResourceRequest::METHOD => params.text("uri"),
        _ => None,
    };
    let Some(subject) = subject else { return Ok(()) };
    compare(headers, &NAME, &subject)?;
    match tools::input_schema(&subject) {
        Some(schema) if request.method == CallToolRequest::METHOD => arguments(headers, &schema, &params),
        _ => Ok(()),
    }
}

/// How the fields differ from the arguments that they are to mirror.
fn arguments(headers: &HeaderMap, schema: &JsonSchema, params: &Params) -> Result<(), String> {
    let plan = HeaderPlan::of(schema.as_json().as_str()).map_err(|error| error.to_string())?;
    let arguments = params.member("arguments").unwrap_or(b"{}");
    let fields = plan.fields(arguments);
    for name in plan.names() {
        let field = name.parse::<HeaderName>().map_err(|error| error.to_string())?;
        match fields.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => compare(headers, &field, &decode_value(value).unwrap_or_default())?,
            None if headers.contains_key(&field) => {
                return Err(format!("`{field}` is there, and the argument is not"));
            }
            None => {}
        }
    }
    Ok(())
}

/// How a field that may be encoded differs from `expected`.
fn compare(headers: &HeaderMap, name: &HeaderName, expected: &str) -> Result<(), String> {
    let value = single(headers, name)?;
    match decode_value(value) {
        Some(value) if value == expected => Ok(()),
        Some(value) => Err(differs(name, &value, expected)),
        None => Err(format!("`{name}` cannot be read")),
    }
}

fn compare_plain(headers: &HeaderMap, name: &HeaderName, expected: &str) -> Result<(), String> {
    let value = single(headers, name)?;
    if value == expected { Ok(()) } else { Err(differs(name, value, expected)) }
}

fn differs(name: &HeaderName, value: &str, expected: &str) -> String {
    format!("`{name}` says {value:?}, the body {expected:?}")
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<&'a str, String> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(format!("`{name}` must be there, once"));
    };
    value.to_str().map_err(|_| format!("`{name}` cannot be read"))
}
