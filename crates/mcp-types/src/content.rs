use crate::{Annotations, Icon, Json, JsonObject, List, Meta, ResourceContents};

tagged_union! {
    /// A piece of what a tool or a prompt gives: text, image, audio, a link, a resource, or a kind not yet known.
    ///
    /// Section: [Tool Result](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result).
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// An image.
        Image(ImageContent) = "image",
        /// Audio. Since 2025-03-26.
        Audio(AudioContent) = "audio",
        /// A link to a resource. Since 2025-06-18.
        ResourceLink(ResourceLink) = "resource_link",
        /// A resource, embedded.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

object! {
    /// Text. Schema: `TextContent`.
    pub struct TextContent tagged "type" = "text" {
        /// The text.
        text: String,
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// An image. Schema: `ImageContent`.
    pub struct ImageContent tagged "type" = "image" {
        /// The image, in base64. Not checked.
        data: String,
        /// Its MIME type.
        mime_type: String,
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// Audio. Schema: `AudioContent`.
    pub struct AudioContent [since V2025_03_26] tagged "type" = "audio" {
        /// The audio, in base64. Not checked.
        data: String,
        /// Its MIME type.
        mime_type: String,
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// A resource that can be read from the server. It need not be in the server's list of resources.
    ///
    /// Schema: `ResourceLink`.
    pub struct ResourceLink [since V2025_06_18] tagged "type" = "resource_link" {
        /// The URI of the resource.
        uri: String,
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String,
        /// What it is. Text of the peer: untrusted.
        description? with_description: String,
        /// Its MIME type.
        mime_type? with_mime_type: String,
        /// Size in bytes, before any encoding. Absent when the peer wrote no whole number.
        #[read(lenient_integer)]
        size? with_size: u64,
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// A resource with its contents. Schema: `EmbeddedResource`.
    pub struct EmbeddedResource tagged "type" = "resource" {
        /// The contents.
        resource: ResourceContents,
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// A tool call that a model asks for, in sampling. Schema: `ToolUseContent`.
    ///
    /// Section: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    pub struct ToolUseContent [since V2025_11_25] tagged "type" = "tool_use" {
        /// Identifies the call; its result names it.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments.
        input: JsonObject,
        /// Metadata. Send it back with the call in later requests: it may help caches.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// The result of a tool call, given back to a model in sampling. Schema: `ToolResultContent`.
    ///
    /// Section: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    pub struct ToolResultContent [since V2025_11_25] tagged "type" = "tool_result" {
        /// The `id` of the call.
        tool_use_id: String,
        /// The result, for the model.
        content: List<ContentBlock>,
        /// The result, as a value: an object in 2025-11-25, any JSON since 2026-07-28, `null` included.
        #[read(present)]
        structured_content? with_structured_content: Json,
        /// Whether the call failed. Absent means no.
        is_error? with_is_error: bool,
        /// Metadata. Send it back with the result in later requests: it may help caches.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> ContentBlock {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&block).unwrap(), text);
        block
    }

    #[test]
    fn every_kind_round_trips() {
        for (text, kind) in [
            (
                r#"{"type":"text","text":"a","annotations":{"audience":["user","robot"],"priority":0.5},"_meta":{"x":1.50}}"#,
                "text",
            ),
            (r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#, "image"),
            (r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#, "audio"),
            (r#"{"type":"resource_link","uri":"f:/x","name":"n","size":3}"#, "resource_link"),
            (r#"{"type":"resource","resource":{"uri":"f:/x","text":"t"},"_meta":{}}"#, "resource"),
            (r#"{"type":"hologram","x":9007199254740993,"y":{"b":1,"a":2}}"#, "hologram"),
        ] {
            assert_eq!(round_trip(text).kind(), kind);
        }
    }

    #[test]
    fn the_type_may_come_anywhere() {
        let block: ContentBlock =
            serde_json::from_str(r#"{"_meta":{"id":9007199254740993},"text":"a\"b","type":"text"}"#).unwrap();
        assert_eq!(block.as_text(), Some("a\"b"));
        assert_eq!(
            serde_json::to_string(&block).unwrap(),
            r#"{"type":"text","text":"a\"b","_meta":{"id":9007199254740993}}"#
        );
        let text = r#"{ "x\n": 1.0, "type": "later" }"#;
        let unknown: ContentBlock = serde_json::from_str(text).unwrap();
        assert_eq!(unknown.kind(), "later");
        assert_eq!(serde_json::to_string(&unknown).unwrap(), text);
    }

    #[test]
    fn a_block_without_a_type_or_with_another_struct_s_type_is_refused() {
        for text in
            [r#"{"text":"a"}"#, r#"{"type":5,"text":"a"}"#, r#"{"text":"a","type":null}"#, "[]", "\"text\""]
        {
            assert!(serde_json::from_str::<ContentBlock>(text).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<TextContent>(r#"{"type":"image","text":"a"}"#).is_err());
        assert_eq!(serde_json::to_string(&TextContent::new("a")).unwrap(), r#"{"type":"text","text":"a"}"#);
    }

    #[test]
    fn an_unknown_block_can_be_made() {
        let members = JsonObject::from([("x", Json::from(1_u64)), ("type", Json::from("ignored"))]);
        let block = ContentBlock::Unknown(crate::UnknownObject::new("type", "hologram", &members));
        assert_eq!(serde_json::to_string(&block).unwrap(), r#"{"type":"hologram","x":1}"#);
    }

    #[test]
    fn an_absurd_size_reads_as_absent() {
        for (size, expected) in
            [("3", Some(3)), ("3.0", Some(3)), ("-1", None), ("1e999", None), ("\"3\"", None), ("null", None)]
        {
            let text = format!(r#"{{"type":"resource_link","uri":"u","name":"n","size":{size}}}"#);
            let ContentBlock::ResourceLink(link) = serde_json::from_str(&text).unwrap() else {
                panic!("{text}")
            };
            assert_eq!(link.size, expected, "{size}");
        }
    }
}
