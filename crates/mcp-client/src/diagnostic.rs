use mcp_protocol::connection::Dropped;
use mcp_transport::{Skipped, TransportError};

/// Something odd that a server did, or that was lost; the connection goes on.
///
/// Delivered in order to the callback of [`ClientBuilder::on_diagnostic`](crate::ClientBuilder::on_diagnostic).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Diagnostic {
    /// Input that is no message: a banner, a log line, broken JSON.
    Skipped(Skipped),
    /// A message that belongs to nothing: a late reply, a reply to no call, a batch where there are none.
    Dropped(Dropped),
    /// A message of ours that belongs to no call could not be delivered.
    Undelivered {
        /// Its method, unless it was a response.
        method: Option<String>,
        /// What happened to it.
        error: TransportError,
    },
    /// The server lost the session (legacy era, over HTTP); a new one is being started. Calls that were on their way to an
    /// answer fail; those that the server refused for that reason are sent again.
    SessionLost,
    /// A lost session was started anew. Log level and subscriptions were set again; what else the server kept with the
    /// session is gone, and its lists may have changed.
    SessionRenewed,
    /// The server sent a request in an era that has none. It was not answered.
    RequestInModernEra {
        /// Its method.
        method: String,
    },
    /// A tool was left out of a listing, or of the definitions that the application gave, because what its schema says of
    /// header fields (`x-mcp-header`) is invalid. Only over HTTP, in the modern era.
    InvalidTool {
        /// Its name. Text of the server: untrusted.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A structured result did not fit the schema that its tool declares, and [`OnInvalidOutput::Report`] was asked for.
    ///
    /// [`OnInvalidOutput::Report`]: crate::OnInvalidOutput::Report
    InvalidOutput {
        /// The tool's name.
        tool: String,
        /// Why.
        why: String,
    },
    /// The params of a notification did not fit the handler's type.
    UnreadableNotification {
        /// Its method.
        method: String,
        /// Why.
        error: String,
    },
    /// A notification handler panicked. Those after it run.
    HandlerPanicked {
        /// The method of the notification.
        method: String,
    },
    /// The handlers were too slow; so many were dropped since the last report.
    Lost {
        /// Messages of the server's log.
        log_messages: u64,
        /// Other notifications.
        notifications: u64,
        /// Diagnostics.
        diagnostics: u64,
    },
}
