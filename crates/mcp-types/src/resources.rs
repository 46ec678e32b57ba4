use crate::{
    Annotations, CacheScope, Cursor, EmptyResult, Icon, InputResponses, List, Meta, NotificationParams,
    PaginatedRequestParams, ResultType,
    read::{self, Blank, Read, Reader},
    write::{self, Node, Write},
};

requests! {
    /// Lists the resources that the server offers.
    ///
    /// Section: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).
    ListResourcesRequest = "resources/list" (PaginatedRequestParams) -> ListResourcesResult;
    /// Lists the resource templates that the server offers.
    ListResourceTemplatesRequest = "resources/templates/list" (PaginatedRequestParams) -> ListResourceTemplatesResult;
    /// Reads a resource.
    ReadResourceRequest = "resources/read" (ReadResourceRequestParams) -> ReadResourceResult;
    /// Asks to be told when a resource changes. Until 2025-11-25; then
    /// [`SubscriptionsListenRequest`](crate::SubscriptionsListenRequest).
    SubscribeRequest = "resources/subscribe" (SubscribeRequestParams) -> EmptyResult;
    /// Takes a subscription back. Until 2025-11-25.
    UnsubscribeRequest = "resources/unsubscribe" (UnsubscribeRequestParams) -> EmptyResult;
}

notifications! {
    /// The list of resources has changed.
    ResourceListChangedNotification = "notifications/resources/list_changed" (NotificationParams);
    /// A resource has changed that the client has subscribed to.
    ResourceUpdatedNotification = "notifications/resources/updated" (ResourceUpdatedNotificationParams);
}

object! {
    /// A resource that a server offers. All texts are the server's: untrusted.
    ///
    /// Section: [Resource](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource).
    pub struct Resource {
        /// The URI. Any scheme; what it means is up to the server.
        uri: String,
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
        /// What it is, for people and models.
        description? with_description: String,
        /// Its MIME type.
        mime_type? with_mime_type: String,
        /// Size in bytes, before any encoding. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        size? with_size: u64,
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// A family of resources whose URIs follow a template. All texts are the server's: untrusted.
    ///
    /// Section: [Resource Templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    pub struct ResourceTemplate {
        /// The template of the URIs, in RFC 6570.
        uri_template: String,
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
        /// What it is for, for people and models.
        description? with_description: String,
        /// The MIME type of all resources that match, if it is the same.
        mime_type? with_mime_type: String,
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
        /// Hints on use and display.
        annotations? with_annotations: Annotations,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

/// What a resource holds: text or bytes, told apart by the member that is there.
///
/// Contents with neither are refused, and so end up in [`List::rejected`] where they stand in a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

impl ResourceContents {
    /// The URI of the contents: that of the resource, or of a part of it.
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }

    /// The MIME type, if the server says it.
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => contents.mime_type.as_deref(),
            Self::Blob(contents) => contents.mime_type.as_deref(),
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(&contents.text),
            Self::Blob(_) => None,
        }
    }
}

