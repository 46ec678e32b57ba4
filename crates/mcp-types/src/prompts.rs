use crate::{
    CacheScope, ContentBlock, Cursor, Icon, InputResponses, List, Map, Meta, NotificationParams,
    PaginatedRequestParams, ResultType, Role,
};

requests! {
    /// Lists the prompts that the server offers.
    ///
    /// Section: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
    ListPromptsRequest = "prompts/list" (PaginatedRequestParams) -> ListPromptsResult;
    /// Gets a prompt, filled in.
    GetPromptRequest = "prompts/get" (GetPromptRequestParams) -> GetPromptResult;
}

notifications! {
    /// The list of prompts has changed.
    PromptListChangedNotification = "notifications/prompts/list_changed" (NotificationParams);
}

object! {
    /// A prompt that a server offers. All texts are the server's: untrusted.
    ///
    /// Section: [Prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt).
    pub struct Prompt {
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
        /// What it is for.
        description? with_description: String,
        /// What it takes.
        arguments? with_arguments: List<PromptArgument>,
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

object! {
    /// An argument of a prompt.
    #[derive(Eq)]
    pub struct PromptArgument {
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
        /// What it is.
        description? with_description: String,
        /// Whether it must be given. Absent means no.
        required? with_required: bool,
    }
}

object! {
    /// One page of prompts.
    pub struct ListPromptsResult {
        /// The prompts.
        prompts: List<Prompt>,
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
    /// Parameters of `prompts/get`.
    pub struct GetPromptRequestParams [for servers] {
        /// The name of the prompt.
        name: String,
        /// The arguments: texts only.
        arguments? with_arguments: Map<String>,
        /// Answers to the input requests of the round before.
        input_responses? with_input_responses: InputResponses [since V2026_07_28],
        /// State of the server from the round before, as it came.
        request_state? with_request_state: String [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// A prompt, filled in.
    pub struct GetPromptResult {
        /// The messages to give to a model, in order. Text of the peer: untrusted.
        messages: List<PromptMessage>,
        /// What the prompt is for.
        description? with_description: String,
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// A message of a prompt.
    pub struct PromptMessage {
        /// Who says it.
        role: Role,
        /// What it says.
        content: ContentBlock,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report T-05.
    #[test]
    fn a_prompt_is_asked_for_without_unset_members() {
        assert_eq!(serde_json::to_string(&GetPromptRequestParams::new("p")).unwrap(), r#"{"name":"p"}"#);
    }

    #[test]
    fn messages_with_unknown_roles_and_contents_survive() {
        let text = r#"{"messages":[{"role":"system","content":{"type":"later","x":[]}},{"role":"user","content":{"type":"text","text":"t"}}]}"#;
        let result: GetPromptResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.messages[0].role, Role::Other("system".into()));
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    #[test]
    fn arguments_keep_their_order() {
        let params = GetPromptRequestParams::new("p").with_arguments([("z", "1"), ("a", "2")]);
        assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"name":"p","arguments":{"z":"1","a":"2"}}"#);
    }
}
