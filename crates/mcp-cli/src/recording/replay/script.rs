//! Which recorded frames follow on which frame of a client. No I/O.

use std::collections::VecDeque;

use mcp_types::{Json, JsonObject, meta::key};
use serde_json::Value;

use super::super::{Entry, Recording, Side, method_and_id, redact::redact};

/// A recording, by what a client sends.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// What the server sent before anything was asked.
    begin: Vec<Json>,
    turns: Vec<Turn>,
    /// What goes on when the client answers.
    waiting: Vec<Waiting>,
}

/// A request or a notification of the recorded client, and what it led to.
#[derive(Debug)]
struct Turn {
    method: String,
    /// Of a request.
    id: Option<Json>,
    progress_token: Option<Json>,
    params: Value,
    steps: Vec<Step>,
    used: bool,
}

#[derive(Debug, Clone)]
enum Step {
    Send(JsonObject),
    /// Until the client answers the server's request of this id.
    Await(Json),
}

#[derive(Debug)]
struct Waiting {
    id: Json,
    rest: VecDeque<Step>,
    renaming: Renaming,
}

/// The ids of now in place of those of then.
#[derive(Debug, Clone, Default)]
struct Renaming {
    id: Option<(Json, Json)>,
    progress_token: Option<(Json, Option<Json>)>,
}

impl Script {
    pub(super) fn new(recording: &Recording) -> Self {
        let mut builder = Builder::default();
        for entry in &recording.entries {
            builder.take(entry);
        }
        builder.script
    }

    /// What is sent unasked.
    pub(super) fn begin(&mut self) -> Vec<Json> {
        std::mem::take(&mut self.begin)
    }

    /// What follows on a request. What was never answered is not answered now either.
    pub(super) fn request(&mut self, id: &Json, method: &str, params: Option<&JsonObject>) -> Vec<Json> {
        let wanted = comparable(method, params);
        let fits = |turn: &Turn| turn.id.is_some() && turn.method == method && turn.params == wanted;
        let fresh = self.turns.iter().position(|turn| fits(turn) && !turn.used);
        // Asked again: the last answer again.
        let Some(at) = fresh.or_else(|| self.turns.iter().rposition(fits)) else {
            return vec![self.unknown(id, method)];
        };
        let turn = &mut self.turns[at];
        turn.used = true;
        let renaming = Renaming {
            id: turn.id.clone().map(|then| (then, id.clone())),
            progress_token: turn.progress_token.clone().map(|then| (then, params.and_then(progress_token))),
        };
        let steps = turn.steps.clone().into();
        self.run(steps, renaming)
    }

    /// What the server sent after this notification.
    pub(super) fn notification(&mut self, method: &str) -> Vec<Json> {
        let turn =
            self.turns.iter_mut().find(|turn| turn.id.is_none() && turn.method == method && !turn.used);
        let Some(turn) = turn else { return Vec::new() };
        turn.used = true;
        let steps = turn.steps.clone().into();
        self.run(steps, Renaming::default())
    }

    /// What follows on the answer to a request of the server.
    pub(super) fn response(&mut self, id: &Json) -> Vec<Json> {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.id == *id) else { return Vec::new() };
        let Waiting { rest, renaming, .. } = self.waiting.remove(at);
        self.run(rest, renaming)
    }

    fn run(&mut self, mut steps: VecDeque<Step>, renaming: Renaming) -> Vec<Json> {
        let mut frames = Vec::new();
        while let Some(step) = steps.pop_front() {
            match step {
                Step::Send(frame) => frames.extend(renaming.apply(frame)),
                Step::Await(id) => {
                    self.waiting.push(Waiting { id, rest: steps, renaming });
                    break;
                }
            }
        }
        frames
    }

    fn unknown(&self, id: &Json, method: &str) -> Json {
        let is_known = self.turns.iter().any(|turn| turn.id.is_some() && turn.method == method);
        let (code, why) = if is_known {
            (-32602_i64, format!("Not in the recording: {method} with these params"))
        } else {
            (-32601, format!("Not in the recording: {method}"))
        };
        let error = JsonObject::from([("code", Json::from(code)), ("message", why.into())]);
        JsonObject::from([("jsonrpc", Json::from("2.0")), ("id", id.clone()), ("error", error.into())]).into()
    }
}

impl Renaming {
    /// The frame as it goes out now; `None` when nobody asked for it.
    fn apply(&self, mut frame: JsonObject) -> Option<Json> {
        let is_response = frame.get("method").is_none();
        if let Some((_, now)) = self.id.as_ref().filter(|_| is_response) {
            frame.insert("id", now.clone());
        }
        let mut params: Option<JsonObject> = frame.get("params").and_then(|params| params.decode().ok());
        if let Some(params) = params.as_mut() {
            if let Some((then, now)) = &self.progress_token
                && params.get(key::PROGRESS_TOKEN) == Some(then)
            {
                params.insert(key::PROGRESS_TOKEN, now.clone()?);
            }
            let mut meta: Option<JsonObject> = params.get("_meta").and_then(|meta| meta.decode().ok());
            if let (Some((then, now)), Some(meta)) = (&self.id, meta.as_mut())
                && meta.get(key::SUBSCRIPTION_ID) == Some(then)
            {
                meta.insert(key::SUBSCRIPTION_ID, now.clone());
                params.insert("_meta", Json::from(&*meta));
            }
        }
        if let Some(params) = params {
            frame.insert("params", params.into());
        }
        Some(frame.into())
    }
}

