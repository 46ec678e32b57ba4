//! Every type of the crate that can describe itself, and every marker type.

use super::{
    Codec, Described, DescribedMethod, Lifetime, MemberInfo, MethodTypes,
    Presence::{self, Optional, Required},
    Shape, TypeInfo,
};
#[allow(clippy::wildcard_imports, reason = "all of them; the lint does not see it in tests")]
use crate::{
    extensions::{apps, apps::view, skills, tasks},
    *,
};

macro_rules! types {
    ($($ty:ty,)*) => {
        /// The types that are not aliases.
        pub fn types() -> &'static [TypeInfo] {
            &[$(<$ty as Described>::INFO),*]
        }

        /// How to read and write the types, in the order of `types`.
        // Compiled with who calls it, not with this crate: it takes most of a minute.
        #[inline]
        pub fn codecs() -> Vec<Codec> {
            vec![$(Codec::of::<$ty>()),*]
        }
    };
}

macro_rules! markers {
    ($($ty:ty,)*) => {
        /// The marker types of methods.
        pub fn methods() -> &'static [MethodTypes] {
            &[$(<$ty as DescribedMethod>::INFO),*]
        }

        /// The whole names of the marker types, in the order of `methods`.
        #[inline]
        pub fn method_paths() -> Vec<&'static str> {
            vec![$(std::any::type_name::<$ty>()),*]
        }
    };
}

#[rustfmt::skip]
types! {
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
    PrimitiveSchemaDefinition, SamplingContent, Empty, JsonRpcError, Meta,
}

#[rustfmt::skip]
markers! {
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
}

/// Definitions of the schema that are the same type here, under the name of that type. `Json` and its kin are open JSON.
pub const ALIASES: &[(&str, &str)] = &[
    ("CancelTaskResult", "Task"),
    ("ElicitRequestURLParams", "ElicitRequestUrlParams"),
    ("Error", "JsonRpcError"),
    ("GetTaskPayloadResult", "Json"),
    ("GetTaskResult", "Task"),
    ("InputRequests", "Map<InputRequest>"),
    ("InputResponses", "Map<Json>"),
    ("JSONArray", "Json"),
    ("JSONObject", "Map<Json>"),
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

macro_rules! codes {
    ($($name:ident,)*) => {
        /// The constants of [`ErrorCode`]: the name, and the code.
        pub const CODES: &[(&str, i64)] = &[$((stringify!($name), ErrorCode::$name.0)),*];
    };
}

codes! {
    PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR, RESOURCE_NOT_FOUND,
    HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION, URL_ELICITATION_REQUIRED,
}

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

impl Described for JsonRpcError {
    const INFO: TypeInfo = TypeInfo {
        name: "JsonRpcError",
        lifetime: Lifetime::ALL,
        shape: Shape::Object {
            members: &[
                member("code", None, Required, "ErrorCode"),
                member("message", None, Required, "String"),
                member("data", None, Optional, "Json"),
            ],
            open: false,
        },
    };
}

const fn member(
    field: &'static str,
    wire: Option<&'static str>,
    presence: Presence,
    kind: &'static str,
) -> MemberInfo {
    MemberInfo { field, wire, presence, kind, constant: None, lifetime: Lifetime::ALL }
}
