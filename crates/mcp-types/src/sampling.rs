use std::slice;

use crate::{
    AudioContent, ImageContent, Json, JsonObject, List, Meta, Role, TaskMetadata, TextContent, Tool,
    ToolResultContent, ToolUseContent,
    read::{self, Blank, Read, Reader},
    write::{self, Node, Write},
};

requests! {
    /// Asks the client's model for a message. Deprecated since 2026-07-28, where it travels in an
    /// [`InputRequiredResult`](crate::InputRequiredResult).
    ///
    /// Section: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    CreateMessageRequest = "sampling/createMessage" (CreateMessageRequestParams) -> CreateMessageResult;
}

object! {
    /// Parameters of `sampling/createMessage`. Text of the peer: show it to the user before a model gets it.
    pub struct CreateMessageRequestParams {
        /// The conversation. Not a [`List`]: one that misses a message is another conversation.
        messages: Vec<SamplingMessage>,
        /// The most tokens to make. The client may make fewer.
        max_tokens: u64,
        /// Which model the server would like. Advice only.
        model_preferences? with_model_preferences: ModelPreferences,
        /// A system prompt. The client may change it or leave it out.
        system_prompt? with_system_prompt: String,
        /// Which context of the client's servers to add. Absent means [`IncludeContext::None`].
        include_context? with_include_context: IncludeContext,
        /// The temperature.
        temperature? with_temperature: f64,
        /// Texts at which the model shall stop.
        stop_sequences? with_stop_sequences: Vec<String>,
        /// More, for the provider of the model.
        metadata? with_metadata: Json,
        /// Tools for the model. Refuse the request when the client has not declared `sampling.tools`.
        tools? with_tools: List<Tool> [since V2025_11_25],
        /// How the model shall use the tools. Refuse the request when the client has not declared `sampling.tools`.
        tool_choice? with_tool_choice: ToolChoice [since V2025_11_25],
        /// Asks for a task, and says how long to keep it.
        task? with_task: TaskMetadata [only V2025_11_25],
        /// Metadata.
        meta? with_meta as "_meta": Meta [until V2025_11_25],
    }
}

object! {
    /// The message that the model made.
    pub struct CreateMessageResult [for servers] {
        /// Who says it; the assistant.
        role: Role,
        /// What it says.
        content: SamplingContent,
        /// The model that made it.
        model: String,
        /// Why the model stopped.
        stop_reason? with_stop_reason: StopReason,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// A message of a conversation with a model.
    pub struct SamplingMessage {
        /// Who says it.
        role: Role,
        /// What it says.
        content: SamplingContent,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_11_25],
    }
}

/// One piece of content, or a list of them; written as it is. Only one piece until 2025-06-18.
///
/// [`SamplingContent::blocks`] makes no difference between the two.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingContent {
    /// One piece.
    One(SamplingMessageContentBlock),
    /// A list. Since 2025-11-25.
    Many(List<SamplingMessageContentBlock>),
}

impl SamplingContent {
    /// The pieces, in order.
    pub fn blocks(&self) -> &[SamplingMessageContentBlock] {
        match self {
            Self::One(block) => slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<T: Into<SamplingMessageContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<SamplingMessageContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingMessageContentBlock>) -> Self {
        Self::Many(blocks.into())
    }
}

impl Write for SamplingContent {
    fn node(&self) -> Node<'_> {
        match self {
            Self::One(block) => block.node(),
            Self::Many(blocks) => blocks.node(),
        }
    }
}

write::serialize_by_writing!(SamplingContent);

impl Read for SamplingContent {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(if reader.peek() == Some(b'[') {
            Self::Many(List::read(reader)?)
        } else {
            Self::One(SamplingMessageContentBlock::read(reader)?)
        })
    }
}

impl Blank for SamplingContent {
    const BLANK: Self = Self::Many(List::new());
}

read::deserialize_by_reading!(SamplingContent);

tagged_union! {
    /// A piece of a conversation with a model.
    pub enum SamplingMessageContentBlock by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// An image.
        Image(ImageContent) = "image",
        /// Audio. Since 2025-03-26.
        Audio(AudioContent) = "audio",
        /// A tool call that the model asks for. Since 2025-11-25.
        ToolUse(ToolUseContent) = "tool_use",
        /// The result of a tool call. Since 2025-11-25.
        ToolResult(ToolResultContent) = "tool_result",
    }
}

