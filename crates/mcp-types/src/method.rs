use serde_core::{Serialize, de::DeserializeOwned};

use crate::{Era, Meta, Revision};

/// A request method: ties the name to its parameters and its result. Implement it to add a method of your own.
///
/// ```
/// use mcp_types::Request;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Words {
///     words: Vec<String>,
/// }
///
/// struct Sort;
///
/// impl Request for Sort {
///     const METHOD: &'static str = "com.example/sort";
///     type Params = Words;
///     type Result = Words;
/// }
/// ```
pub trait Request: 'static {
    /// The name on the wire.
    const METHOD: &'static str;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Send + 'static;
    /// The type of `result`, when its `resultType` is `complete` or absent.
    type Result: Serialize + DeserializeOwned + Send + 'static;
}

/// A notification method: ties the name to its parameters. Implement it to add a method of your own.
pub trait Notification: 'static {
    /// The name on the wire.
    const METHOD: &'static str;
    /// The type of `params`.
    type Params: Serialize + DeserializeOwned + Send + 'static;
}

object! {
    /// Parameters or a result without members of their own. Schema: `EmptyResult`.
    #[derive(Default, Eq)]
    pub struct Empty {
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// Who may send a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Client to server.
    ToServer,
    /// Server to client.
    ToClient,
    /// Either.
    Both,
}

/// Whether a method is a request or a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// Wants a response.
    Request,
    /// Wants none.
    Notification,
}

/// What the specification says about a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: MethodKind,
    /// Who sends it.
    pub direction: Direction,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it.
    pub until: Revision,
    /// The capability of the receiver that a request needs, as a path (`resources.subscribe`), and the first revision
    /// in which that capability is declared.
    pub capability: Option<(&'static str, Revision)>,
    /// A narrower direction, and the first revision that has it. See [`MethodInfo::direction_in`].
    pub narrowed: Option<(Direction, Revision)>,
    /// The first revision in which the method stands in an [`InputRequiredResult`](crate::InputRequiredResult) instead of
    /// travelling as a message of its own.
    pub embedded_since: Option<Revision>,
}

impl MethodInfo {
    /// Who may send it in `revision`; `None` when that revision does not have it as a message.
    pub fn direction_in(&self, revision: Revision) -> Option<Direction> {
        if !self.exists_in(revision) {
            return None;
        }
        Some(match self.narrowed {
            Some((direction, since)) if since <= revision => direction,
            _ => self.direction,
        })
    }

    /// Whether `revision` has the method.
    pub fn exists_in(&self, revision: Revision) -> bool {
        self.since <= revision && revision <= self.until
    }

    /// Whether any revision of `era` has the method.
    pub fn exists_in_era(&self, era: Era) -> bool {
        Revision::ALL.into_iter().any(|revision| revision.era() == era && self.exists_in(revision))
    }
}

/// What the specification says about the method `name`; `None` for methods of extensions and of users.
pub fn method(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|info| info.name == name)
}

/// All methods of the specification, in no particular order. Those of extensions are not among them.
pub fn methods() -> &'static [MethodInfo] {
    &METHODS
}

use Direction::{Both, ToClient, ToServer};
use MethodKind::{Notification as Note, Request as Req};
use Revision::{
    V2024_11_05 as R1, V2025_03_26 as R2, V2025_06_18 as R3, V2025_11_25 as R4, V2026_07_28 as R5,
};

