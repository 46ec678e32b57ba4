//! What passed on the wire and beside it, in order: the only thing that a diagnosis rests on.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mcp_client::{ClientBuilder, Diagnostic, types::jsonrpc::JsonRpcMessage};
use mcp_transport::{Connect, Passed, ProcessFailure, Skipped, Tap};
use mcp_transport_stdio::{Stderr, Stdio};

/// Of each kind of event so many are kept; all are counted.
const KEPT: usize = 100;
/// Lines of standard error that are kept.
const LINES: usize = 20;

/// One event.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    /// A link was made: a process was started, say.
    Linked,
    /// A request or a notification of ours, by its method.
    Sent(String),
    /// A message of the server.
    Message,
    /// What is no message, or a broken one.
    Junk(Skipped),
    /// A link ended, or an exchange of one; how the process ended, if it did.
    Ended(Option<ProcessFailure>),
}

/// What was seen so far.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) events: Vec<Seen>,
    /// Messages of the server.
    pub(super) messages: u64,
    /// Pieces of junk.
    pub(super) junk: u64,
    pub(super) links: u32,
    pub(super) stderr: StderrSeen,
    pub(super) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Default)]
pub(super) struct StderrSeen {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    last: VecDeque<String>,
}

impl StderrSeen {
    /// The last lines, or that there are none.
    pub(super) fn tail(&self) -> String {
        if self.last.is_empty() {
            return "nothing on standard error".into();
        }
        let last: Vec<_> = self.last.iter().map(String::as_str).collect();
        format!("standard error:\n{}", last.join("\n"))
    }
}

impl Evidence {
    fn note(&mut self, seen: Seen) {
        match &seen {
            Seen::Linked => self.links += 1,
            Seen::Message => self.messages += 1,
            Seen::Junk(_) => self.junk += 1,
            Seen::Sent(_) | Seen::Ended(_) => {}
        }
        let alike = |other: &&Seen| std::mem::discriminant(*other) == std::mem::discriminant(&seen);
        if self.events.iter().filter(alike).count() < KEPT {
            self.events.push(seen);
        }
    }

    /// Junk that looks like a message, or is one that breaks the rules; and junk that is anything else.
    pub(super) fn junk(&self) -> (Vec<&Skipped>, Vec<&Skipped>) {
        let junk = self.events.iter().filter_map(|seen| match seen {
            Seen::Junk(skipped) => Some(skipped),
            _ => None,
        });
        junk.partition(|skipped| skipped.excerpt.trim_start().starts_with(['{', '[']))
    }

    /// How the first process ended by itself before a second one was started, if it did. One that ends because its input
    /// was closed ends in order.
    pub(super) fn first_process_died(&self) -> Option<&ProcessFailure> {
        let second = self.events.iter().skip(1).position(|seen| matches!(seen, Seen::Linked))? + 1;
        self.events[..second].iter().find_map(|seen| match seen {
            Seen::Ended(how) => how.as_ref(),
            _ => None,
        })
    }

    /// How the last process ended, if one did.
    pub(super) fn process(&self) -> Option<&ProcessFailure> {
        self.events.iter().rev().find_map(|seen| match seen {
            Seen::Ended(how) => how.as_ref(),
            _ => None,
        })
    }
}

/// Where it is collected.
#[derive(Debug, Clone, Default)]
pub(super) struct Collector(Arc<Mutex<Evidence>>);

impl Collector {
    pub(super) fn lock(&self) -> MutexGuard<'_, Evidence> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same transport, watched.
    pub(super) fn tap<C: Connect>(&self, transport: C) -> Tap<C> {
        let collector = self.clone();
        Tap::new(transport, move |passed| {
            if let Some(seen) = seen(passed) {
                collector.lock().note(seen);
            }
        })
    }

    /// The same command, its standard error kept here and not shown.
    pub(super) fn stderr(&self, server: Stdio) -> Stdio {
        let collector = self.clone();
        server.stderr(Stderr::lines(move |line| {
            let mut evidence = collector.lock();
            let stderr = &mut evidence.stderr;
            stderr.lines += 1;
            stderr.bytes += line.len() as u64 + 1;
            if stderr.last.len() == LINES {
                stderr.last.pop_front();
            }
            stderr.last.push_back(line.chars().take(500).collect());
        }))
    }

    pub(super) fn attach(&self, builder: ClientBuilder) -> ClientBuilder {
        let collector = self.clone();
        builder.on_diagnostic(move |diagnostic| {
            let mut evidence = collector.lock();
            // Junk is among the events already.
            if evidence.diagnostics.len() < KEPT && !matches!(diagnostic, Diagnostic::Skipped(_)) {
                evidence.diagnostics.push(diagnostic);
            }
        })
    }
}

fn seen(passed: &Passed<'_>) -> Option<Seen> {
    Some(match passed {
        Passed::Connected => Seen::Linked,
        Passed::Sent(JsonRpcMessage::Request(request)) => Seen::Sent(request.method.to_string()),
        Passed::Sent(JsonRpcMessage::Notification(note)) => Seen::Sent(note.method.to_string()),
        Passed::Received { .. } => Seen::Message,
        Passed::Skipped(skipped) => Seen::Junk((*skipped).clone()),
        Passed::Ended(error) => Seen::Ended(error.and_then(|error| error.process().cloned())),
        _ => return None,
    })
}
