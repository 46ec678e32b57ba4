//! A recording as one page that needs nothing else: what is to be shown is worked out here, the script of the page draws it.

use std::collections::HashMap;

use mcp_types::{Json, JsonObject, meta::key};
use serde::Serialize;

use super::{Entry, Header, Recording, Side, method_and_id};
use crate::console::{pretty, safe_line};

const PAGE: &str = include_str!("view/page.html");
const STYLE: &str = include_str!("view/page.css");
const SCRIPT: &str = include_str!("view/page.js");

/// The page, as HTML. Text of the server is in it as data alone.
pub(crate) fn page(recording: &Recording) -> String {
    let document = Document { header: &recording.header, rows: rows(&recording.entries) };
    let data = serde_json::to_string(&document).unwrap_or_default();
    // In a script element nothing but its end, and a comment, means anything.
    let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    // The data last: what stands in it is not looked at again.
    PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", SCRIPT).replace("/*DATA*/", &data)
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    header: &'a Header,
    rows: Vec<Row>,
}

/// A line of the diagram.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Row {
    ms: f64,
    /// `request`, `notification`, `result`, `error`, or `event`.
    kind: &'static str,
    /// Whether it goes to the server. `None` for events.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_server: Option<bool>,
    label: String,
    /// What is shown when it is unfolded.
    text: String,
    /// The row of the other end: of a request its reply, of a reply its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<usize>,
    /// Of a reply: milliseconds since its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    took: Option<f64>,
}

fn rows(entries: &[Entry]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    // Requests without a reply so far: who asked, and the id.
    let mut open: HashMap<(bool, String), usize> = HashMap::new();
    for entry in entries {
        let frame: Option<JsonObject> = entry.frame.as_ref().and_then(|frame| frame.decode().ok());
        let (Some(from), Some(frame)) = (entry.from, frame) else {
            if entry.event.as_deref() == Some("connected") {
                // Ids begin anew on each link.
                open.clear();
            }
            rows.push(event(entry));
            continue;
        };
        let to_server = from == Side::Client;
        let (method, id) = method_and_id(&frame);
        let text = entry.frame.as_ref().map(|frame| pretty(frame.as_str())).unwrap_or_default();
        let mut row = Row { ms: entry.ms, to_server: Some(to_server), text, ..Row::default() };
        match (method, id) {
            (Some(method), Some(id)) => {
                row.kind = "request";
                row.label = with_detail(&method, &frame);
                open.insert((to_server, id.to_string()), rows.len());
            }
            (Some(method), None) => {
                row.kind = "notification";
                row.label = with_detail(&method, &frame);
            }
            (None, id) => {
                let is_error = frame.get("error").is_some();
                row.kind = if is_error { "error" } else { "result" };
                let asked = id.and_then(|id| open.remove(&(!to_server, id.to_string())));
                let of = asked.map_or_else(|| "no request".into(), |asked| rows[asked].label.clone());
                row.label =
                    if is_error { format!("{} – {of}", error(&frame)) } else { result(&frame, &of) };
                if let Some(asked) = asked {
                    row.pair = Some(asked);
                    row.took = Some(((entry.ms - rows[asked].ms) * 1e3).round() / 1e3);
                    rows[asked].pair = Some(rows.len());
                }
            }
        }
        rows.push(row);
    }
    rows
}

fn event(entry: &Entry) -> Row {
    let name = entry.event.as_deref().unwrap_or("unreadable");
    let text = entry.error.clone().or_else(|| entry.text.clone()).unwrap_or_default();
    let label = match (name, &entry.error) {
        ("junk", _) => format!("no message, {} bytes: {}", entry.bytes.unwrap_or_default(), short(&text)),
        (name, Some(error)) => format!("{name}: {}", short(error)),
        (name, _) => name.to_owned(),
    };
    Row { ms: entry.ms, kind: "event", label, text, ..Row::default() }
}

