use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use rmcp::{ErrorData, RoleServer, model::ProgressNotificationParam, service::RequestContext};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{answers::from, internal};

/// Counts, with a report a step, until it is done or cancelled.
pub(crate) async fn count(
    arguments: &Value,
    context: &RequestContext<RoleServer>,
    stopped: &AtomicU64,
) -> Result<String, ErrorData> {
    let number = |name: &str| arguments[name].as_u64().unwrap_or_default();
    let steps = number("steps");
    for step in 1..=steps {
        tokio::select! {
            () = sleep(Duration::from_millis(number("pause_ms"))) => {}
            () = context.ct.cancelled() => {
                stopped.fetch_add(1, Ordering::Relaxed);
                return Err(internal("cancelled"));
            }
        }
        if let Some(token) = context.meta.get_progress_token() {
            let message = format!("step {step}");
            let report =
                json!({ "progressToken": token, "progress": step, "total": steps, "message": message });
            let report: ProgressNotificationParam = from(report)?;
            context.peer.notify_progress(report).await.map_err(internal)?;
        }
    }
    Ok(format!("counted to {steps}"))
}
