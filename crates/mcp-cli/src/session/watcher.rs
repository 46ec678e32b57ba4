//! What a server sends unasked, told on standard error.

use std::sync::atomic::{AtomicU32, Ordering};

use mcp_client::{ClientBuilder, Diagnostic};
use mcp_types::LoggingMessageNotification;

use crate::console;

/// Odd things are told so often; then they only count.
const MOST: u32 = 3;

/// Shows log messages, and odd things that the connection survives.
pub(super) fn attach(builder: ClientBuilder) -> ClientBuilder {
    let told = AtomicU32::new(0);
    builder
        .on_notification::<LoggingMessageNotification, _>(|params, _| async move {
            let logger = params.logger.map(|logger| format!(" {logger}")).unwrap_or_default();
            let data = params.data.as_string().map_or_else(|| params.data.to_string(), Into::into);
            let line = format!("log {}{logger}: {data}", params.level.as_str());
            console::note(&console::err().dim(&console::safe_line(&line)));
        })
        .on_diagnostic(move |diagnostic| {
            let text = text(&diagnostic);
            match told.fetch_add(1, Ordering::Relaxed) {
                count if count < MOST => {
                    console::note(&console::err().warn(&format!("odd: {}", console::safe_line(&text))));
                }
                MOST => console::note(&console::err().warn("odd: and more; `mcp doctor` tells")),
                _ => {}
            }
        })
}

fn text(diagnostic: &Diagnostic) -> String {
    match diagnostic {
        Diagnostic::Skipped(skipped) => {
            format!("the server wrote what is no message ({} bytes): {}", skipped.length, skipped.excerpt)
        }
        Diagnostic::RequestInModernEra { method } => {
            format!("the server sent the request `{method}`, which a modern server does not")
        }
        Diagnostic::SessionLost => "the server lost the session; a new one is started".into(),
        Diagnostic::SessionRenewed => "a new session was started".into(),
        Diagnostic::InvalidTool { tool, reason } => format!("the tool `{tool}` is left out: {reason}"),
        Diagnostic::UnreadableNotification { method, error } => {
            format!("the params of `{method}` cannot be read: {error}")
        }
        Diagnostic::Undelivered { method, error } => {
            format!("`{}` could not be delivered: {error}", method.as_deref().unwrap_or("a reply"))
        }
        other => format!("{other:?}"),
    }
}
