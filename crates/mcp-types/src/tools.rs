use crate::{
    AudioContent, CacheScope, ContentBlock, Cursor, EmbeddedResource, Icon, ImageContent, InputResponses,
    Json, JsonSchema, List, Meta, NotificationParams, PaginatedRequestParams, ResourceLink, ResultType,
    Revision, TaskMetadata,
};

requests! {
    /// Lists the tools that the server offers.
    ///
    /// Section: [Listing Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    ListToolsRequest = "tools/list" (PaginatedRequestParams) -> ListToolsResult;
    /// Calls a tool.
    ///
    /// Section: [Calling Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
    CallToolRequest = "tools/call" (CallToolRequestParams) -> CallToolResult;
}

notifications! {
    /// The list of tools has changed.
    ToolListChangedNotification = "notifications/tools/list_changed" (NotificationParams);
}

object! {
    /// A tool that a server offers. All texts are the server's: untrusted.
    ///
    /// Section: [Tool](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool).
    pub struct Tool {
        /// The name, for programs: what [`CallToolRequestParams`] takes.
        name: String,
        /// The schema of the arguments. The specification wants `"type": "object"` at its root; that is not checked.
        input_schema: JsonSchema,
        /// The name, for people. See [`Tool::display_name`].
        title? with_title: String [since V2025_06_18],
        /// What it does, for people and models.
        description? with_description: String,
        /// The schema of the structured result.
        output_schema? with_output_schema: JsonSchema [since V2025_06_18],
        /// Hints on what it does to the world.
        annotations? with_annotations: ToolAnnotations [since V2025_03_26],
        /// How it can be run.
        execution? with_execution: ToolExecution [only V2025_11_25],
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

impl Tool {
    /// The name to show to people: `title`, else `annotations.title`, else `name`.
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref()?.title.as_deref();
        self.title.as_deref().or_else(annotated).unwrap_or(&self.name)
    }
}

object! {
    /// Hints on what a tool does. Said by the server: no ground for decisions unless the server is trusted.
    ///
    /// The methods give each hint with the default of the specification.
    #[derive(Default, Eq)]
    pub struct ToolAnnotations [since V2025_03_26] {
        /// The name, for people.
        title? with_title: String,
        /// It changes nothing. Absent means no.
        read_only_hint? with_read_only_hint: bool,
        /// It may destroy something, if it changes anything. Absent means yes.
        destructive_hint? with_destructive_hint: bool,
        /// Calling it again with the same arguments changes nothing more. Absent means no.
        idempotent_hint? with_idempotent_hint: bool,
        /// It reaches beyond a closed set of things: the web, say. Absent means yes.
        open_world_hint? with_open_world_hint: bool,
    }
}

impl ToolAnnotations {
    /// Whether the tool says that it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether the tool may destroy something. A read-only tool does not.
    pub fn is_destructive(&self) -> bool {
        !self.is_read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Whether the tool says that it can be called twice without harm. A read-only tool can.
    pub fn is_idempotent(&self) -> bool {
        self.is_read_only() || self.idempotent_hint.unwrap_or(false)
    }

    /// Whether the tool reaches beyond a closed set of things.
    pub fn is_open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

object! {
    /// How a tool can be run.
    #[derive(Default, Eq)]
    pub struct ToolExecution [only V2025_11_25] {
        /// Whether it can, or must, run as a task. Absent means [`TaskSupport::Forbidden`].
        task_support? with_task_support: TaskSupport,
    }
}

open_enum! {
    /// Whether a tool can run as a task.
    pub enum TaskSupport [only V2025_11_25] {
        /// It cannot.
        Forbidden = "forbidden",
        /// It can.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}

object! {
    /// One page of tools.
    pub struct ListToolsResult {
        /// The tools. A definition that cannot be read is in [`List::rejected`]; the others stay usable.
        tools: List<Tool>,
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
    /// Parameters of `tools/call`.
    pub struct CallToolRequestParams [for servers] {
        /// The name of the tool.
        name: String,
        /// The arguments: a JSON object, written as it is given, to the last digit.
        arguments? with_arguments: Json,
        /// Asks for a task, and says how long to keep it.
        task? with_task: TaskMetadata [only V2025_11_25],
        /// Answers to the input requests of the round before.
        input_responses? with_input_responses: InputResponses [since V2026_07_28],
        /// State of the server from the round before, as it came.
        request_state? with_request_state: String [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// What a tool gives.
    #[derive(Default)]
    pub struct CallToolResult {
        /// The result, for people and models. Servers that leave it out give an empty list.
        #[read(default)]
        content: List<ContentBlock>,
        /// The result, as a value. See [`CallToolResult::structured_json`] for `null`.
        #[read(present)]
        structured_content? with_structured_content: Json [since V2025_06_18],
        /// Whether the tool failed. See [`CallToolResult::is_error`].
        is_error? with_is_error: bool,
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

impl CallToolResult {
    /// Whether the tool failed; the content says why. Absent means no.
    pub fn is_error(&self) -> bool {
        self.is_error.unwrap_or(false)
    }

    /// The structured result, as a peer that speaks `revision` means it.
    ///
    /// Since 2026-07-28 it may be any JSON value, so `null` is a value. Before, it is an object, and `null` is how some
    /// servers write that there is none. The field itself holds what came.
    pub fn structured_json(&self, revision: Revision) -> Option<&Json> {
        let nullable = revision >= Revision::V2026_07_28;
        self.structured_content.as_ref().filter(|json| nullable || !json.is_null())
    }

    /// The text blocks, joined by line breaks: what to give a model that takes text only.
    pub fn text(&self) -> String {
        let mut joined = None::<String>;
        for text in self.content.iter().filter_map(ContentBlock::as_text) {
            match &mut joined {
                Some(joined) => {
                    joined.push('\n');
                    joined.push_str(text);
                }
                None => joined = Some(text.to_owned()),
            }
        }
        joined.unwrap_or_default()
    }

    /// The images.
    pub fn images(&self) -> impl Iterator<Item = &ImageContent> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::Image(image) => Some(image),
            _ => None,
        })
    }

    /// The audio.
    pub fn audio(&self) -> impl Iterator<Item = &AudioContent> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::Audio(audio) => Some(audio),
            _ => None,
        })
    }

    /// The links to resources.
    pub fn resource_links(&self) -> impl Iterator<Item = &ResourceLink> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::ResourceLink(link) => Some(link),
            _ => None,
        })
    }