/// What decides whether two requests are the same. Both eras negotiate in their own words.
fn comparable(method: &str, params: Option<&JsonObject>) -> Value {
    if matches!(method, "initialize" | "server/discover") {
        return Value::Null;
    }
    let mut params = params.cloned().unwrap_or_default();
    params.remove("_meta");
    // What was redacted then is redacted now.
    serde_json::from_str(&redact(Json::from(params).as_str())).unwrap_or_default()
}

fn progress_token(params: &JsonObject) -> Option<Json> {
    params.get("_meta")?.decode::<JsonObject>().ok()?.get(key::PROGRESS_TOKEN).cloned()
}

/// Puts the frames of the server to the turn that they belong to.
#[derive(Debug, Default)]
struct Builder {
    script: Script,
    /// Turns without a reply so far, oldest first.
    open: Vec<usize>,
    /// Requests of the server, and the turns within which they were made.
    asked: Vec<(Json, usize)>,
}

impl Builder {
    fn take(&mut self, entry: &Entry) {
        let frame: Option<JsonObject> = entry.frame.as_ref().and_then(|frame| frame.decode().ok());
        let (Some(from), Some(frame)) = (entry.from, frame) else { return };
        let (method, id) = method_and_id(&frame);
        match (from, method, id) {
            (Side::Client, Some(method), id) => self.client(method, id, &frame),
            (Side::Client, None, Some(id)) => {
                if let Some((_, turn)) = self.asked.iter().rev().find(|(asked, _)| *asked == id) {
                    self.script.turns[*turn].steps.push(Step::Await(id));
                }
            }
            (Side::Client, None, None) => {}
            (Side::Server, None, id) => {
                let turn = self.open.iter().rev().copied().find(|turn| self.script.turns[*turn].id == id);
                if let Some(turn) = turn {
                    self.open.retain(|open| *open != turn);
                    self.script.turns[turn].steps.push(Step::Send(frame));
                }
            }
            (Side::Server, Some(_), id) => {
                let owner = self.owner(entry, &frame);
                if let (Some(id), Some(owner)) = (id, owner) {
                    self.asked.push((id, owner));
                }
                match owner {
                    Some(owner) => self.script.turns[owner].steps.push(Step::Send(frame)),
                    None => self.script.begin.push(frame.into()),
                }
            }
        }
    }

    fn client(&mut self, method: String, id: Option<Json>, frame: &JsonObject) {
        let params: Option<JsonObject> = frame.get("params").and_then(|params| params.decode().ok());
        let turn = Turn {
            params: comparable(&method, params.as_ref()),
            progress_token: params.as_ref().and_then(progress_token),
            steps: Vec::new(),
            used: false,
            method,
            id,
        };
        if turn.id.is_some() {
            self.open.push(self.script.turns.len());
        }
        self.script.turns.push(turn);
    }

