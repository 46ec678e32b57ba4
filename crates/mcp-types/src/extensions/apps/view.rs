//! What a view and its host say to each other, over a channel of their own (`postMessage` in a browser).
//!
//! Same source as the [module above](super). Besides these, a view may use `tools/call`, `resources/read`, `ping` and
//! `notifications/message` of the protocol itself.

use super::{ResourceCsp, ResourcePermissions};
use crate::{
    CallToolResult, ContentBlock, Empty, IconTheme, Implementation, Json, JsonObject, List, Map, Number,
    RequestId, Role, Tool,
};

requests! {
    /// View to host: opens the channel.
    InitializeRequest = "ui/initialize" (InitializeRequestParams) -> InitializeResult;
    /// View to host: open a URL for the user.
    OpenLinkRequest = "ui/open-link" (OpenLinkRequestParams) -> Outcome;
    /// View to host: put a message into the conversation.
    MessageRequest = "ui/message" (MessageRequestParams) -> Outcome;
    /// View to host: show the view otherwise.
    RequestDisplayModeRequest = "ui/request-display-mode" (DisplayModeParams) -> DisplayModeParams;
    /// View to host: what a model shall know in later turns. Replaces what the view said before.
    UpdateModelContextRequest = "ui/update-model-context" (UpdateModelContextRequestParams) -> Outcome;
    /// Host to view: the view will go away.
    ResourceTeardownRequest = "ui/resource-teardown" (ReasonParams) -> Outcome;
}

notifications! {
    /// View to host: the view is ready. The host says nothing before.
    InitializedNotification = "ui/notifications/initialized" (Empty);
    /// Host to view: the arguments of the call. Once, before the result.
    ToolInputNotification = "ui/notifications/tool-input" (ToolInputNotificationParams);
    /// Host to view: the arguments as far as the model has written them, closed so that they are JSON.
    ToolInputPartialNotification = "ui/notifications/tool-input-partial" (ToolInputNotificationParams);
    /// Host to view: the result of the call.
    ToolResultNotification = "ui/notifications/tool-result" (CallToolResult);
    /// Host to view: the call was cancelled.
    ToolCancelledNotification = "ui/notifications/tool-cancelled" (ReasonParams);
    /// View to host: the view has another size.
    SizeChangedNotification = "ui/notifications/size-changed" (SizeChangedNotificationParams);
    /// Host to view: some of the context has changed. Holds the changed members only.
    HostContextChangedNotification = "ui/notifications/host-context-changed" (HostContext);
    /// Sandbox to host: the sandbox is ready.
    SandboxProxyReadyNotification = "ui/notifications/sandbox-proxy-ready" (Empty);
    /// Host to sandbox: what to load.
    SandboxResourceReadyNotification = "ui/notifications/sandbox-resource-ready" (SandboxResourceReadyNotificationParams);
}

object! {
    /// Parameters of `ui/initialize`.
    pub struct InitializeRequestParams [extension] {
        /// Who the view is.
        app_info: Implementation,
        /// What the view can do.
        app_capabilities: AppCapabilities,
        /// The version of the extension: a date, such as `2026-01-26`.
        protocol_version: String,
    }
}

object! {
    /// The answer to `ui/initialize`.
    pub struct InitializeResult [extension] {
        /// The version of the extension: a date, such as `2026-01-26`.
        protocol_version: String,
        /// Who the host is.
        host_info: Implementation,
        /// What the host can do.
        host_capabilities: HostCapabilities,
        /// Where the view runs.
        host_context: HostContext,
    }
}

open_object! {
    /// What a view can do.
    pub struct AppCapabilities [extension] {
        /// It offers tools to the host.
        tools? with_tools as "tools": crate::ToolsCapability,
        /// How it can be shown.
        available_display_modes? with_available_display_modes as "availableDisplayModes": Vec<DisplayMode>,
        /// Capabilities outside the extension.
        experimental? with_experimental as "experimental": JsonObject,
    }
}

