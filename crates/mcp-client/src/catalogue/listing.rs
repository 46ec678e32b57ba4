use std::any::Any;

use bytes::Bytes;
use mcp_types::{Json, ListToolsRequest, ListToolsResult, Request, jsonrpc::scan, read};

use super::{Catalogue, Part};
use crate::{
    Client, Diagnostic, Error, Result,
    call::{RawCall, Reply},
    error::{Cause, Raw},
};

/// Where the result of a `tools/list` goes before its caller sees it.
pub(crate) struct ToolPages {
    client: Client,
    /// Whether it is the first page that is asked for.
    first: bool,
}

impl ToolPages {
    /// For a call of `tools/list`.
    pub(crate) fn of<R: Request>(call: &RawCall) -> Option<Self> {
        if R::METHOD != ListToolsRequest::METHOD {
            return None;
        }
        let first = call.params.as_ref().is_ok_and(|params| scan::member(params, "cursor").is_none());
        Self::on::<R>(&call.options.client, first)
    }

    /// For a page of a listing.
    pub(crate) fn on<R: Request>(client: &Client, first: bool) -> Option<Self> {
        (R::METHOD == ListToolsRequest::METHOD).then(|| Self { client: client.clone(), first })
    }

    /// Learns the tools of a page, and moves those that cannot be called on this connection to the rejected ones.
    ///
    /// Section: [Schema Extension](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension).
    pub(crate) fn take<T: Any>(&self, reply: &mut Reply<T>) -> Result<()> {
        let raw = reply.raw_bytes().clone();
        // The method of a user may have a result of its own.
        let Some(page) = (reply.value_mut() as &mut dyn Any).downcast_mut() else { return Ok(()) };
        self.take_page(page, &raw)
    }

    fn take_page(&self, page: &mut ListToolsResult, raw: &Bytes) -> Result<()> {
        let client = &*self.client.0;
        for (tool, reason) in client.catalogue.learn(page, raw, self.first)? {
            client.session.mailbox().push_diagnostic(Diagnostic::InvalidTool { tool, reason });
        }
        Ok(())
    }
}

impl Catalogue {
    /// Learns the tools of `page`, which came as `raw`. Gives those back that cannot be called on this connection, with
    /// the reason.
    fn learn(&self, page: &mut ListToolsResult, raw: &Bytes, first: bool) -> Result<Vec<(String, String)>> {
        let mut plans = Vec::with_capacity(page.tools.len());
        let mut invalid = Vec::new();
        let mut elements = None;
        let rejected = page.tools.reject(|index, tool| match self.plan(tool) {
            Ok(plan) => {
                plans.push(plan);
                None
            }
            Err(reason) => {
                invalid.push((tool.name.clone(), reason.clone()));
                let elements: &Vec<Json> = elements.get_or_insert_with(|| tools_of(raw));
                // The same text was decoded before.
                let json = elements.get(index).cloned();
                Some((reason, json.unwrap_or_else(|| Json::from(tool.name.as_str()))))
            }
        });
        rejected.map_err(|error| {
            let error = <read::Error as serde_core::de::Error>::custom(error);
            Error::new(Cause::Decode(error, Raw(raw.clone())))
        })?;
        let last = page.next_cursor.is_none();
        self.keep(page.tools.iter().zip(plans), Part::Page { first, last });
        Ok(invalid)
    }
}

/// The tools of a page as they came.
fn tools_of(page: &[u8]) -> Vec<Json> {
    let tools = scan::member(page, "tools").map(|range| &page[range]);
    tools.and_then(|tools| read::bytes(tools).ok()).unwrap_or_default()
}