object! {
    /// Text of a resource.
    pub struct TextResourceContents {
        /// The URI.
        uri: String,
        /// The text.
        text: String,
        /// The MIME type.
        mime_type? with_mime_type: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// Bytes of a resource.
    pub struct BlobResourceContents {
        /// The URI.
        uri: String,
        /// The bytes, in base64. Not checked.
        blob: String,
        /// The MIME type.
        mime_type? with_mime_type: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl Write for ResourceContents {
    fn node(&self) -> Node<'_> {
        match self {
            Self::Text(contents) => contents.node(),
            Self::Blob(contents) => contents.node(),
        }
    }
}

write::serialize_by_writing!(ResourceContents);

impl Read for ResourceContents {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let mut contents = TextResourceContents::BLANK;
        let (mut text, mut blob) = (None::<String>, None::<String>);
        reader.object(
            &read::Layout {
                what: "ResourceContents",
                names: read::names!("uri", "mime_type", "text", "blob", "=_meta"),
                needed: read::needed(&[true]),
            },
            &mut [&mut contents.uri, &mut contents.mime_type, &mut text, &mut blob, &mut contents.meta],
        )?;
        match (text, blob) {
            (Some(text), None) => Ok(Self::Text(TextResourceContents { text, ..contents })),
            (None, Some(blob)) => {
                let TextResourceContents { uri, mime_type, meta, .. } = contents;
                Ok(Self::Blob(BlobResourceContents { uri, blob, mime_type, meta }))
            }
            (None, None) => Err(reader.error("resource contents with neither `text` nor `blob`")),
            (Some(_), Some(_)) => Err(reader.error("resource contents with both `text` and `blob`")),
        }
    }
}

impl Blank for ResourceContents {
    const BLANK: Self = Self::Text(TextResourceContents::BLANK);
}

read::deserialize_by_reading!(ResourceContents);

object! {
    /// One page of resources.
    pub struct ListResourcesResult {
        /// The resources.
        resources: List<Resource>,
        /// Where the next page begins. Absent on the last page.
        next_cursor? with_next_cursor: Cursor,
        /// For how many milliseconds the page is fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64 [since V2026_07_28],
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope [since V2026_07_28],
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// One page of resource templates.
    pub struct ListResourceTemplatesResult {
        /// The templates.
        resource_templates: List<ResourceTemplate>,
        /// Where the next page begins. Absent on the last page.
        next_cursor? with_next_cursor: Cursor,
        /// For how many milliseconds the page is fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64 [since V2026_07_28],
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope [since V2026_07_28],
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `resources/read`.
    pub struct ReadResourceRequestParams [for servers] {
        /// The URI of the resource.
        uri: String,
        /// Answers to the input requests of the round before.
        input_responses? with_input_responses: InputResponses [since V2026_07_28],
        /// State of the server from the round before, as it came.
        request_state? with_request_state: String [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// What a resource holds.
    pub struct ReadResourceResult {
        /// The contents: one for a plain resource, several for one with parts.
        contents: List<ResourceContents>,
        /// For how many milliseconds the contents are fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64 [since V2026_07_28],
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope [since V2026_07_28],
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `resources/subscribe`.
    pub struct SubscribeRequestParams [for servers until V2025_11_25] {
        /// The URI of the resource.
        uri: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `resources/unsubscribe`.
    pub struct UnsubscribeRequestParams [for servers until V2025_11_25] {
        /// The URI of the resource.
        uri: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `notifications/resources/updated`.
    pub struct ResourceUpdatedNotificationParams {
        /// The URI of what changed: the resource of the subscription, or a part of it.
        uri: String,
        /// Metadata. Since 2026-07-28 it names the subscription.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_told_apart_by_the_member_that_is_there() {
        let text = r#"{"contents":[{"uri":"a","text":""},{"uri":"b","blob":"AA==","mimeType":"x/y","_meta":{"k":1}},{"uri":"c"},{"uri":"d","text":"t","blob":null}]}"#;
        let result: ReadResourceResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.contents.len(), 3);
        assert_eq!(result.contents[0].as_text(), Some(""));
        assert_eq!((result.contents[1].uri(), result.contents[1].mime_type()), ("b", Some("x/y")));
        assert_eq!(result.contents[2].as_text(), Some("t"));
        assert_eq!(result.contents.rejected()[0].index, 2);
        assert_eq!(
            serde_json::to_string(&result.contents[1]).unwrap(),
            r#"{"uri":"b","blob":"AA==","mimeType":"x/y","_meta":{"k":1}}"#
        );
    }

    #[test]
    fn absurd_hints_do_not_cost_the_page() {
        let page: ListResourcesResult = serde_json::from_str(
            r#"{"resources":[{"uri":"u","name":"n","size":-5,"annotations":{"priority":"high"}}],"ttlMs":1e400,"cacheScope":{}}"#,
        )
        .unwrap();
        assert_eq!(page.resources[0].size, None);
        assert_eq!(page.resources[0].annotations.as_ref().unwrap().priority, None);
        assert_eq!((page.ttl_ms, page.cache_scope), (None, None));
    }
}
