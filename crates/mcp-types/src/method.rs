use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Era, Meta, Revision};

/// A request method: ties the name to its parameters and its result. Implement it to add a method of your own.
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

/// Parameters or a result without members of their own. Schema: `EmptyResult`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Empty {
    /// Metadata.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Empty {
    /// Without members.
    pub const fn new() -> Self {
        Self { meta: None }
    }

    /// The same with metadata.
    pub fn with_meta(mut self, meta: impl Into<Meta>) -> Self {
        self.meta = Some(meta.into());
        self
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
}

impl MethodInfo {
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
    MethodInfo { name, kind, direction, since, until, capability }
}

/// Most used first: the lookup is linear.
#[rustfmt::skip]
static METHODS: [MethodInfo; 34] = [
    row("notifications/progress", Note, Both, (R1, R5), None),
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
    row("roots/list", Req, ToClient, (R1, R4), Some(("roots", R1))),
    row("sampling/createMessage", Req, ToClient, (R1, R4), Some(("sampling", R1))),
    row("elicitation/create", Req, ToClient, (R3, R4), Some(("elicitation", R3))),
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