const fn row(
    name: &'static str,
    kind: MethodKind,
    direction: Direction,
    (since, until): (Revision, Revision),
    capability: Option<(&'static str, Revision)>,
) -> MethodInfo {
    MethodInfo { name, kind, direction, since, until, capability, narrowed: None, embedded_since: None }
}

impl MethodInfo {
    const fn narrowed(mut self, direction: Direction, since: Revision) -> Self {
        self.narrowed = Some((direction, since));
        self
    }

    const fn embedded(mut self, since: Revision) -> Self {
        self.embedded_since = Some(since);
        self
    }
}

/// Most used first: the lookup is linear.
#[rustfmt::skip]
static METHODS: [MethodInfo; 34] = [
    row("notifications/progress", Note, Both, (R1, R5), None).narrowed(ToClient, R5),
    row("tools/call", Req, ToServer, (R1, R5), Some(("tools", R1))),
    row("tools/list", Req, ToServer, (R1, R5), Some(("tools", R1))),
    row("notifications/message", Note, ToClient, (R1, R5), None),
    row("notifications/cancelled", Note, Both, (R1, R5), None),
    row("resources/read", Req, ToServer, (R1, R5), Some(("resources", R1))),
    row("resources/list", Req, ToServer, (R1, R5), Some(("resources", R1))),
    row("resources/templates/list", Req, ToServer, (R1, R5), Some(("resources", R1))),
    row("resources/subscribe", Req, ToServer, (R1, R4), Some(("resources.subscribe", R1))),
    row("resources/unsubscribe", Req, ToServer, (R1, R4), Some(("resources.subscribe", R1))),
    row("prompts/get", Req, ToServer, (R1, R5), Some(("prompts", R1))),
    row("prompts/list", Req, ToServer, (R1, R5), Some(("prompts", R1))),
    row("completion/complete", Req, ToServer, (R1, R5), Some(("completions", R2))),
    row("logging/setLevel", Req, ToServer, (R1, R4), Some(("logging", R1))),
    row("ping", Req, Both, (R1, R4), None),
    row("initialize", Req, ToServer, (R1, R4), None),
    row("server/discover", Req, ToServer, (R5, R5), None),
    row("subscriptions/listen", Req, ToServer, (R5, R5), None),
    row("roots/list", Req, ToClient, (R1, R4), Some(("roots", R1))).embedded(R5),
    row("sampling/createMessage", Req, ToClient, (R1, R4), Some(("sampling", R1))).embedded(R5),
    row("elicitation/create", Req, ToClient, (R3, R4), Some(("elicitation", R3))).embedded(R5),
    row("tasks/get", Req, Both, (R4, R4), Some(("tasks", R4))),
    row("tasks/result", Req, Both, (R4, R4), Some(("tasks", R4))),
    row("tasks/list", Req, Both, (R4, R4), Some(("tasks.list", R4))),
    row("tasks/cancel", Req, Both, (R4, R4), Some(("tasks.cancel", R4))),
    row("notifications/initialized", Note, ToServer, (R1, R4), None),
    row("notifications/roots/list_changed", Note, ToServer, (R1, R4), None),
    row("notifications/tools/list_changed", Note, ToClient, (R1, R5), None),
    row("notifications/prompts/list_changed", Note, ToClient, (R1, R5), None),
    row("notifications/resources/list_changed", Note, ToClient, (R1, R5), None),
    row("notifications/resources/updated", Note, ToClient, (R1, R5), None),
    row("notifications/elicitation/complete", Note, ToClient, (R4, R4), None),
    row("notifications/tasks/status", Note, Both, (R4, R4), None),
    row("notifications/subscriptions/acknowledged", Note, ToClient, (R5, R5), None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lifetimes_make_sense() {
        for (place, info) in METHODS.iter().enumerate() {
            assert!(METHODS[..place].iter().all(|other| other.name != info.name), "{}", info.name);
            assert!(info.since <= info.until, "{}", info.name);
            let is_note = info.name.starts_with("notifications/");
            assert_eq!(is_note, info.kind == MethodKind::Notification, "{}", info.name);
            assert!(!is_note || info.capability.is_none(), "{}", info.name);
            if let Some((_, since)) = info.capability {
                assert!(info.since <= since && since <= info.until, "{}", info.name);
            }
        }
    }

    #[test]
    fn capabilities_are_paths_that_the_types_know() {
        use crate::{ClientCapabilities, ServerCapabilities};
        let server = r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"tasks":{"list":{},"cancel":{}}}"#;
        let server: ServerCapabilities = serde_json::from_str(server).unwrap();
        let client = r#"{"roots":{},"sampling":{},"elicitation":{},"tasks":{"list":{},"cancel":{}}}"#;
        let client: ClientCapabilities = serde_json::from_str(client).unwrap();
        assert!(server.extra.is_empty() && client.extra.is_empty());
        for info in &METHODS {
            let Some((path, _)) = info.capability else { continue };
            assert!(info.direction == ToClient || server.has(path), "{path}");
            assert!(info.direction == ToServer || client.has(path), "{path}");
        }
    }

    #[test]
    fn directions_narrow_with_the_revision() {
        let progress = method("notifications/progress").unwrap();
        assert_eq!(progress.direction_in(Revision::V2025_11_25), Some(Both));
        assert_eq!(progress.direction_in(Revision::V2026_07_28), Some(ToClient));
        let roots = method("roots/list").unwrap();
        assert_eq!(roots.direction_in(Revision::V2025_11_25), Some(ToClient));
        assert_eq!(roots.direction_in(Revision::V2026_07_28), None);
        assert_eq!(roots.embedded_since, Some(Revision::V2026_07_28));
        assert!(!roots.exists_in_era(Era::Modern) && roots.exists_in_era(Era::Legacy));
    }

    /// A marker for every row, with the name of the row.
    #[test]
    fn every_method_has_a_marker_type() {
        use crate::*;
        fn request<M: Request>() -> &'static str {
            M::METHOD
        }
        fn note<M: Notification>() -> &'static str {
            M::METHOD
        }
        let mut markers = vec![
            request::<CallToolRequest>(),
            request::<ListToolsRequest>(),
            request::<ReadResourceRequest>(),
            request::<ListResourcesRequest>(),
            request::<ListResourceTemplatesRequest>(),
            request::<SubscribeRequest>(),
            request::<UnsubscribeRequest>(),
            request::<GetPromptRequest>(),
            request::<ListPromptsRequest>(),
            request::<CompleteRequest>(),
            request::<SetLevelRequest>(),
            request::<PingRequest>(),
            request::<InitializeRequest>(),
            request::<DiscoverRequest>(),
            request::<SubscriptionsListenRequest>(),
            request::<ListRootsRequest>(),
            request::<CreateMessageRequest>(),
            request::<ElicitRequest>(),
            request::<GetTaskRequest>(),
            request::<GetTaskPayloadRequest>(),
            request::<ListTasksRequest>(),
            request::<CancelTaskRequest>(),
            note::<ProgressNotification>(),
            note::<LoggingMessageNotification>(),
            note::<CancelledNotification>(),
            note::<InitializedNotification>(),
            note::<RootsListChangedNotification>(),
            note::<ToolListChangedNotification>(),
            note::<PromptListChangedNotification>(),
            note::<ResourceListChangedNotification>(),
            note::<ResourceUpdatedNotification>(),
            note::<ElicitationCompleteNotification>(),
            note::<TaskStatusNotification>(),
            note::<SubscriptionsAcknowledgedNotification>(),
        ];
        let mut rows: Vec<_> = METHODS.iter().map(|info| info.name).collect();
        markers.sort_unstable();
        rows.sort_unstable();
        assert_eq!(markers, rows);
    }
}
