//! Structured results of tools, held against the schema that the tool declares for them.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use mcp_types::{Era, Json, JsonSchema, Request, jsonrpc::scan};

use crate::{
    Client, Diagnostic, Error, Result,
    call::RawCall,
    error::{Cause, Raw},
};

/// What a client does with a structured result that does not fit its tool's output schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnInvalidOutput {
    /// The call fails, with [`ErrorKind::InvalidOutput`](crate::ErrorKind::InvalidOutput); the error carries the result.
    Fail,
    /// The call succeeds, and [`Diagnostic::InvalidOutput`] tells.
    Report,
}

type Check = dyn Fn(&JsonSchema, &Json) -> std::result::Result<(), String> + Send + Sync;

/// How structured results are judged.
#[derive(Clone)]
pub(crate) struct OutputCheck {
    on_invalid: OnInvalidOutput,
    check: Arc<Check>,
}

impl OutputCheck {
    pub(crate) fn new<E: fmt::Display>(
        on_invalid: OnInvalidOutput,
        check: impl Fn(&JsonSchema, &Json) -> std::result::Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let check = move |schema: &JsonSchema, value: &Json| {
            check(schema, value).map_err(|problem| problem.to_string())
        };
        Self { on_invalid, check: Arc::new(check) }
    }
}

impl fmt::Debug for OutputCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.on_invalid.fmt(f)
    }
}

/// A call whose structured result is to be judged when it has come.
pub(crate) struct Judged {
    client: Client,
    tool: String,
}

impl Judged {
    /// `None` when nothing is judged: another method, no check, or a call that gives a task.
    pub(crate) fn of(call: &RawCall) -> Option<Self> {
        let client = &call.options.client;
        client.0.output_check.as_ref()?;
        if call.method != mcp_types::CallToolRequest::METHOD {
            return None;
        }
        let params = call.params.as_ref().ok()?;
        if scan::member(params, "task").is_some() {
            return None;
        }
        Some(Self { client: client.clone(), tool: tool_name(params)? })
    }

    /// The result, unless it does not fit and that is to be an error.
    pub(crate) fn judge(self, result: Bytes) -> Result<Bytes> {
        let Self { client, tool } = self;
        let client = &*client.0;
        let (Some(output), Some(known)) = (&client.output_check, client.catalogue.current(&tool)) else {
            return Ok(result);
        };
        let Some(schema) = &known.output_schema else { return Ok(result) };
        let member = |key| scan::member(&result, key).map(|range| &result[range]);
        if member("isError") == Some(b"true") {
            return Ok(result);
        }
        let modern = client.negotiated.era() == Era::Modern;
        let structured = member("structuredContent").filter(|text| modern || *text != b"null");
        let judged = match structured.map(mcp_types::read::bytes::<Json>) {
            None => Err("there is no structured content, though the tool declares a schema for it".into()),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(json)) => (output.check)(schema, &json),
        };
        match (judged, output.on_invalid) {
            (Ok(()), _) => Ok(result),
            (Err(why), OnInvalidOutput::Fail) => {
                Err(Error::new(Cause::Output { tool, why, raw: Raw(result) }))
            }
            (Err(why), OnInvalidOutput::Report) => {
                client.session.mailbox().push_diagnostic(Diagnostic::InvalidOutput { tool, why });
                Ok(result)
            }
        }
    }
}

/// The name of the tool, in the params of a `tools/call`.
pub(crate) fn tool_name(params: &[u8]) -> Option<String> {
    let name = scan::member(params, "name")?;
    mcp_types::read::bytes(&params[name]).ok()
}
