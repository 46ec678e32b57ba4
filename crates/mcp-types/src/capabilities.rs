use crate::{
    Json, JsonObject, read,
    write::{Members, Node},
};

capability! {
    /// What a client can do. Not a closed set: capabilities that this crate does not know are in `extra`.
    ///
    /// Declared once in `initialize` until 2025-11-25, and in `_meta` of every request since 2026-07-28.
    /// Section: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).
    pub struct ClientCapabilities [for servers] {
        /// It can list roots.
        roots? with_roots as "roots": RootsCapability,
        /// It can ask a model.
        sampling? with_sampling as "sampling": SamplingCapability,
        /// It can ask the user.
        elicitation? with_elicitation as "elicitation": ElicitationCapability [since V2025_06_18],
        /// It can run requests as tasks.
        tasks? with_tasks as "tasks": ClientTasksCapability [only V2025_11_25],
        /// Extensions, each with its settings: an empty object is support without settings.
        extensions? with_extensions as "extensions": JsonObject [since V2026_07_28],
        /// Capabilities outside the specification, each an object.
        experimental? with_experimental as "experimental": JsonObject,
    }
}

capability! {
    /// What a server can do. Not a closed set: capabilities that this crate does not know are in `extra`.
    ///
    /// Section: [Discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).
    pub struct ServerCapabilities {
        /// It offers tools.
        tools? with_tools as "tools": ToolsCapability,
        /// It offers resources.
        resources? with_resources as "resources": ResourcesCapability,
        /// It offers prompts.
        prompts? with_prompts as "prompts": PromptsCapability,
        /// It completes arguments.
        completions? with_completions as "completions": JsonObject [since V2025_03_26],
        /// It sends log messages.
        logging? with_logging as "logging": JsonObject,
        /// It can run requests as tasks.
        tasks? with_tasks as "tasks": ServerTasksCapability [only V2025_11_25],
        /// Extensions, each with its settings: an empty object is support without settings.
        extensions? with_extensions as "extensions": JsonObject [since V2026_07_28],
        /// Capabilities outside the specification, each an object.
        experimental? with_experimental as "experimental": JsonObject,
    }
}

capability! {
    /// Settings of the tools capability.
    pub struct ToolsCapability {
        /// It tells when the list changes.
        list_changed? with_list_changed as "listChanged": bool,
    }
}

capability! {
    /// Settings of the resources capability.
    pub struct ResourcesCapability {
        /// It tells when a resource changes that the client has subscribed to.
        subscribe? with_subscribe as "subscribe": bool,
        /// It tells when the list changes.
        list_changed? with_list_changed as "listChanged": bool,
    }
}

capability! {
    /// Settings of the prompts capability.
    pub struct PromptsCapability {
        /// It tells when the list changes.
        list_changed? with_list_changed as "listChanged": bool,
    }
}

capability! {
    /// Settings of the roots capability.
    pub struct RootsCapability [for servers] {
        /// It tells when the list changes.
        list_changed? with_list_changed as "listChanged": bool [until V2025_11_25],
    }
}

capability! {
    /// Settings of the sampling capability.
    pub struct SamplingCapability [for servers] {
        /// It honours `includeContext` values other than `none`.
        context? with_context as "context": JsonObject [since V2025_11_25],
        /// It honours `tools` and `toolChoice`.
        tools? with_tools as "tools": JsonObject [since V2025_11_25],
    }
}

capability! {
    /// Settings of the elicitation capability. An empty object means form mode.
    pub struct ElicitationCapability [for servers since V2025_06_18] {
        /// It can show a form.
        form? with_form as "form": JsonObject [since V2025_11_25],
        /// It can send the user to a URL.
        url? with_url as "url": JsonObject [since V2025_11_25],
    }
}

impl ElicitationCapability {
    /// Whether form mode is supported: named, or meant by an object that names no mode.
    pub fn supports_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether URL mode is supported.
    pub fn supports_url(&self) -> bool {
        self.url.is_some()
    }
}

capability! {
    /// Which requests a client can run as tasks, and how they can be handled.
    pub struct ClientTasksCapability [for servers only V2025_11_25] {
        /// It answers `tasks/list`.
        list? with_list as "list": JsonObject,
        /// It answers `tasks/cancel`.
        cancel? with_cancel as "cancel": JsonObject,
        /// The requests.
        requests? with_requests as "requests": ClientTaskRequests,
    }
}

capability! {
    /// The requests to a client that can run as tasks.
    pub struct ClientTaskRequests [for servers only V2025_11_25] {
        /// Elicitation.
        elicitation? with_elicitation as "elicitation": ElicitationTaskRequests,
        /// Sampling.
        sampling? with_sampling as "sampling": SamplingTaskRequests,
    }
}

capability! {
    /// The elicitation requests that can run as tasks.
    pub struct ElicitationTaskRequests [for servers only V2025_11_25] {
        /// `elicitation/create`.
        create? with_create as "create": JsonObject,
    }
}

capability! {
    /// The sampling requests that can run as tasks.
    pub struct SamplingTaskRequests [for servers only V2025_11_25] {
        /// `sampling/createMessage`.
        create_message? with_create_message as "createMessage": JsonObject,
    }
}

