use mcp_types::{
    AudioContent, BlobResourceContents, CallToolResult, ContentBlock, EmbeddedResource, ImageContent,
    ResourceLink, TextResourceContents, Tool, ToolAnnotations,
};

use super::schema;
use crate::demo::resources;

/// A second of nothing, nearly: one sample of silence.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

pub(super) fn tool() -> Tool {
    Tool::new("contents", schema(r#"{"type":"object","additionalProperties":false}"#))
        .with_title("Contents")
        .with_description("Gives every kind of content that the revision has.")
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true).with_open_world_hint(false))
}

pub(super) fn call() -> CallToolResult {
    let blocks: [ContentBlock; 6] = [
        ContentBlock::text("Text, an image, audio, a link and two resources"),
        ImageContent::new(resources::PIXEL, "image/png").into(),
        AudioContent::new(WAV, "audio/wav").into(),
        ResourceLink::new(resources::README_URI, "readme").with_mime_type("text/markdown").into(),
        EmbeddedResource::new(TextResourceContents::new(resources::README_URI, resources::README)).into(),
        EmbeddedResource::new(
            BlobResourceContents::new(resources::PIXEL_URI, resources::PIXEL).with_mime_type("image/png"),
        )
        .into(),
    ];
    CallToolResult::new(blocks)
}
