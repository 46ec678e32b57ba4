//! Official extensions of the protocol, each with its source. None of them belongs to a revision.
//!
//! A peer declares an extension under its identifier in `capabilities.extensions`; see
//! [`ServerCapabilities::extension`](crate::ServerCapabilities::extension).
//! Section: [Extension negotiation](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation).

pub mod apps;
pub mod skills;
pub mod tasks;

/// The identifier of the extension that defines `method`; `None` for methods of the specification and of users.
///
/// `tasks/get` and `tasks/cancel` are methods of 2025-11-25 and, with other shapes, of the tasks extension; here they
/// count as the extension's.
pub fn extension_of(method: &str) -> Option<&'static str> {
    match method {
        "tasks/get" | "tasks/update" | "tasks/cancel" | "notifications/tasks" => Some(tasks::ID),
        "skills/list" | "skills/get" | "resources/directory/read" => Some(skills::ID),
        _ if method.starts_with("ui/") => Some(apps::ID),
        _ => None,
    }
}
