use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard},
};

use bytes::Bytes;
use mcp_types::jsonrpc::MethodName;
use tokio::sync::Notify;

use super::lock;
use crate::diagnostic::Diagnostic;

/// What waits for the application's notification handlers: ordered, bounded, never waited for by the reader.
#[derive(Default)]
pub(crate) struct Mailbox {
    state: Mutex<State>,
    ready: Notify,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Mail>,
    /// Of the params in the queue.
    bytes: usize,
    lost_logs: u64,
    lost_notifications: u64,
    lost_diagnostics: u64,
    /// Notifications were lost before: the handlers do not keep up.
    is_slow: bool,
    closed: bool,
}

/// One thing for the application.
#[derive(Debug)]
pub(crate) enum Mail {
    Notification { method: MethodName, params: Option<Bytes> },
    Diagnostic(Diagnostic),
}

impl Mailbox {
    const LIMIT: usize = 1024;
    const BYTES: usize = 16 << 20;
    /// Diagnostics have a smaller share, so that a chatty server does not push notifications out.
    const DIAGNOSTICS: usize = 256;

    pub(crate) fn push_notification(&self, method: MethodName, params: Option<Bytes>) {
        let mut state = lock(&self.state);
        let says_changed = method.ends_with("/list_changed");
        if says_changed && state.queue.iter().any(|mail| mail.is_notification(&method)) {
            return;
        }
        let weight = params.as_ref().map_or(0, Bytes::len);
        if state.queue.len() >= Self::LIMIT || (state.bytes > 0 && state.bytes + weight > Self::BYTES) {
            state.is_slow = true;
            if method == "notifications/message" {
                state.lost_logs += 1;
            } else {
                state.lost_notifications += 1;
            }
            return;
        }
        state.bytes += weight;
        self.push(state, Mail::Notification { method, params });
    }

    pub(crate) fn push_diagnostic(&self, diagnostic: Diagnostic) {
        let mut state = lock(&self.state);
        if state.queue.len() >= Self::DIAGNOSTICS {
            state.lost_diagnostics += 1;
            return;
        }
        self.push(state, Mail::Diagnostic(diagnostic));
    }

    fn push(&self, mut state: MutexGuard<'_, State>, mail: Mail) {
        if state.closed {
            return;
        }
        state.queue.push_back(mail);
        drop(state);
        self.ready.notify_one();
    }

    /// Whether the handlers keep up so far, but are about to be overtaken.
    pub(super) fn is_filling(&self) -> bool {
        let state = lock(&self.state);
        !state.is_slow && state.queue.len() > Self::LIMIT / 2
    }

    /// The next mail, in order; `None` once the mailbox is closed and empty.
    pub(crate) async fn next(&self) -> Option<Mail> {
        loop {
            let ready = self.ready.notified();
            {
                let mut state = lock(&self.state);
                if let Some(loss) = state.take_loss() {
                    return Some(Mail::Diagnostic(loss));
                }
                if let Some(mail) = state.queue.pop_front() {
                    if let Mail::Notification { params: Some(params), .. } = &mail {
                        state.bytes -= params.len();
                    }
                    return Some(mail);
                }
                if state.closed {
                    return None;
                }
            }
            ready.await;
        }
    }

    /// Nothing more comes.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.ready.notify_one();
    }
}

impl State {
    fn take_loss(&mut self) -> Option<Diagnostic> {
        if self.lost_logs + self.lost_notifications + self.lost_diagnostics == 0 {
            return None;
        }
        Some(Diagnostic::Lost {
            log_messages: std::mem::take(&mut self.lost_logs),
            notifications: std::mem::take(&mut self.lost_notifications),
            diagnostics: std::mem::take(&mut self.lost_diagnostics),
        })
    }
}

impl Mail {
    fn is_notification(&self, name: &str) -> bool {
        matches!(self, Self::Notification { method, .. } if method == name)
    }
}
