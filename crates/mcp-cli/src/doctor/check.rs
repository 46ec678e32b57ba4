//! What a check came to, and how that is told.

use mcp_types::{Json, JsonObject};

use crate::{
    console::{self, safe, safe_line},
    failure::Status,
    secrets::Secrets,
};

/// Where a fault is. From the outside in: a fault of one layer hides those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    Transport,
    Protocol,
    Server,
}

impl Layer {
    fn name(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Protocol => "protocol",
            Self::Server => "server",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    /// Works with this client; others may stumble.
    Odd,
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Check {
    pub(super) layer: Layer,
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    /// What was seen. May hold text of the server.
    pub(super) seen: String,
    /// What to do about it.
    pub(super) todo: Option<String>,
    /// The exit status, if this is the fault.
    status: Status,
}

impl Check {
    pub(super) fn good(layer: Layer, name: &'static str, seen: impl Into<String>) -> Self {
        Self::new(layer, name, Verdict::Good, seen.into(), None)
    }

    pub(super) fn odd(
        layer: Layer,
        name: &'static str,
        seen: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self::new(layer, name, Verdict::Odd, seen.into(), Some(todo.into()))
    }

    pub(super) fn bad(
        layer: Layer,
        name: &'static str,
        seen: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self::new(layer, name, Verdict::Bad, seen.into(), Some(todo.into()))
    }

    fn new(layer: Layer, name: &'static str, verdict: Verdict, seen: String, todo: Option<String>) -> Self {
        let status = match layer {
            Layer::Transport => Status::Transport,
            Layer::Protocol | Layer::Server => Status::Protocol,
        };
        Self { layer, name, verdict, seen, todo, status }
    }

    pub(super) fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    fn document(&self) -> JsonObject {
        let verdict = match self.verdict {
            Verdict::Good => "good",
            Verdict::Odd => "odd",
            Verdict::Bad => "bad",
        };
        let mut document = JsonObject::from([
            ("layer", Json::from(self.layer.name())),
            ("check", self.name.into()),
            ("verdict", verdict.into()),
            ("seen", self.seen.as_str().into()),
        ]);
        if let Some(todo) = &self.todo {
            document.insert("do", todo.as_str().into());
        }
        document
    }

    fn print(&self) {
        let style = console::out();
        let word = match self.verdict {
            Verdict::Good => style.good("ok  "),
            Verdict::Odd => style.warn("odd "),
            Verdict::Bad => style.bad("BAD "),
        };
        let mut lines = Vec::new();
        for (number, line) in safe(self.seen.trim_end()).lines().enumerate() {
            lines.push(if number == 0 { line.to_owned() } else { format!("    {line}") });
        }
        let name = format!("{}: {}", self.layer.name(), self.name);
        console::print_line(&format!("{word} {name:<32} {}", lines.join("\n")));
        if let Some(todo) = &self.todo {
            console::print_line(&format!("       {} {}", style.bold("do:"), safe(todo)));
        }
    }
}

/// Everything that was looked at.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn add(&mut self, checks: impl IntoIterator<Item = Check>) {
        self.checks.extend(checks);
        // From the outside in, whatever was found first.
        self.checks.sort_by_key(|check| check.layer);
    }

    /// Takes out what was given as a secret: a server may have said it again.
    pub(super) fn hide(&mut self, secrets: &Secrets) {
        for check in &mut self.checks {
            check.seen = secrets.hide(&check.seen);
        }
    }

    /// The check that says why the server does not work.
    pub(super) fn fault(&self) -> Option<&Check> {
        self.checks.iter().find(|check| check.verdict == Verdict::Bad)
    }

    pub(super) fn status(&self) -> Status {
        self.fault().map_or(Status::Success, |fault| fault.status)
    }

    pub(super) fn document(&self) -> Json {
        let fault = self.fault().map(|fault| Json::from(fault.document()));
        let checks: Vec<_> = self.checks.iter().map(Check::document).collect();
        let null = || Json::encode(&()).expect("null can be written");
        JsonObject::from([
            ("healthy", Json::from(fault.is_none())),
            ("fault", fault.unwrap_or_else(null)),
            ("exitStatus", Json::from(u64::from(self.status() as u8))),
            ("checks", Json::encode(&checks).expect("raw JSON can be written as JSON")),
        ])
        .into()
    }

    pub(super) fn print(&self) {
        self.checks.iter().for_each(Check::print);
        let style = console::out();
        let odd = self.checks.iter().filter(|check| check.verdict == Verdict::Odd).count();
        console::print_line(&match self.fault() {
            Some(fault) => {
                let layer = style.bad(&format!("the fault is in the layer: {}", fault.layer.name()));
                format!("\n{layer} ({})", safe_line(fault.name))
            }
            None if odd > 0 => format!("\n{} ({odd} odd)", style.good("the server works")),
            None => format!("\n{}", style.good("the server works")),
        });
    }
}