impl SamplingMessageContentBlock {
    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

open_enum! {
    /// Which context of the client's servers to add. All but `none` are deprecated.
    pub enum IncludeContext {
        /// None.
        None = "none",
        /// That of the asking server.
        ThisServer = "thisServer",
        /// That of all servers.
        AllServers = "allServers",
    }
}

open_enum! {
    /// Why a model stopped. Providers may have reasons of their own.
    pub enum StopReason {
        /// Its turn was over.
        EndTurn = "endTurn",
        /// A stop sequence came.
        StopSequence = "stopSequence",
        /// The limit of tokens was reached.
        MaxTokens = "maxTokens",
        /// It wants tools to be called. Since 2025-11-25.
        ToolUse = "toolUse",
    }
}

object! {
    /// Which model a server would like. Advice only.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Names of models; the first that fits counts.
        hints? with_hints: Vec<ModelHint>,
        /// How much low cost matters, from 0 (not) to 1 (most). Not checked.
        #[read(lenient)]
        cost_priority? with_cost_priority: f64,
        /// How much speed matters, from 0 (not) to 1 (most). Not checked.
        #[read(lenient)]
        speed_priority? with_speed_priority: f64,
        /// How much ability matters, from 0 (not) to 1 (most). Not checked.
        #[read(lenient)]
        intelligence_priority? with_intelligence_priority: f64,
    }
}

open_object! {
    /// A hint at a model.
    pub struct ModelHint {
        /// Part of the name of a model, such as a family. The client may map it to models of other providers.
        name? with_name as "name": String,
    }
}

object! {
    /// How a model shall use tools.
    #[derive(Default, Eq)]
    pub struct ToolChoice [since V2025_11_25] {
        /// Whether it may, must or must not. Absent means [`ToolChoiceMode::Auto`].
        mode? with_mode: ToolChoiceMode,
    }
}

open_enum! {
    /// Whether a model may, must or must not use tools.
    pub enum ToolChoiceMode [since V2025_11_25] {
        /// The model decides.
        Auto = "auto",
        /// It must use one at least.
        Required = "required",
        /// It must not.
        None = "none",
    }
}

impl ToolUseContent {
    /// The arguments as one JSON value, as [`CallToolRequestParams`](crate::CallToolRequestParams) takes them.
    pub fn arguments(&self) -> Json {
        Json::from(&self.input)
    }
}

impl ToolResultContent {
    /// Whether the call failed. Absent means no.
    pub fn is_error(&self) -> bool {
        self.is_error.unwrap_or(false)
    }
}

impl From<JsonObject> for ModelHint {
    fn from(members: JsonObject) -> Self {
        let name = members.get("name").and_then(|name| read::value(name).ok());
        let mut extra = members;
        while extra.remove("name").is_some() {}
        Self { name, extra }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_and_a_list_are_written_as_they_came() {
        for (text, pieces) in [
            (r#"{"role":"user","content":{"type":"text","text":"a"}}"#, 1),
            (r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#, 1),
            (
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{"n":9007199254740993}},{"type":"thought","x":1}],"_meta":{}}"#,
                2,
            ),
            (
                r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[{"type":"later"}],"structuredContent":null,"isError":true}]}"#,
                1,
            ),
        ] {
            let message: SamplingMessage = serde_json::from_str(text).unwrap();
            assert_eq!(message.content.blocks().len(), pieces);
            assert_eq!(serde_json::to_string(&message).unwrap(), text);
        }
    }

    #[test]
    fn a_conversation_that_misses_a_message_is_refused() {
        let text = r#"{"messages":[{"role":"user"}],"maxTokens":1}"#;
        assert!(serde_json::from_str::<CreateMessageRequestParams>(text).is_err());
    }

    #[test]
    fn hints_keep_what_providers_add() {
        let text = r#"{"hints":[{"name":"m","provider":"p"},{}],"costPriority":0.5}"#;
        let preferences: ModelPreferences = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&preferences).unwrap(), text);
    }

    #[test]
    fn a_message_is_made_of_its_parts() {
        let result = CreateMessageResult::new(Role::Assistant, TextContent::new("hi"), "m")
            .with_stop_reason(StopReason::EndTurn);
        assert_eq!(
            serde_json::to_string(&result).unwrap(),
            r#"{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"endTurn"}"#
        );
    }
}
