use std::time::Duration;

use mcp_types::{CallToolRequestParams, LoggingLevel, Tool, ToolAnnotations};
use serde::Deserialize;

use super::{Answer, arguments, schema, text};
use crate::demo::caller::Caller;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Arguments {
    steps: u32,
    milliseconds: u64,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { steps: 5, milliseconds: 200 }
    }
}

const MAX_STEPS: u32 = 1000;
const MAX_MILLISECONDS: u64 = 60_000;

pub(super) fn tool() -> Tool {
    let input = r#"{"type":"object","properties":{"steps":{"type":"integer","description":"How many steps","minimum":0,"maximum":1000,"default":5},"milliseconds":{"type":"integer","description":"How long each step takes","minimum":0,"maximum":60000,"default":200}},"additionalProperties":false}"#;
    Tool::new("slow", schema(input))
        .with_title("Slow")
        .with_description(
            "Takes its time, step by step, and reports its progress. Stops when it is cancelled.",
        )
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true).with_open_world_hint(false))
}

pub(super) async fn call(caller: &Caller, params: &CallToolRequestParams) -> Answer {
    let Arguments { steps, milliseconds } = arguments(params)?;
    if steps > MAX_STEPS || milliseconds > MAX_MILLISECONDS {
        return Err(format!("At most {MAX_STEPS} steps of at most {MAX_MILLISECONDS} milliseconds"));
    }
    caller.log(LoggingLevel::Info, "slow", format!("{steps} steps to go"));
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        caller.progress(step, steps, format!("step {step} of {steps}"));
    }
    Ok(text(format!("{steps} steps done")))
}
