//! Every type of the crate that can describe itself, and every marker type.

use super::{Described, DescribedMethod, Lifetime, MethodTypes, Shape, TypeInfo};
#[allow(clippy::wildcard_imports, reason = "all of them; the lint does not see it in tests")]
use crate::{
    extensions::{apps, apps::view, skills, tasks},
    *,
};

macro_rules! infos {
    ($kind:ident: $($ty:ty,)*) => {
        &[$(<$ty as $kind>::INFO),*]
    };
}

/// The types that are not aliases.
#[rustfmt::skip]
pub fn types() -> &'static [TypeInfo] {
    infos![Described:
        CacheScope, CancelledNotificationParams, ClientCapabilities, ServerCapabilities, ToolsCapability,
        ResourcesCapability, PromptsCapability, RootsCapability, SamplingCapability, ElicitationCapability,
        ClientTasksCapability, ClientTaskRequests, ElicitationTaskRequests, SamplingTaskRequests,
        ServerTasksCapability, ServerTaskRequests, ToolTaskRequests, Implementation, Icon, IconTheme,
        Annotations, Role, ResultType, EmptyResult, CompleteRequestParams, CompletionReference, PromptReference,
        ResourceTemplateReference, CompletionArgument, CompletionContext, CompleteResult, Completion,
        ContentBlock, TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource, ToolUseContent,
        ToolResultContent, DiscoverResult, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitMode,
        ElicitResult, ElicitAction, ElicitationCompleteNotificationParams, UrlElicitationRequiredErrorData,
        ElicitationSchema, StringSchema, StringFormat, NumberSchema, NumberKind, BooleanSchema,
        UntitledSingleSelectEnumSchema, TitledSingleSelectEnumSchema, EnumOption, UntitledMultiSelectEnumSchema,
        UntitledItems, TitledMultiSelectEnumSchema, TitledItems, LegacyTitledEnumSchema,
        UnsupportedProtocolVersionErrorData, MissingRequiredClientCapabilityErrorData, InitializeRequestParams,
        InitializeResult, LoggingLevel, SetLevelRequestParams, LoggingMessageNotificationParams,
        InputRequiredResult, PaginatedRequestParams, ProgressNotificationParams, Prompt, PromptArgument,
        ListPromptsResult, GetPromptRequestParams, GetPromptResult, PromptMessage, Resource, ResourceTemplate,
        TextResourceContents, BlobResourceContents, ListResourcesResult, ListResourceTemplatesResult,
        ReadResourceRequestParams, ReadResourceResult, SubscribeRequestParams, UnsubscribeRequestParams,
        ResourceUpdatedNotificationParams, ListRootsResult, Root, CreateMessageRequestParams,
        CreateMessageResult, SamplingMessage, SamplingMessageContentBlock, IncludeContext, StopReason,
        ModelPreferences, ModelHint, ToolChoice, ToolChoiceMode, SubscriptionFilter,
        SubscriptionsListenRequestParams, SubscriptionsAcknowledgedNotificationParams,
        SubscriptionsListenResult, Task, TaskStatus, TaskMetadata, RelatedTaskMetadata, CreateTaskResult,
        TaskIdParams, ListTasksResult, Tool, ToolAnnotations, ToolExecution, TaskSupport, ListToolsResult,
        CallToolRequestParams, CallToolResult, tasks::Task, tasks::UpdateTaskRequestParams,
        skills::SkillsCapability, skills::Skill, skills::SkillResource, skills::ListSkillsResult,
        skills::GetSkillRequestParams, skills::GetSkillResult, skills::ReadResourceDirectoryRequestParams,
        skills::ReadResourceDirectoryResult, apps::ClientCapability, apps::ToolMeta, apps::Visibility,
        apps::ResourceMeta, apps::ResourceCsp, apps::ResourcePermissions, view::InitializeRequestParams,
        view::InitializeResult, view::AppCapabilities, view::HostCapabilities, view::SandboxCapability,
        view::HostContext, view::ToolInfo, view::HostStyles, view::ContainerDimensions,
        view::DeviceCapabilities, view::SafeAreaInsets, view::DisplayMode, view::Platform,
        view::OpenLinkRequestParams, view::MessageRequestParams, view::DisplayModeParams,
        view::UpdateModelContextRequestParams, view::ReasonParams, view::Outcome,
        view::ToolInputNotificationParams, view::SizeChangedNotificationParams,
        view::SandboxResourceReadyNotificationParams, ResourceContents, ElicitRequestParams, InputRequest,
        PrimitiveSchemaDefinition, SamplingContent, Empty,
    ]
}

