//! The `_meta` object, and the names of its reserved members.

use std::ops::{Deref, DerefMut};

use crate::{
    ClientCapabilities, Implementation, Json, JsonObject, LoggingLevel, ProgressToken, ProtocolVersion,
    RelatedTaskMetadata, RequestId,
    inventory::{Described, Lifetime, MemberInfo, Presence, Shape, TypeInfo},
    read::{self, Blank, Read, Reader},
    write::{Node, Write},
};

/// The keys of `_meta` that the specification reserves.
pub mod key {
    /// Asks for progress notifications with this token. In requests.
    pub const PROGRESS_TOKEN: &str = "progressToken";
    /// The revision that a request follows. In requests. Since 2026-07-28.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// Who sends a request. In requests. Since 2026-07-28.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// What the client can do, for this one request. In requests. Since 2026-07-28.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The lowest level of log messages that the client wants for a request. In requests. Since 2026-07-28.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// The id of the `subscriptions/listen` request that a notification belongs to. Since 2026-07-28.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// Who sends a result. In results. Since 2026-07-28.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The task that a message belongs to. Only in 2025-11-25.
    pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    /// In the result that creates a task: what the host may give its model meanwhile. Only in 2025-11-25.
    pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";
    /// W3C Trace Context: the parent span. Since 2026-07-28.
    pub const TRACEPARENT: &str = "traceparent";
    /// W3C Trace Context: data of tracing systems. Since 2026-07-28.
    pub const TRACESTATE: &str = "tracestate";
    /// W3C Baggage. Since 2026-07-28.
    pub const BAGGAGE: &str = "baggage";
}

/// The `_meta` object: open, in the order it came, with typed access to the reserved keys.
///
/// It dereferences to [`JsonObject`] for all other keys. A reserved key whose value is of the wrong kind reads as absent;
/// the raw value is still there. Schema: `MetaObject`, `RequestMetaObject`, `NotificationMetaObject`, `ResultMetaObject`.
/// Section: [General fields, `_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta(JsonObject);

crate::write::written_as!(Meta: meta => &meta.0;);
crate::write::serialize_by_writing!(Meta);

impl Meta {
    /// An object without members.
    pub const fn new() -> Self {
        Self(JsonObject::new())
    }

    /// The open object.
    pub fn into_object(self) -> JsonObject {
        self.0
    }

    /// The same with the member `key`.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Json>) -> Self {
        self.0.insert(key, value.into());
        self
    }

    fn member<T: Read>(&self, key: &str) -> Option<T> {
        read::value(self.0.get(key)?).ok()
    }

    fn write(mut self, key: &str, value: Node<'_>) -> Self {
        self.0.insert(key, Json::of(value));
        self
    }
}

/// Generates a getter and a setter for each reserved key, and the description of the object.
macro_rules! reserved {
    ($($(#[$attr:meta])* $get:ident, $with:ident: $ty:ty = $key:ident $([$($rev:tt)*])?;)*) => {
        impl Meta {
            $(
                $(#[$attr])*
                #[doc = concat!("\n\nKey: [`key::", stringify!($key), "`].")]
                $(#[doc = lifetime_text!($($rev)*)])?
                #[inline]
                pub fn $get(&self) -> Option<$ty> {
                    self.member(key::$key)
                }

                #[doc = concat!("The same with [`key::", stringify!($key), "`].")]
                pub fn $with(self, value: impl Into<$ty>) -> Self {
                    self.write(key::$key, Write::node(&<$ty>::from(value.into())))
                }
            )*
        }

        impl Described for Meta {
            const INFO: TypeInfo = TypeInfo {
                name: "Meta",
                lifetime: Lifetime::ALL,
                shape: Shape::Object {
                    members: &[
                        $(MemberInfo {
                            field: stringify!($get),
                            wire: Some(key::$key),
                            presence: Presence::Optional,
                            kind: stringify!($ty),
                            constant: None,
                            lifetime: lifetime!($($($rev)*)?),
                        },)*
                    ],
                    open: true,
                },
            };
        }
    };
}

reserved! {
    /// The token with which the sender wants progress notifications.
    progress_token, with_progress_token: ProgressToken = PROGRESS_TOKEN;
    /// The revision that the request follows.
    protocol_version, with_protocol_version: ProtocolVersion = PROTOCOL_VERSION [since V2026_07_28];
    /// Who sends the request; for display and logs, never for decisions.
    client_info, with_client_info: Implementation = CLIENT_INFO [since V2026_07_28];
    /// What the client can do, for this one request.
    client_capabilities, with_client_capabilities: ClientCapabilities = CLIENT_CAPABILITIES [since V2026_07_28];
    /// The lowest level of log messages that the client wants for the request.
    log_level, with_log_level: LoggingLevel = LOG_LEVEL [since V2026_07_28];
    /// The id of the `subscriptions/listen` request that the notification or result belongs to.
    subscription_id, with_subscription_id: RequestId = SUBSCRIPTION_ID [since V2026_07_28];
    /// Who sends the result; for display and logs, never for decisions.
    server_info, with_server_info: Implementation = SERVER_INFO [since V2026_07_28];
    /// The task of 2025-11-25 that the message belongs to.
    related_task, with_related_task: RelatedTaskMetadata = RELATED_TASK [only V2025_11_25];
    /// What the host may give its model while a task of 2025-11-25 runs.
    model_immediate_response, with_model_immediate_response: String = MODEL_IMMEDIATE_RESPONSE [only V2025_11_25];
    /// The parent span, as W3C Trace Context writes it.
    traceparent, with_traceparent: String = TRACEPARENT [since V2026_07_28];
    /// Data of tracing systems, as W3C Trace Context writes it.
    tracestate, with_tracestate: String = TRACESTATE [since V2026_07_28];
    /// Baggage, as W3C Baggage writes it.
    baggage, with_baggage: String = BAGGAGE [since V2026_07_28];
}

impl Read for Meta {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(Self(JsonObject::read(reader)?))
    }
}

impl Blank for Meta {
    const BLANK: Self = Self::new();
}

read::deserialize_by_reading!(Meta);

impl Deref for Meta {
    type Target = JsonObject;

    fn deref(&self) -> &JsonObject {
        &self.0
    }
}

impl DerefMut for Meta {
    fn deref_mut(&mut self) -> &mut JsonObject {
        &mut self.0
    }
}

impl From<JsonObject> for Meta {
    fn from(object: JsonObject) -> Self {
        Self(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_keys_are_typed_and_others_stay() {
        let text = r#"{"com.example/x":[1.50],"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let meta: Meta = serde_json::from_str(text).unwrap();
        assert_eq!(meta.progress_token(), Some(ProgressToken::from(7)));
        assert_eq!(meta.protocol_version(), Some(crate::Revision::V2026_07_28.into()));
        assert_eq!(serde_json::to_string(&meta).unwrap(), text);
        assert_eq!(meta.with_progress_token("t").progress_token(), Some(ProgressToken::from("t")));
    }

    #[test]
    fn a_reserved_key_of_the_wrong_kind_reads_as_absent_and_stays() {
        let meta: Meta = serde_json::from_str(r#"{"progressToken":{},"traceparent":null}"#).unwrap();
        assert_eq!(meta.progress_token(), None);
        assert_eq!(meta.traceparent(), None);
        assert_eq!(meta.get(key::PROGRESS_TOKEN).unwrap().as_str(), "{}");
    }
}
