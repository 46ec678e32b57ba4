use crate::{
    ClientCapabilities, EmptyResult, Implementation, Meta, NotificationParams, ProtocolVersion,
    RequestParams, ServerCapabilities,
};

requests! {
    /// Opens a connection of the legacy era. Until 2025-11-25.
    ///
    /// Section: [Lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).
    InitializeRequest = "initialize" (InitializeRequestParams) -> InitializeResult;
    /// Asks the peer whether it is there. Until 2025-11-25.
    ///
    /// Section: [Ping](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping).
    PingRequest = "ping" (RequestParams) -> EmptyResult;
}

notifications! {
    /// The client has read the server's answer to `initialize`; requests may follow. Until 2025-11-25.
    InitializedNotification = "notifications/initialized" (NotificationParams);
}

object! {
    /// Parameters of `initialize`.
    pub struct InitializeRequestParams [for servers until V2025_11_25] {
        /// The revision that the client wants: the newest it knows, or an older one that it insists on.
        protocol_version: ProtocolVersion,
        /// What the client can do.
        capabilities: ClientCapabilities,
        /// Who the client is.
        client_info: Implementation,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// The server's answer to `initialize`.
    pub struct InitializeResult [until V2025_11_25] {
        /// The revision that the server wants to speak. A client that does not know it must disconnect.
        protocol_version: ProtocolVersion,
        /// What the server can do.
        capabilities: ServerCapabilities,
        /// Who the server is.
        server_info: Implementation,
        /// Hints for a model on how to use the server. Text of the peer: untrusted.
        instructions? with_instructions: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Revision;

    /// Field report T-05.
    #[test]
    fn what_is_not_set_is_not_on_the_wire() {
        let params = InitializeRequestParams::new(
            Revision::V2025_11_25,
            ClientCapabilities::new().with_roots(crate::RootsCapability::new()),
            Implementation::new("agent", "1.0.0"),
        );
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"agent","version":"1.0.0"}}"#
        );
    }

    /// Field report T-05.
    #[test]
    fn null_on_an_optional_member_is_absent() {
        let result: InitializeResult = serde_json::from_str(
            r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":null},
                "serverInfo":{"name":"s","version":"1","title":null,"icons":null},"instructions":null,"_meta":null}"#,
        )
        .unwrap();
        assert_eq!(result.protocol_version.known(), Some(Revision::V2024_11_05));
        assert_eq!(result.instructions, None);
        assert_eq!(result.server_info, Implementation::new("s", "1"));
    }
}