    /// The turn to which a request or a notification of the server belongs: by what it names, else the request that is
    /// open, else what the client sent last.
    fn owner(&self, entry: &Entry, frame: &JsonObject) -> Option<usize> {
        let params: Option<JsonObject> = frame.get("params").and_then(|params| params.decode().ok());
        let token = params.as_ref().and_then(|params| params.get(key::PROGRESS_TOKEN).cloned());
        let meta: Option<JsonObject> = params.and_then(|params| params.get("_meta")?.decode().ok());
        let subscription = meta.and_then(|meta| meta.get(key::SUBSCRIPTION_ID).cloned());
        let named = self.open.iter().rev().copied().find(|turn| {
            let turn = &self.script.turns[*turn];
            (token.is_some() && turn.progress_token == token)
                || (subscription.is_some() && turn.id == subscription)
                || (entry.exchange.is_some() && turn.id == entry.exchange)
        });
        named.or_else(|| self.open.last().copied()).or_else(|| self.script.turns.len().checked_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Header;

    fn script(lines: &[(&str, &str)]) -> Script {
        let entries = lines.iter().map(|(from, frame)| Entry {
            from: Some(if *from == "c" { Side::Client } else { Side::Server }),
            frame: Some(Json::from_text(*frame).unwrap()),
            ..Entry::default()
        });
        let header = r#"{"mcpRecording":1,"target":"t","startedUnixMs":5,"client":"c"}"#;
        let header: Header = serde_json::from_str(header).unwrap();
        Script::new(&Recording { header, entries: entries.collect() })
    }

    fn ask(script: &mut Script, id: &str, method: &str, params: &str) -> Vec<String> {
        let params: Option<JsonObject> = (!params.is_empty()).then(|| serde_json::from_str(params).unwrap());
        script
            .request(&Json::from_text(id).unwrap(), method, params.as_ref())
            .iter()
            .map(Json::to_string)
            .collect()
    }

    #[test]
    fn an_answer_finds_its_question_whatever_the_id() {
        let mut script = script(&[
            ("c", r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}"#),
            ("c", r#"{"jsonrpc":"2.0","id":2,"method":"a","params":{"x":2}}"#),
            ("s", r#"{"jsonrpc":"2.0","id":2,"result":{"r":2.50}}"#),
            ("s", r#"{"jsonrpc":"2.0","id":1,"result":{"r":1}}"#),
        ]);
        assert_eq!(
            ask(&mut script, "\"z\"", "a", r#"{"x":2}"#),
            [r#"{"jsonrpc":"2.0","id":"z","result":{"r":2.50}}"#]
        );
        assert_eq!(
            ask(&mut script, "9", "a", r#"{"x":1,"_meta":{"k":1}}"#),
            [r#"{"jsonrpc":"2.0","id":9,"result":{"r":1}}"#]
        );
        assert_eq!(ask(&mut script, "10", "a", r#"{"x":1}"#).len(), 1, "asked again");
        assert!(ask(&mut script, "11", "a", r#"{"x":3}"#)[0].contains("-32602"));
        assert!(ask(&mut script, "12", "b", "")[0].contains("-32601"));
    }

    #[test]
    fn the_same_question_has_its_answers_in_turn() {
        let mut script = script(&[
            ("c", r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#),
            ("s", r#"{"jsonrpc":"2.0","id":1,"result":{"n":1}}"#),
            ("c", r#"{"jsonrpc":"2.0","id":2,"method":"a"}"#),
            ("s", r#"{"jsonrpc":"2.0","id":2,"result":{"n":2}}"#),
        ]);
        for n in ["1", "2", "2"] {
            assert!(ask(&mut script, "5", "a", "")[0].contains(&format!(r#"{{"n":{n}}}"#)));
        }
    }

    #[test]
    fn progress_and_subscriptions_carry_the_names_of_now() {
        let mut script = script(&[
            ("c", r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":7}}}"#),
            (
                "s",
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#,
            ),
            ("s", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            ("c", r#"{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen"}"#),
            (
                "s",
                r#"{"jsonrpc":"2.0","method":"n","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}"#,
            ),
        ]);
        let with = ask(&mut script, "4", "a", r#"{"_meta":{"progressToken":"t"}}"#);
        assert!(with[0].contains(r#""progressToken":"t""#) && with.len() == 2, "{with:?}");
        assert_eq!(ask(&mut script, "5", "a", "").len(), 1, "no progress to whoever did not ask for it");
        assert!(ask(&mut script, "6", "subscriptions/listen", "")[0].contains(r#"/subscriptionId":6"#));
    }

    #[test]
    fn a_question_of_the_server_is_waited_for() {
        let mut script = script(&[
            ("c", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#),
            ("s", r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#),
            ("c", r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#),
            ("s", r#"{"jsonrpc":"2.0","id":1,"result":{"done":true}}"#),
        ]);
        let asked = ask(&mut script, "8", "tools/call", "");
        assert!(asked.len() == 1 && asked[0].contains("elicitation/create"), "{asked:?}");
        let done = script.response(&Json::from_text("1").unwrap());
        assert_eq!(done[0].as_str(), r#"{"jsonrpc":"2.0","id":8,"result":{"done":true}}"#);
        assert!(script.response(&Json::from_text("1").unwrap()).is_empty());
    }

    #[test]
    fn what_was_never_answered_is_not_answered() {
        let mut script = script(&[
            ("s", r#"{"jsonrpc":"2.0","method":"early"}"#),
            ("c", r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"a":1}}"#),
            ("c", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        ]);
        assert_eq!(script.begin().len(), 1);
        assert!(ask(&mut script, "3", "server/discover", r#"{"b":2}"#).is_empty());
    }

    #[test]
    fn what_follows_a_notification_is_sent_after_it() {
        let mut script = script(&[
            ("c", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            ("s", r#"{"jsonrpc":"2.0","method":"late"}"#),
        ]);
        assert_eq!(script.notification("notifications/initialized").len(), 1);
        assert!(script.notification("notifications/initialized").is_empty());
    }

    #[test]
    fn what_was_redacted_is_found_again() {
        let mut script = script(&[
            (
                "c",
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"password":"[redacted]"}}}"#,
            ),
            ("s", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        ]);
        let found = ask(&mut script, "2", "tools/call", r#"{"arguments":{"password":"hunter2"}}"#);
        assert!(found[0].contains("result"), "{found:?}");
    }
}
