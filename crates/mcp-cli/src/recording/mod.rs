//! Recordings: what passed between client and server, one JSON document a line.
//!
//! The first line is the header: `{"mcpRecording":1,"target":…,"startedUnixMs":…,"client":…}`. Each further line has `ms`,
//! the milliseconds since then, and one of
//!
//! - `"from":"client"` or `"from":"server"` with `frame`, the message; `exchange` is the id of the request on whose
//!   exchange it came, over HTTP;
//! - `"event":"connected"`, `"event":"failed"` (with `error`: no connection could be made), `"event":"ended"` (with `error`,
//!   if not in order), `"event":"junk"` (with `text` and `bytes`).
//!
//! A file that ends in the middle of a line, because the recorder was killed, is read up to there.

mod recorder;
pub(crate) mod redact;
mod replay;
mod view;

use std::{fs, path::Path};

use mcp_types::{Json, JsonObject};
use serde::{Deserialize, Serialize};

pub(crate) use recorder::Recorder;
pub(crate) use replay::serve;
pub(crate) use view::page;

use crate::failure::Failure;

/// The version of the format.
const VERSION: u64 = 1;

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    mcp_recording: u64,
    /// What was connected to, without secrets.
    pub(crate) target: String,
    /// When it began, in milliseconds since 1970.
    pub(crate) started_unix_ms: u64,
    pub(crate) client: String,
}

/// A further line.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Milliseconds since the beginning.
    pub(crate) ms: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exchange: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) frame: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Client,
    Server,
}

/// A recording that was read.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) header: Header,
    pub(crate) entries: Vec<Entry>,
}

impl Recording {
    /// # Errors
    /// Usage: no recording, or one with a bad line, which is named.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        Self::parse(&text)
            .map_err(|(line, problem)| Failure::usage(format!("{}:{line}: {problem}", path.display())))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut lines = text.lines().enumerate();
        let first = lines.next().map(|(_, line)| line).unwrap_or_default();
        let header: Header =
            serde_json::from_str(first).map_err(|error| (1, format!("not a recording: {error}")))?;
        if header.mcp_recording != VERSION {
            return Err((1, format!("a recording of format {}, not {VERSION}", header.mcp_recording)));
        }
        let mut entries = Vec::new();
        for (number, line) in lines {
            match serde_json::from_str(line) {
                Ok(entry) => entries.push(entry),
                // The last line may have been cut.
                Err(_) if !text.ends_with('\n') && text.ends_with(line) => {}
                Err(error) => return Err((number + 1, error.to_string())),
            }
        }
        Ok(Self { header, entries })
    }
}

/// The method of a frame, and its id, as JSON.
fn method_and_id(frame: &JsonObject) -> (Option<String>, Option<Json>) {
    let method = frame.get("method").and_then(Json::as_string).map(Into::into);
    (method, frame.get("id").filter(|id| !id.is_null()).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"mcpRecording":1,"target":"t","startedUnixMs":5,"client":"c"}"#;

    #[test]
    fn a_cut_recording_is_read_up_to_the_cut() {
        let text = format!("{HEADER}\n{{\"ms\":1,\"event\":\"connected\"}}\n{{\"ms\":2,\"fro");
        assert_eq!(Recording::parse(&text).unwrap().entries.len(), 1);
    }

    #[test]
    fn what_is_no_recording_is_refused_with_the_line() {
        for (text, line) in [
            (String::new(), 1),
            ("{}".into(), 1),
            (HEADER.replace(":1,", ":2,"), 1),
            (format!("{HEADER}\n{{\"ms\":1}}\nx\n{{\"ms\":2}}\n"), 3),
        ] {
            assert_eq!(Recording::parse(&text).unwrap_err().0, line, "{text}");
        }
    }
}
