use mcp_types::{Era, Revision};

use super::{Peer, Request};

/// Opening a connection as a well-behaved server does. `capabilities` is JSON text: `{"tools":{}}`.
impl Peer {
    /// Opens a legacy connection of `revision`, whatever the client asks for: refuses a probe (`server/discover`) if one
    /// comes, answers `initialize`, and waits for `notifications/initialized`. Gives back the `initialize` request.
    ///
    /// # Panics
    /// When the client does something else, or `revision` is of the modern era.
    pub async fn accept_legacy(&mut self, revision: Revision, capabilities: &str) -> Request {
        assert_eq!(revision.era(), Era::Legacy, "{revision} has no handshake; use `accept_modern`");
        let mut first = self.expect_request("`server/discover` or `initialize`").await;
        if first.method() == "server/discover" {
            first.reply_error(-32601, "Method not found");
            first = self.expect("initialize").await;
        } else if first.method() != "initialize" {
            self.unexpected("`server/discover` or `initialize`", &format!("{first:?}"));
        }
        first.reply(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{{"name":"scripted","version":"1.0.0"}}}}"#
        ));
        self.expect_notification("notifications/initialized").await;
        first
    }

    /// Opens a modern connection: answers `server/discover` with revision 2026-07-28. Gives back the request.
    ///
    /// # Panics
    /// When the client does something else.
    pub async fn accept_modern(&mut self, capabilities: &str) -> Request {
        let discover = self.expect("server/discover").await;
        discover.reply(format!(
            r#"{{"resultType":"complete","supportedVersions":["{}"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"scripted","version":"1.0.0"}}}}}}"#,
            Revision::V2026_07_28
        ));
        discover
    }
}