    /// The embedded resources.
    pub fn resources(&self) -> impl Iterator<Item = &EmbeddedResource> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::Resource(resource) => Some(resource),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonObject;

    /// Field report T-04.
    #[test]
    fn a_tool_without_a_schema_does_not_cost_the_page() {
        let page: ListToolsResult = serde_json::from_str(
            r#"{"nextCursor":"2","tools":[{"name":"ok","inputSchema":{"type":"object"}},{"name":"bad"},
                {"name":"worse","inputSchema":"none"}],"ttlMs":"soon"}"#,
        )
        .unwrap();
        assert_eq!(page.tools.len(), 1);
        assert_eq!(page.tools[0].name, "ok");
        assert_eq!(page.next_cursor, Some("2".into()));
        let [bad, worse] = page.tools.rejected() else { panic!("{:?}", page.tools.rejected()) };
        assert_eq!((bad.index, bad.json.as_str()), (1, r#"{"name":"bad"}"#));
        assert!(bad.reason.contains("inputSchema"), "{}", bad.reason);
        assert_eq!(worse.index, 2);
    }

    #[test]
    fn a_result_is_taken_apart_by_kind() {
        let result: CallToolResult = serde_json::from_str(
            r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"QQ==","mimeType":"image/png"},
                {"type":"text","text":"b"},{"type":"audio","data":"QQ==","mimeType":"audio/wav"},
                {"type":"resource_link","uri":"f:/x","name":"n"},{"type":"hologram"},
                {"type":"resource","resource":{"uri":"f:/y","text":"t"}}]}"#,
        )
        .unwrap();
        assert_eq!(result.text(), "a\nb");
        let counts = [result.images().count(), result.audio().count(), result.resource_links().count()];
        assert_eq!((counts, result.resources().count()), ([1, 1, 1], 1));
    }

    /// Field report T-05.
    #[test]
    fn null_on_an_optional_member_is_absent() {
        let page: ListToolsResult =
            serde_json::from_str(r#"{"tools":[],"nextCursor":null,"_meta":null,"ttlMs":null}"#).unwrap();
        assert_eq!(page, ListToolsResult::new([]));
        let tool: Tool = serde_json::from_str(
            r#"{"name":"t","inputSchema":{},"title":null,"description":null,"outputSchema":null,
                "annotations":{"readOnlyHint":null},"execution":null,"icons":null,"_meta":null}"#,
        )
        .unwrap();
        assert_eq!(
            serde_json::to_string(&tool).unwrap(),
            r#"{"name":"t","inputSchema":{},"annotations":{}}"#
        );
    }

    /// Field report T-01.
    #[test]
    fn unknown_content_is_kept_in_its_place() {
        let text = r#"{"content":[{"type":"text","text":"a"},{"type":"hologram","x":1},{"type":"resource_link","uri":"f:/x","name":"n"}]}"#;
        let result: CallToolResult = serde_json::from_str(text).unwrap();
        let kinds: Vec<_> = result.content.iter().map(ContentBlock::kind).collect();
        assert_eq!(kinds, ["text", "hologram", "resource_link"]);
        let ContentBlock::Unknown(unknown) = &result.content[1] else { panic!("{:?}", result.content) };
        assert_eq!(unknown.json().as_str(), r#"{"type":"hologram","x":1}"#);
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    /// Field report T-02.
    #[test]
    fn a_result_without_content_has_an_empty_list() {
        let result: CallToolResult = serde_json::from_str(r#"{"structuredContent":{"a":1}}"#).unwrap();
        assert!(result.content.is_empty() && !result.is_error());
        assert_eq!(result.structured_json(Revision::V2025_06_18).unwrap().as_str(), r#"{"a":1}"#);
        for text in ["{}", r#"{"content":[]}"#, r#"{"content":null,"isError":null}"#, r#"{"x/foreign":1}"#] {
            let result: CallToolResult = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&result).unwrap(), r#"{"content":[]}"#, "{text}");
        }
    }

    #[test]
    fn a_structured_null_is_a_value_only_where_the_schema_allows_it() {
        let result: CallToolResult =
            serde_json::from_str(r#"{"content":[],"structuredContent":null}"#).unwrap();
        assert!(result.structured_json(Revision::V2026_07_28).unwrap().is_null());
        assert_eq!(result.structured_json(Revision::V2025_11_25), None);
        let absent: CallToolResult = serde_json::from_str(r#"{"content":[]}"#).unwrap();
        assert_eq!(absent.structured_json(Revision::V2026_07_28), None);
    }

    /// Field report T-06.
    #[test]
    fn digits_survive_in_results_and_arguments() {
        let text = r#"{"content":[],"structuredContent":{"id":9007199254740993,"big":9223372036854775808},"_meta":{"n":7960607143101464576}}"#;
        let result: CallToolResult = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        let text = r#"{"name":"t","arguments":{"id":7960607143101464576,"pi":3.140}}"#;
        let params: CallToolRequestParams = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), text);
        let made = CallToolRequestParams::new("t")
            .with_arguments(JsonObject::from([("id", Json::from(7_960_607_143_101_464_576_u64))]));
        assert_eq!(
            serde_json::to_string(&made).unwrap(),
            r#"{"name":"t","arguments":{"id":7960607143101464576}}"#
        );
    }

    #[test]
    fn hints_default_to_the_worst() {
        let none = ToolAnnotations::new();
        assert!(
            !none.is_read_only() && none.is_destructive() && !none.is_idempotent() && none.is_open_world()
        );
        let read_only = ToolAnnotations::new().with_read_only_hint(true);
        assert!(!read_only.is_destructive() && read_only.is_idempotent());
    }

    #[test]
    fn the_display_name_follows_the_order_of_the_specification() {
        let tool = Tool::new("n", JsonSchema::any_object());
        assert_eq!(tool.display_name(), "n");
        let tool = tool.with_annotations(ToolAnnotations::new().with_title("a"));
        assert_eq!(tool.display_name(), "a");
        assert_eq!(tool.with_title("t").display_name(), "t");
    }
}
