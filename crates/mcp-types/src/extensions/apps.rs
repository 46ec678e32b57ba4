//! The apps extension, `io.modelcontextprotocol/ui`: tools with an interactive view that the host shows.
//!
//! Source: `specification/2026-01-26/apps.mdx` (SEP-1865) of
//! [`modelcontextprotocol/ext-apps`](https://github.com/modelcontextprotocol/ext-apps) at
//! `1f84764639507b943a67471a192d163fb4a7d89f`, and `src/spec.types.ts` there at
//! `022195dfc3a39f7e8010539ded491ad1a5a78e32` for what the text leaves open. Here is what stands in the messages between
//! client and server; what a view and its host say to each other is in [`view`]. Names leave out the prefix `McpUi`.
//! Running a view in a sandbox is the host's work.

pub mod view;

use crate::{Json, JsonObject, Meta, Tool, read};

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/ui";

/// The MIME type of a view.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// The scheme of the URI of a view, with its slashes.
pub const URI_SCHEME: &str = "ui://";

/// The member of `_meta` that the extension uses, on tools, resources and resource contents.
pub const META_KEY: &str = "ui";

/// The older member of a tool's `_meta`: the URI alone.
pub const META_KEY_RESOURCE_URI: &str = "ui/resourceUri";

open_object! {
    /// The settings of the extension, as a client declares them.
    pub struct ClientCapability [extension] {
        /// The MIME types of the views that the host can show. Required; [`MIME_TYPE`] must be among them.
        mime_types? with_mime_types as "mimeTypes": Vec<String>,
    }
}

open_object! {
    /// What a tool says about its view, in `_meta`.
    pub struct ToolMeta [extension] {
        /// The URI of the view. Absent when the tool only serves views.
        resource_uri? with_resource_uri as "resourceUri": String,
        /// Who may call the tool. Absent means both.
        visibility? with_visibility as "visibility": Vec<Visibility>,
    }
}

impl ToolMeta {
    /// What `tool` says, if it says anything. The older form of the member is read too.
    #[inline]
    pub fn of(tool: &Tool) -> Option<Self> {
        let meta = tool.meta.as_ref()?;
        let mut ui: Option<Self> = meta.get(META_KEY).and_then(|json| read::value(json).ok());
        let older = meta.get(META_KEY_RESOURCE_URI).and_then(|json| read::value(json).ok());
        if let Some(uri) = older.filter(|_| ui.as_ref().is_none_or(|ui| ui.resource_uri.is_none())) {
            ui.get_or_insert_default().resource_uri = Some(uri);
        }
        ui
    }

    /// Whether a model may see and call the tool.
    pub fn is_for_model(&self) -> bool {
        self.is_for(&Visibility::Model)
    }

    /// Whether views of the same server may call the tool.
    pub fn is_for_app(&self) -> bool {
        self.is_for(&Visibility::App)
    }

    fn is_for(&self, caller: &Visibility) -> bool {
        self.visibility.as_ref().is_none_or(|callers| callers.contains(caller))
    }
}

open_enum! {
    /// Who may call a tool.
    pub enum Visibility [extension] {
        /// A model.
        Model = "model",
        /// A view of the same server.
        App = "app",
    }
}

open_object! {
    /// What a resource says about the view that it holds, in `_meta`. Wishes of the server: the host decides.
    pub struct ResourceMeta [extension] {
        /// The origins that the view needs. Absent means none.
        csp? with_csp as "csp": ResourceCsp,
        /// What the view wants of the browser.
        permissions? with_permissions as "permissions": ResourcePermissions,
        /// An origin of its own for the view, in a form that depends on the host.
        domain? with_domain as "domain": String,
        /// Whether to draw a border. Absent leaves it to the host.
        prefers_border? with_prefers_border as "prefersBorder": bool,
    }
}

impl ResourceMeta {
    /// What the `_meta` of a resource, or of its contents, says about a view. Contents come before the list.
    #[inline]
    pub fn of(meta: &Meta) -> Option<Self> {
        read::value(meta.get(META_KEY)?).ok()
    }
}

open_object! {
    /// The origins that a view needs. Those that are not named stay closed.
    pub struct ResourceCsp [extension] {
        /// For requests: `connect-src`.
        connect_domains? with_connect_domains as "connectDomains": Vec<String>,
        /// For images, scripts, styles, fonts, media.
        resource_domains? with_resource_domains as "resourceDomains": Vec<String>,
        /// For frames: `frame-src`.
        frame_domains? with_frame_domains as "frameDomains": Vec<String>,
        /// For the base of the document: `base-uri`.
        base_uri_domains? with_base_uri_domains as "baseUriDomains": Vec<String>,
    }
}

open_object! {
    /// What a view wants of the browser: each member, if it is there.
    pub struct ResourcePermissions [extension] {
        /// The camera.
        camera? with_camera as "camera": JsonObject,
        /// The microphone.
        microphone? with_microphone as "microphone": JsonObject,
        /// Where the user is.
        geolocation? with_geolocation as "geolocation": JsonObject,
        /// Writing to the clipboard.
        clipboard_write? with_clipboard_write as "clipboardWrite": JsonObject,
    }
}

impl ClientCapability {
    /// The settings of a host that shows HTML views.
    pub fn html() -> Self {
        Self::new().with_mime_types([MIME_TYPE.to_owned()])
    }
}

impl From<ClientCapability> for Json {
    fn from(settings: ClientCapability) -> Self {
        Self::encode(&settings).expect("types of the schema can always be written as JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(meta: &str) -> Tool {
        serde_json::from_str(&format!(r#"{{"name":"t","inputSchema":{{"type":"object"}},"_meta":{meta}}}"#))
            .unwrap()
    }

    #[test]
    fn a_tool_says_who_may_call_it_and_what_shows_it() {
        let ui = ToolMeta::of(&tool(r#"{"ui":{"resourceUri":"ui://a","visibility":["app","robot"],"x":1}}"#))
            .unwrap();
        assert_eq!(ui.resource_uri.as_deref(), Some("ui://a"));
        assert!(ui.is_for_app() && !ui.is_for_model());
        assert_eq!(ToolMeta::of(&tool("{}")), None);
        let older = ToolMeta::of(&tool(r#"{"ui/resourceUri":"ui://b"}"#)).unwrap();
        assert_eq!(older.resource_uri.as_deref(), Some("ui://b"));
        assert!(older.is_for_app() && older.is_for_model());
        let both =
            ToolMeta::of(&tool(r#"{"ui":{"resourceUri":"ui://a"},"ui/resourceUri":"ui://b"}"#)).unwrap();
        assert_eq!(both.resource_uri.as_deref(), Some("ui://a"));
    }

    #[test]
    fn a_resource_says_what_its_view_needs() {
        let meta: Meta = serde_json::from_str(
            r#"{"ui":{"csp":{"connectDomains":["https://x"]},"permissions":{"camera":{},"tools":{}},"prefersBorder":true}}"#,
        )
        .unwrap();
        let ui = ResourceMeta::of(&meta).unwrap();
        let permissions = ui.permissions.as_ref().unwrap();
        assert!(permissions.camera.is_some() && permissions.microphone.is_none());
        assert!(permissions.extra.get("tools").is_some());
        assert_eq!(Some(Json::encode(&ui).unwrap()).as_ref(), meta.get(META_KEY));
    }

    #[test]
    fn a_host_declares_what_it_can_show() {
        assert_eq!(
            Json::from(ClientCapability::html()).as_str(),
            r#"{"mimeTypes":["text/html;profile=mcp-app"]}"#
        );
    }
}