/// The method, and what tells one call of it from another: a name, a URI, how far it is.
fn with_detail(method: &str, frame: &JsonObject) -> String {
    let params: Option<JsonObject> = frame.get("params").and_then(|params| params.decode().ok());
    let Some(params) = params else { return safe_line(method) };
    let text = |name: &str| params.get(name).and_then(Json::as_string).map(|text| short(&text));
    let number =
        |name: &str| params.get(name).filter(|json| !json.is_null()).map(|json| short(json.as_str()));
    let detail = match method {
        "notifications/progress" => number("progress").map(|progress| match number("total") {
            Some(total) => format!("{progress} of {total}"),
            None => progress,
        }),
        "notifications/cancelled" => number(key::PROGRESS_TOKEN).or_else(|| number("requestId")),
        "notifications/message" => text("level"),
        "initialize" => text("protocolVersion"),
        _ => text("name").or_else(|| text("uri")),
    };
    match detail {
        Some(detail) => format!("{} {detail}", safe_line(method)),
        None => safe_line(method),
    }
}

fn error(frame: &JsonObject) -> String {
    let error: Option<JsonObject> = frame.get("error").and_then(|error| error.decode().ok());
    let Some(error) = error else { return "error".into() };
    let code = error.get("code").map(ToString::to_string).unwrap_or_default();
    let message = error.get("message").and_then(Json::as_string).unwrap_or_default();
    format!("error {} {}", short(&code), short(&message))
}

fn result(frame: &JsonObject, of: &str) -> String {
    let result: Option<JsonObject> = frame.get("result").and_then(|result| result.decode().ok());
    let result = result.unwrap_or_default();
    let failed = result.get("isError").is_some_and(|is_error| is_error.as_str() == "true");
    match result.get("resultType").and_then(Json::as_string).as_deref() {
        _ if failed => format!("isError – {of}"),
        None | Some("complete") => format!("result – {of}"),
        Some(kind) => format!("{} – {of}", short(kind)),
    }
}

fn short(text: &str) -> String {
    const MOST: usize = 80;
    let line = safe_line(text);
    if line.chars().count() > MOST { line.chars().take(MOST).chain(['…']).collect() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(lines: &str) -> Recording {
        let header = r#"{"mcpRecording":1,"target":"<t>","startedUnixMs":5,"client":"c"}"#;
        Recording::parse(&format!("{header}\n{lines}\n")).unwrap()
    }

    #[test]
    fn replies_find_their_requests() {
        let recording = recording(
            r#"{"ms":0,"event":"connected"}
{"ms":1,"from":"client","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}}
{"ms":2,"from":"server","frame":{"jsonrpc":"2.0","id":1,"method":"roots/list"}}
{"ms":3,"from":"client","frame":{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}}
{"ms":4.5,"from":"server","frame":{"jsonrpc":"2.0","id":1,"result":{"isError":true}}}
{"ms":5,"from":"server","frame":{"jsonrpc":"2.0","id":9,"result":{}}}
{"ms":6,"event":"junk","text":"Welcome","bytes":7}"#,
        );
        let rows = rows(&recording.entries);
        let labels: Vec<_> =
            rows.iter().map(|row| (row.kind, row.label.as_str(), row.pair, row.took)).collect();
        assert_eq!(
            labels,
            [
                ("event", "connected", None, None),
                ("request", "tools/call add", Some(4), None),
                ("request", "roots/list", Some(3), None),
                ("error", "error -32601 no – roots/list", Some(2), Some(1.0)),
                ("result", "isError – tools/call add", Some(1), Some(3.5)),
                ("result", "result – no request", None, None),
                ("event", "no message, 7 bytes: Welcome", None, None),
            ]
        );
    }

    #[test]
    fn text_of_a_server_is_data_in_the_page() {
        let hostile = r#"{"ms":1,"from":"server","frame":{"jsonrpc":"2.0","method":"</script><img src=x onerror=alert(1)>","params":{"a":"<!-- /*SCRIPT*/ $& "}}}"#;
        let page = page(&recording(hostile));
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("<img").count(), 0);
        assert_eq!(page.matches("<!--").count(), 0);
        assert!(page.contains("/*SCRIPT*/ $& "), "what stands in the data stays as it is");
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
    }
}
