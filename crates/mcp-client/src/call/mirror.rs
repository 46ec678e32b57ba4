//! Header fields that mirror arguments of a tool.

use std::{future::IntoFuture, sync::Arc, time::Duration};

use bytes::Bytes;
use mcp_transport::HeaderPlan;
use mcp_types::{CallToolRequest, Cursor, ErrorCode, Json, ListToolsRequest, Request, jsonrpc::scan};
use tokio::time::timeout;

use super::{CallFuture, CallOptions};
use crate::{
    Client, Error, Result,
    builder::defaults,
    error::{Cause, Limit},
    output::tool_name,
    session::Headers,
};

/// The header fields of a call: those of the caller, and those that mirror arguments of the tool, if it is known.
///
/// # Errors
/// When a field of the caller would pass for a mirrored one.
pub(super) fn fields(options: &CallOptions, method: &str, params: Option<&Bytes>) -> Result<Fields> {
    let mirrors = options.client.0.session.param_headers();
    if options.headers().is_empty() && mirrors.is_none() {
        return Ok(Fields::default());
    }
    let is_param_field = |name: &&str| mirrors.is_some_and(|it| it.is_param_field(name));
    if let Some(name) = options.headers().names().find(is_param_field) {
        return Err(Error::new(Cause::Arguments(format!(
            "the header field `{name}` mirrors an argument: it follows from the tool's definition, which may be given with \
             `ClientBuilder::known_tools`"
        ))));
    }
    let mut headers = options.headers().clone();
    if method == CallToolRequest::METHOD
        && let Some(params) = params
        && let Some(plan) = options.client.0.catalogue.header_plan(|| tool_name(params))
    {
        headers = with_fields(headers, &*plan, params);
    }
    Ok(Fields { headers, listed: false })
}

fn with_fields(mut headers: Headers, plan: &dyn HeaderPlan, params: &[u8]) -> Headers {
    if let Some(arguments) = scan::member(params, "arguments") {
        for (name, value) in plan.fields(&params[arguments]) {
            headers.push(name.into(), value);
        }
    }
    headers
}

/// The header fields of the requests of one call.
#[derive(Default)]
pub(super) struct Fields {
    headers: Headers,
    /// They follow from a definition that was listed because of this call.
    listed: bool,
}

impl Fields {
    /// What a request takes along.
    pub(super) fn headers(&self) -> &Headers {
        &self.headers
    }

    /// Whether a listing may help when the server refuses `method` because of its header fields.
    pub(super) fn can_be_mended(&self, client: &Client, method: &str) -> bool {
        !self.listed && client.0.catalogue.mirrors() && method == CallToolRequest::METHOD
    }

    /// Takes the definition that the server lists now, because it refused a call with `params`. Takes at most `left`.
    ///
    /// Section: [Client Behavior](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior).
    ///
    /// # Errors
    /// `refusal`, with what became of the listing; when `left` is over, that.
    pub(super) async fn mend(
        &mut self,
        options: &CallOptions,
        params: &[u8],
        left: Duration,
        refusal: Error,
    ) -> Result<()> {
        let Some(name) = tool_name(params) else { return Err(refusal) };
        self.listed = true;
        let why = match timeout(left, find(options, &name)).await {
            Ok(Ok(Found::Plan(plan))) => {
                let headers = options.headers().clone();
                self.headers = match plan {
                    Some(plan) => with_fields(headers, &*plan, params),
                    None => headers,
                };
                return Ok(());
            }
            Ok(Ok(Found::Invalid(reason))) => format!("as the tool is listed now, {reason}"),
            Ok(Ok(Found::Nothing)) => "the tool is not among those that the server lists now".into(),
            Ok(Err(error)) => format!("listing the tools again failed: {error}"),
            Err(_) => {
                let error = Error::new(Cause::Timeout(Limit::Total(options.total)));
                return Err(error.with_context(format!("while the tools were listed again: {refusal}")));
            }
        };
        Err(refusal.with_context(why))
    }
}

/// Whether the server refused a request because of its header fields, and so did not begin to execute it.
pub(super) fn is_mismatch(error: &Error) -> bool {
    error.rpc().is_some_and(|error| error.code == ErrorCode::HEADER_MISMATCH)
}

/// What a listing says of one tool.
enum Found {
    Plan(Option<Arc<dyn HeaderPlan>>),
    Invalid(String),
    Nothing,
}

/// Lists the tools, until `name` is among them. Takes no place among the calls in flight: its own call holds one.
async fn find(options: &CallOptions, name: &str) -> Result<Found> {
    let mut cursor = None;
    for _ in 0..defaults::MAX_PAGES {
        let page = page(options, cursor).await?;
        if let Some(tool) = page.tools.iter().find(|tool| tool.name == name) {
            return Ok(options.client.0.catalogue.plan(tool).map_or_else(Found::Invalid, Found::Plan));
        }
        let is_named = |json: &Json| tool_name(json.as_str().as_bytes()).is_some_and(|it| it == name);
        if let Some(rejected) = page.tools.rejected().iter().find(|rejected| is_named(&rejected.json)) {
            return Ok(Found::Invalid(rejected.reason.clone()));
        }
        cursor = page.into_inner().next_cursor;
        if cursor.is_none() {
            return Ok(Found::Nothing);
        }
    }
    Err(Error::new(Cause::TooManyPages(defaults::MAX_PAGES)))
}

/// One page. Whoever the call is made for is who lists.
fn page(options: &CallOptions, cursor: Option<Cursor>) -> CallFuture<ListToolsRequest> {
    let mut page = options.client.list_tools().page(cursor);
    let rare = page.options.rare();
    rare.headers = options.headers().clone();
    rare.exempt = true;
    page.into_future()
}