open_object! {
    /// What a host can do for a view.
    pub struct HostCapabilities [extension] {
        /// It opens links.
        open_links? with_open_links as "openLinks": JsonObject,
        /// It passes tool calls on to the server.
        server_tools? with_server_tools as "serverTools": crate::ToolsCapability,
        /// It passes reads of resources on to the server.
        server_resources? with_server_resources as "serverResources": crate::ResourcesCapability,
        /// It takes log messages.
        logging? with_logging as "logging": JsonObject,
        /// What it has granted.
        sandbox? with_sandbox as "sandbox": SandboxCapability,
        /// Capabilities outside the extension.
        experimental? with_experimental as "experimental": JsonObject,
    }
}

open_object! {
    /// What a host has granted to a view.
    pub struct SandboxCapability [extension] {
        /// Of what the view wants of the browser.
        permissions? with_permissions as "permissions": ResourcePermissions,
        /// Of the origins that the view needs.
        csp? with_csp as "csp": ResourceCsp,
    }
}

open_object! {
    /// Where a view runs.
    pub struct HostContext [extension] {
        /// The call that the view was made for.
        tool_info? with_tool_info as "toolInfo": ToolInfo,
        /// The colours of the host.
        theme? with_theme as "theme": IconTheme,
        /// How the host looks.
        styles? with_styles as "styles": HostStyles,
        /// How the view is shown.
        display_mode? with_display_mode as "displayMode": DisplayMode,
        /// How the host can show it.
        available_display_modes? with_available_display_modes as "availableDisplayModes": Vec<DisplayMode>,
        /// How much room there is.
        container_dimensions? with_container_dimensions as "containerDimensions": ContainerDimensions,
        /// The language, in BCP 47.
        locale? with_locale as "locale": String,
        /// The time zone, by its IANA name.
        time_zone? with_time_zone as "timeZone": String,
        /// What the host is.
        user_agent? with_user_agent as "userAgent": String,
        /// What the host runs on.
        platform? with_platform as "platform": Platform,
        /// What the device can do.
        device_capabilities? with_device_capabilities as "deviceCapabilities": DeviceCapabilities,
        /// Margins that the device covers, in pixels.
        safe_area_insets? with_safe_area_insets as "safeAreaInsets": SafeAreaInsets,
    }
}

object! {
    /// The call that a view was made for.
    pub struct ToolInfo [extension] {
        /// The tool.
        tool: Tool,
        /// The id of the `tools/call` request.
        id? with_id: RequestId,
    }
}

open_object! {
    /// How a host looks.
    pub struct HostStyles [extension] {
        /// CSS variables, such as `--color-text-primary`.
        variables? with_variables as "variables": Map<String>,
        /// CSS to put into the view: `fonts`.
        css? with_css as "css": Map<String>,
    }
}

open_object! {
    /// How much room there is, in pixels. A fixed size, or a greatest one, or neither, in each direction.
    pub struct ContainerDimensions [extension] {
        /// The height.
        height? with_height as "height": Number,
        /// The greatest height.
        max_height? with_max_height as "maxHeight": Number,
        /// The width.
        width? with_width as "width": Number,
        /// The greatest width.
        max_width? with_max_width as "maxWidth": Number,
    }
}

open_object! {
    /// What a device can do.
    pub struct DeviceCapabilities [extension] {
        /// It has a touch screen.
        touch? with_touch as "touch": bool,
        /// It has a pointer that can hover.
        hover? with_hover as "hover": bool,
    }
}

object! {
    /// Margins that a device covers, in pixels.
    pub struct SafeAreaInsets [extension] {
        /// At the top.
        top: f64,
        /// At the right.
        right: f64,
        /// At the bottom.
        bottom: f64,
        /// At the left.
        left: f64,
    }
}