capability! {
    /// Which requests a server can run as tasks, and how they can be handled.
    pub struct ServerTasksCapability [only V2025_11_25] {
        /// It answers `tasks/list`.
        list? with_list as "list": JsonObject,
        /// It answers `tasks/cancel`.
        cancel? with_cancel as "cancel": JsonObject,
        /// The requests.
        requests? with_requests as "requests": ServerTaskRequests,
    }
}

capability! {
    /// The requests to a server that can run as tasks.
    pub struct ServerTaskRequests [only V2025_11_25] {
        /// Tools.
        tools? with_tools as "tools": ToolTaskRequests,
    }
}

capability! {
    /// The tool requests that can run as tasks.
    pub struct ToolTaskRequests [only V2025_11_25] {
        /// `tools/call`. Each tool says more in [`ToolExecution`](crate::ToolExecution).
        call? with_call as "call": JsonObject,
    }
}

impl ClientCapabilities {
    /// The settings of the extension `id`, such as `io.modelcontextprotocol/ui`; `None` when it is not declared.
    pub fn extension(&self, id: &str) -> Option<&Json> {
        self.extensions.as_ref()?.get(id)
    }
}

impl ServerCapabilities {
    /// The settings of the extension `id`, such as `io.modelcontextprotocol/tasks`; `None` when it is not declared.
    pub fn extension(&self, id: &str) -> Option<&Json> {
        self.extensions.as_ref()?.get(id)
    }
}

/// Whether the member at `path` is there and set. Names may hold dots themselves, those of extensions do; so each prefix of the
/// path is tried as a name.
pub(crate) fn has(object: &dyn Members, path: &str) -> bool {
    let (mut set, mut within) = (false, false);
    object.visit(&mut |name, node| match path.strip_prefix(name) {
        // Of duplicates, the last one counts.
        Some("") => set = is_set(node),
        Some(rest) if rest.starts_with('.') => within |= holds(node, &rest[1..]),
        _ => {}
    });
    set || within
}

/// Whether a value counts as declared.
fn is_set(node: Node<'_>) -> bool {
    match node {
        Node::Absent | Node::Null => false,
        Node::Flag(value) => value,
        Node::Json(json) => !matches!(json.as_str(), "null" | "false"),
        _ => true,
    }
}

fn holds(node: Node<'_>, path: &str) -> bool {
    match node {
        Node::Object(object) => has(object, path),
        Node::Json(json) => read::value::<JsonObject>(json).is_ok_and(|object| has(&object, path)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> ServerCapabilities {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_capability_is_found_by_its_path() {
        let capabilities = server(
            r#"{"tools":{},"resources":{"subscribe":true,"listChanged":false},"logging":{},
                "tasks":{"list":{},"requests":{"tools":{"call":{}}}},
                "extensions":{"io.modelcontextprotocol/tasks":{}},"com.example":{"a":{"b":1}}}"#,
        );
        for path in [
            "tools",
            "resources",
            "resources.subscribe",
            "logging",
            "tasks.list",
            "tasks.requests.tools.call",
            "extensions.io.modelcontextprotocol/tasks",
            "com.example.a.b",
        ] {
            assert!(capabilities.has(path), "{path}");
        }
        for path in [
            "",
            "prompts",
            "tools.listChanged",
            "resources.listChanged",
            "resources.subscribe.x",
            "tasks.cancel",
            "extensions.io.modelcontextprotocol/ui",
            "com.example.a.c",
        ] {
            assert!(!capabilities.has(path), "{path}");
        }
    }

    #[test]
    fn unknown_and_malformed_capabilities_are_kept() {
        let text = r#"{"tools":true,"resources":{"subscribe":"yes"},"x":{"n":9007199254740993}}"#;
        let capabilities = server(text);
        assert!(capabilities.has("tools"));
        assert!(capabilities.tools.is_none());
        assert!(capabilities.has("resources.subscribe"));
        let back: JsonObject = serde_json::from_str(&serde_json::to_string(&capabilities).unwrap()).unwrap();
        let came: JsonObject = serde_json::from_str(text).unwrap();
        for (key, value) in came.iter() {
            assert_eq!(back.get(key), Some(value), "{key}");
        }
    }

    /// Field report T-05.
    #[test]
    fn null_is_absent_and_unset_is_not_written() {
        let capabilities = server(r#"{"tools":null,"resources":{"subscribe":null},"logging":{}}"#);
        assert!(capabilities.tools.is_none());
        assert_eq!(serde_json::to_string(&capabilities).unwrap(), r#"{"resources":{},"logging":{}}"#);
        let client = ClientCapabilities::new().with_sampling(SamplingCapability::new());
        assert_eq!(serde_json::to_string(&client).unwrap(), r#"{"sampling":{}}"#);
    }

    #[test]
    fn an_elicitation_capability_without_a_mode_means_forms() {
        let read = |text| serde_json::from_str::<ElicitationCapability>(text).unwrap();
        assert!(read("{}").supports_form() && !read("{}").supports_url());
        let url = read(r#"{"url":{}}"#);
        assert!(url.supports_url() && !url.supports_form());
    }
}
