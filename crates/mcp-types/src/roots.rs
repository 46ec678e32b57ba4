use crate::{List, Meta, NotificationParams, RequestParams};

requests! {
    /// Asks the client for its roots. Deprecated since 2026-07-28, where it travels in an
    /// [`InputRequiredResult`](crate::InputRequiredResult).
    ///
    /// Section: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    ListRootsRequest = "roots/list" (RequestParams) -> ListRootsResult;
}

notifications! {
    /// The list of roots has changed. Until 2025-11-25.
    RootsListChangedNotification = "notifications/roots/list_changed" (NotificationParams);
}

object! {
    /// The roots of a client.
    pub struct ListRootsResult [for servers] {
        /// The roots.
        roots: List<Root>,
        /// Metadata.
        meta? with_meta as "_meta": Meta [until V2025_11_25],
    }
}

object! {
    /// A folder or a file that a server may work on.
    pub struct Root [for servers] {
        /// The URI; a `file:` URI for now.
        uri: String,
        /// The name, for people.
        name? with_name: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta [since V2025_06_18],
    }
}

impl From<&str> for Root {
    fn from(uri: &str) -> Self {
        Self::new(uri)
    }
}

impl From<String> for Root {
    fn from(uri: String) -> Self {
        Self::new(uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_round_trip() {
        let text = r#"{"roots":[{"uri":"file:///a","name":"A","_meta":{"x":1}},{"uri":"file:///b"}]}"#;
        let result: ListRootsResult = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }
}