open_enum! {
    /// How a view is shown.
    pub enum DisplayMode [extension] {
        /// In the conversation.
        Inline = "inline",
        /// On the whole screen.
        Fullscreen = "fullscreen",
        /// Above the rest.
        Pip = "pip",
    }
}

open_enum! {
    /// What a host runs on.
    pub enum Platform [extension] {
        /// A browser.
        Web = "web",
        /// A desktop.
        Desktop = "desktop",
        /// A phone or a tablet.
        Mobile = "mobile",
    }
}

object! {
    /// Parameters of `ui/open-link`.
    pub struct OpenLinkRequestParams [extension] {
        /// The URL. Of the server: untrusted.
        url: String,
    }
}

object! {
    /// Parameters of `ui/message`.
    pub struct MessageRequestParams [extension] {
        /// Who says it; the user.
        role: Role,
        /// What it says. Of the server: untrusted. One piece alone, as the text of the extension has it, is read too.
        #[read(one_or_list)]
        content: List<ContentBlock>,
    }
}

object! {
    /// How a view shall be, or is, shown: parameters and result of `ui/request-display-mode`.
    pub struct DisplayModeParams [extension] {
        /// The mode.
        mode: DisplayMode,
    }
}

object! {
    /// Parameters of `ui/update-model-context`.
    #[derive(Default)]
    pub struct UpdateModelContextRequestParams [extension] {
        /// For a model to read. Of the server: untrusted.
        content? with_content: List<ContentBlock>,
        /// The same as a value.
        structured_content? with_structured_content: JsonObject,
    }
}

object! {
    /// Why something ends: parameters of `ui/resource-teardown` and `ui/notifications/tool-cancelled`.
    #[derive(Default)]
    pub struct ReasonParams [extension] {
        /// Why, for people and logs.
        reason? with_reason: String,
    }
}

open_object! {
    /// The answer to a request that has nothing to tell.
    pub struct Outcome [extension] {
        /// It did not work. Absent means that it did.
        is_error? with_is_error as "isError": bool,
    }
}

object! {
    /// The arguments of a call.
    #[derive(Default)]
    pub struct ToolInputNotificationParams [extension] {
        /// The arguments.
        arguments? with_arguments: Json,
    }
}

object! {
    /// The size of a view, in pixels.
    #[derive(Default)]
    pub struct SizeChangedNotificationParams [extension] {
        /// The width.
        width? with_width: f64,
        /// The height.
        height? with_height: f64,
    }
}

object! {
    /// What a sandbox shall load.
    pub struct SandboxResourceReadyNotificationParams [extension] {
        /// The HTML. Of the server: untrusted.
        html: String,
        /// What to put into the `sandbox` attribute of the frame.
        sandbox? with_sandbox: String,
        /// The origins to allow.
        csp? with_csp: ResourceCsp,
        /// What to allow of the browser.
        permissions? with_permissions: ResourcePermissions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_learns_where_it_runs() {
        let text = r#"{"protocolVersion":"2026-01-26","hostInfo":{"name":"h","version":"1"},"hostCapabilities":{"openLinks":{},"serverTools":{"listChanged":true},"message":{"text":{}}},"hostContext":{"toolInfo":{"tool":{"name":"t","inputSchema":{"type":"object"}},"id":7},"theme":"dark","styles":{"variables":{"--font-sans":"x"}},"displayMode":"sidebar","x":1.50}}"#;
        let result: InitializeResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.host_context.display_mode, Some(DisplayMode::Other("sidebar".into())));
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    #[test]
    fn a_message_may_hold_one_piece_or_several() {
        let one: MessageRequestParams =
            serde_json::from_str(r#"{"role":"user","content":{"type":"text","text":"a"}}"#).unwrap();
        assert_eq!(one, MessageRequestParams::new(Role::User, [ContentBlock::text("a")]));
        let text = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"later"}]}"#;
        let several: MessageRequestParams = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&several).unwrap(), text);
    }
}