/// The marker types of methods.
#[rustfmt::skip]
pub fn methods() -> &'static [MethodTypes] {
    infos![DescribedMethod:
        CancelledNotification, CompleteRequest, DiscoverRequest, ElicitRequest, ElicitationCompleteNotification,
        InitializeRequest, PingRequest, InitializedNotification, SetLevelRequest, LoggingMessageNotification,
        ProgressNotification, ListPromptsRequest, GetPromptRequest, PromptListChangedNotification,
        ListResourcesRequest, ListResourceTemplatesRequest, ReadResourceRequest, SubscribeRequest,
        UnsubscribeRequest, ResourceListChangedNotification, ResourceUpdatedNotification, ListRootsRequest,
        RootsListChangedNotification, CreateMessageRequest, SubscriptionsListenRequest,
        SubscriptionsAcknowledgedNotification, GetTaskRequest, GetTaskPayloadRequest, CancelTaskRequest,
        ListTasksRequest, TaskStatusNotification, ListToolsRequest, CallToolRequest,
        ToolListChangedNotification, tasks::GetTaskRequest, tasks::UpdateTaskRequest, tasks::CancelTaskRequest,
        tasks::TaskStatusNotification, skills::ListSkillsRequest, skills::GetSkillRequest,
        skills::ReadResourceDirectoryRequest, view::InitializeRequest, view::OpenLinkRequest,
        view::MessageRequest, view::RequestDisplayModeRequest, view::UpdateModelContextRequest,
        view::ResourceTeardownRequest, view::InitializedNotification, view::ToolInputNotification,
        view::ToolInputPartialNotification, view::ToolResultNotification, view::ToolCancelledNotification,
        view::SizeChangedNotification, view::HostContextChangedNotification,
        view::SandboxProxyReadyNotification, view::SandboxResourceReadyNotification,
    ]
}

/// Definitions of the schema that are the same type here, under the name of that type. `Json` and its kin are open JSON.
pub const ALIASES: &[(&str, &str)] = &[
    ("CancelTaskResult", "Task"),
    ("ElicitRequestURLParams", "ElicitRequestUrlParams"),
    ("Error", "JsonRpcError"),
    ("GetTaskPayloadResult", "Json"),
    ("GetTaskResult", "Task"),
    ("InputRequests", "Map<InputRequest>"),
    ("InputResponses", "JsonObject"),
    ("JSONArray", "Json"),
    ("JSONObject", "JsonObject"),
    ("JSONValue", "Json"),
    ("MetaObject", "Meta"),
    ("NotificationMetaObject", "Meta"),
    ("NotificationParams", "Empty"),
    ("RequestMetaObject", "Meta"),
    ("RequestParams", "Empty"),
    ("ResourceReference", "ResourceTemplateReference"),
    ("Result", "EmptyResult"),
    ("ResultMetaObject", "Meta"),
    ("SubscriptionsListenResultMetaObject", "Meta"),
    ("TaskStatusNotificationParams", "Task"),
];

macro_rules! unions {
    ($($name:ident, $lifetime:expr, $key:expr, $variants:expr;)*) => {
        $(
            impl Described for $name {
                const INFO: TypeInfo = TypeInfo {
                    name: stringify!($name),
                    lifetime: $lifetime,
                    shape: Shape::Union { key: $key, variants: $variants },
                };
            }
        )*
    };
}

unions! {
    ResourceContents, Lifetime::ALL, None, &[("text", "TextResourceContents"), ("blob", "BlobResourceContents")];
    ElicitRequestParams, lifetime!(since V2025_06_18), Some("mode"),
        &[("form", "ElicitRequestFormParams"), ("url", "ElicitRequestUrlParams")];
    InputRequest, lifetime!(since V2026_07_28), Some("method"), &[
        ("elicitation/create", "ElicitRequestParams"),
        ("sampling/createMessage", "CreateMessageRequestParams"),
        ("roots/list", "RequestParams"),
    ];
    SamplingContent, Lifetime::ALL, None,
        &[("{", "SamplingMessageContentBlock"), ("[", "List<SamplingMessageContentBlock>")];
    PrimitiveSchemaDefinition, lifetime!(since V2025_06_18), None, &[
        ("type=string", "StringSchema"),
        ("type=number", "NumberSchema"),
        ("type=integer", "NumberSchema"),
        ("type=boolean", "BooleanSchema"),
        ("enum", "UntitledSingleSelectEnumSchema"),
        ("oneOf", "TitledSingleSelectEnumSchema"),
        ("enumNames", "LegacyTitledEnumSchema"),
        ("items.enum", "UntitledMultiSelectEnumSchema"),
        ("items.anyOf", "TitledMultiSelectEnumSchema"),
    ];
}

impl Described for Empty {
    const INFO: TypeInfo = TypeInfo {
        name: "Empty",
        lifetime: Lifetime::ALL,
        shape: Shape::Object {
            members: &[super::MemberInfo {
                field: "meta",
                wire: Some("_meta"),
                presence: super::Presence::Optional,
                kind: "Meta",
                constant: None,
                lifetime: Lifetime::ALL,
            }],
            open: false,
        },
    };
}

#[cfg(test)]
mod tests {
    use std::{fs, io, path::Path};

    /// Lists are made by hand: whoever adds a type must add it there too.
    #[test]
    fn nothing_is_missing() {
        let source = read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))).unwrap();
        let count = |opening: &str| source.lines().filter(|line| *line == opening).count();
        let described = ["object! {", "open_object! {", "capability! {", "open_enum! {", "tagged_union! {"];
        let by_hand = 6;
        assert_eq!(super::types().len(), described.map(count).iter().sum::<usize>() + by_hand);
        let markers = source.lines().filter(|line| line.starts_with("    ") && is_marker(line)).count();
        assert_eq!(super::methods().len(), markers);
    }

    fn is_marker(line: &str) -> bool {
        let Some((name, rest)) = line.trim_start().split_once(" =") else { return false };
        let opens = rest.is_empty() || rest.starts_with(" \"") && rest.contains("\" (");
        opens && (name.ends_with("Request") || name.ends_with("Notification")) && !name.contains(' ')
    }

    fn read(folder: &Path) -> io::Result<String> {
        let mut source = String::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            source.push_str(&if path.is_dir() { read(&path)? } else { fs::read_to_string(&path)? });
        }
        Ok(source)
    }
}
