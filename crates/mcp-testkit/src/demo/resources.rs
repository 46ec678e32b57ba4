//! Three resources, of which one changes, and a family of them.

use mcp_types::{
    BlobResourceContents, Era, ErrorCode, Json, JsonObject, JsonRpcError, ListResourceTemplatesResult,
    ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Revision, TextResourceContents,
};

use super::{caller::Caller, counter, page::page};

pub(super) const README_URI: &str = "demo:///readme.md";
pub(super) const README: &str = "# Demo\n\nA text to read.\n";
pub(super) const PIXEL_URI: &str = "demo:///pixel.png";
/// An image of one point.
pub(super) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSDgAAAHkAUGcFuGgAAAAAElFTkSuQmCC";
pub(super) const SQUARES: &str = "demo:///squares/{number}";

const TEXT: &str = "text/plain";
const MARKDOWN: &str = "text/markdown";
const PNG: &str = "image/png";

pub(super) fn list(
    caller: &Caller,
    params: &PaginatedRequestParams,
) -> Result<ListResourcesResult, JsonRpcError> {
    let mut resources = vec![
        Resource::new(README_URI, "readme")
            .with_title("Read me")
            .with_description("A text")
            .with_mime_type(MARKDOWN)
            .with_size(README.len() as u64),
        Resource::new(PIXEL_URI, "pixel")
            .with_title("Pixel")
            .with_description("Bytes: an image of one point")
            .with_mime_type(PNG),
        Resource::new(counter::URI, "counter")
            .with_title("Counter")
            .with_description("What the tool `bump` counts; it changes")
            .with_mime_type(TEXT),
    ];
    if caller.revision() < Revision::V2025_06_18 {
        for resource in &mut resources {
            resource.title = None;
        }
    }
    let (resources, next) = page("resources", resources, caller.demo().page_size, params.cursor.as_ref())?;
    let mut result = ListResourcesResult::new(resources);
    result.next_cursor = next;
    Ok(result)
}

pub(super) fn templates(
    caller: &Caller,
    params: &PaginatedRequestParams,
) -> Result<ListResourceTemplatesResult, JsonRpcError> {
    let mut squares = ResourceTemplate::new(SQUARES, "squares")
        .with_title("Squares")
        .with_description("The square of a number")
        .with_mime_type(TEXT);
    if caller.revision() < Revision::V2025_06_18 {
        squares.title = None;
    }
    let (templates, next) =
        page("templates", vec![squares], caller.demo().page_size, params.cursor.as_ref())?;
    let mut result = ListResourceTemplatesResult::new(templates);
    result.next_cursor = next;
    Ok(result)
}

pub(super) fn read(
    caller: &Caller,
    params: &ReadResourceRequestParams,
) -> Result<ReadResourceResult, JsonRpcError> {
    Ok(ReadResourceResult::new([find(caller, &params.uri)?]))
}

pub(super) fn find(caller: &Caller, uri: &str) -> Result<ResourceContents, JsonRpcError> {
    Ok(match uri {
        README_URI => TextResourceContents::new(uri, README).with_mime_type(MARKDOWN).into(),
        PIXEL_URI => BlobResourceContents::new(uri, PIXEL).with_mime_type(PNG).into(),
        counter::URI => {
            TextResourceContents::new(uri, caller.counter().value().to_string()).with_mime_type(TEXT).into()
        }
        _ => {
            let square = square(uri).ok_or_else(|| not_found(caller.era(), uri))?;
            TextResourceContents::new(uri, square.to_string()).with_mime_type(TEXT).into()
        }
    })
}

fn square(uri: &str) -> Option<u64> {
    let (prefix, _) = SQUARES.split_once('{')?;
    let number: u32 = uri.strip_prefix(prefix)?.parse().ok()?;
    Some(u64::from(number) * u64::from(number))
}

fn not_found(era: Era, uri: &str) -> JsonRpcError {
    let code = match era {
        Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
        Era::Modern => ErrorCode::INVALID_PARAMS,
    };
    JsonRpcError::new(code, "Resource not found")
        .with_data(JsonObject::from([("uri", Json::from(uri))]).into())
}
