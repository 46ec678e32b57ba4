use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use crate::{
    Error,
    call::{Again, go_on},
};

/// When a call is tried again, and how long it waits before. Without one nothing is.
///
/// A call is tried again only where a second execution is impossible or harmless:
///
/// - it was not executed, and the reason may pass: it never left, or the server refused it for now (429, say);
/// - it only reads (lists, `resources/read`, `prompts/get`, `completion/complete`, `ping`), or the caller vouches for it
///   ([`Call::idempotent`](crate::Call::idempotent)), or the server does and is trusted ([`trust_hints`](Self::trust_hints)),
///   and the link failed under it or the server failed inside (-32603).
///
/// An expired deadline, a cancelled call and a tool's own failure are not tried again; and nothing is when the connection has
/// ended, because a client keeps to one connection. The wait doubles from try to try, shortened at random by up to half; a
/// `Retry-After` of the server is waited for. All tries together stay within the total limit of the call: when the wait does
/// not fit into it, the error comes at once.
#[derive(Debug, Clone, Copy)]
pub struct Retry {
    times: u32,
    first: Duration,
    most: Duration,
    hints: bool,
    /// A program without a policy neither compiles nor carries the code that tries again: it is `#[inline]` from
    /// [`times`](Self::times) on.
    pub(crate) again: Again,
}

impl Retry {
    /// Up to `times` more tries. The first wait is 500 ms, the longest 30 s.
    #[inline]
    pub fn times(times: u32) -> Self {
        Self {
            times,
            first: Duration::from_millis(500),
            most: Duration::from_secs(30),
            hints: false,
            again: go_on,
        }
    }

    /// Other waits: the first, and the longest.
    pub fn backoff(mut self, first: Duration, most: Duration) -> Self {
        (self.first, self.most) = (first, most.max(first));
        self
    }

    /// Believes a tool's `readOnlyHint` and `idempotentHint`, as the tools were last listed, until the server says that they
    /// changed. For servers that are trusted.
    pub fn trust_hints(mut self) -> Self {
        self.hints = true;
        self
    }

    pub(crate) fn trusts_hints(&self) -> bool {
        self.hints
    }

    /// How long to wait after try `number` (from 0) failed with `error`; `None` when it was the last one, or another may do
    /// harm. `harmless`: whether a second execution is.
    pub(crate) fn wait(&self, number: u32, error: &Error, harmless: bool) -> Option<Duration> {
        let may_help = error.is_retryable() || (harmless && error.is_passing());
        if number >= self.times || !may_help {
            return None;
        }
        let wait = self.first.saturating_mul(1 << number.min(20)).min(self.most);
        let [random, ..] = RandomState::new().hash_one(number).to_le_bytes();
        let wait = wait / 2 + wait.mul_f64(f64::from(random) / 512.0);
        let asked = error.http().and_then(|http| http.retry_after).unwrap_or_default();
        Some(wait.max(asked))
    }
}
