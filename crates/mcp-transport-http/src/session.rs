//! What a link knows of its server: the revision, and in the legacy era the session.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::HeaderValue;
use mcp_types::{Era, Revision};
use tokio::{sync::watch, time::timeout};

use crate::headers::Mirrored;

/// The state of a link.
pub(crate) struct Session {
    state: Mutex<State>,
    /// The server answered `initialize`, and does not know yet that we are.
    half_open: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    revision: Option<Revision>,
    id: Option<SessionId>,
}

/// The id of a session: a secret, which is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SessionId(HeaderValue);

impl SessionId {
    pub(crate) fn new(mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        Self(value)
    }

    pub(crate) fn value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionId")
    }
}

/// What goes beside a message because of where the link stands.
#[derive(Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) version: Option<HeaderValue>,
    pub(crate) session: Option<SessionId>,
    pub(crate) modern: bool,
}

fn version_value(version: &str) -> Option<HeaderValue> {
    match Revision::from_wire(version) {
        Some(revision) => Some(HeaderValue::from_static(revision.as_str())),
        None => HeaderValue::from_str(version).ok(),
    }
}

impl Default for Session {
    fn default() -> Self {
        Self { state: Mutex::default(), half_open: watch::Sender::new(false) }
    }
}

impl Session {
    /// What goes beside a message of `method`.
    ///
    /// A modern message names its revision itself. `initialize` belongs to no session and has no revision yet.
    pub(crate) fn stamp(&self, method: Option<&str>, mirrored: &Mirrored<'_>) -> Stamp {
        if mirrored.is_modern() {
            let version = mirrored.version.as_deref().and_then(version_value);
            return Stamp { version, session: None, modern: true };
        }
        if method == Some("initialize") {
            return Stamp::default();
        }
        let state = self.lock();
        let modern = state.revision.is_some_and(|revision| revision.era() == Era::Modern);
        Stamp {
            version: state.revision.map(|revision| HeaderValue::from_static(revision.as_str())),
            session: state.id.clone().filter(|_| !modern),
            modern,
        }
    }

    /// From here on, messages are of `revision`.
    pub(crate) fn settle(&self, revision: Revision) {
        self.lock().revision = Some(revision);
    }

    /// The head of a good answer to `initialize` came, with this session. It counts from here on, because the server may
    /// ask something on the same response.
    pub(crate) fn offered(&self, id: Option<HeaderValue>) {
        self.lock().id = id.map(SessionId::new);
    }

    /// The answer to `initialize` itself came. Nothing is kept of a refusal.
    pub(crate) fn answered(&self, accepted: bool) {
        if accepted {
            self.half_open.send_replace(true);
        } else {
            self.lock().id = None;
        }
    }

    /// The server was told that we are initialized, or cannot be told.
    pub(crate) fn opened(&self) {
        self.half_open.send_replace(false);
    }

    /// Waits, at most `limit`, while the server does not know yet that we are initialized: what overtakes that on another
    /// connection may be refused.
    pub(crate) async fn open(&self, limit: Duration) {
        if *self.half_open.borrow() {
            let mut half_open = self.half_open.subscribe();
            // Later than that it goes out as it is. Rare, so kept out of the size of every exchange.
            let _ = timeout(limit, Box::pin(half_open.wait_for(|half_open| !half_open))).await;
        }
    }

    /// The session now.
    pub(crate) fn id(&self) -> Option<SessionId> {
        self.lock().id.clone()
    }

    /// Whether the revision is settled, and one of the legacy era: then no message names its own.
    pub(crate) fn is_legacy(&self) -> bool {
        self.lock().revision.is_some_and(|revision| revision.era() == Era::Legacy)
    }

    /// Whether the revision is settled: negotiation is over.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().revision.is_some()
    }

    /// The session that is to be ended.
    pub(crate) fn take_id(&self) -> Option<SessionId> {
        self.lock().id.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked under the lock was assigning fields.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &'static str) -> HeaderValue {
        HeaderValue::from_static(text)
    }

    fn legacy(session: &Session, method: &str) -> Stamp {
        session.stamp(Some(method), &Mirrored::default())
    }

    /// Field report H-09; advisory GHSA-jpw9-pfvf-9f58: session ids are secrets.
    #[test]
    fn revision_and_session_go_beside_what_follows_initialize() {
        let session = Session::default();
        session.offered(Some(value("secret-id")));
        session.answered(true);
        session.settle(Revision::V2025_06_18);
        let stamp = legacy(&session, "tools/list");
        assert_eq!(stamp.version, Some(value("2025-06-18")));
        assert_eq!(stamp.session, Some(SessionId(value("secret-id"))));
        assert!(!stamp.modern && !format!("{stamp:?}").contains("secret"));
        assert!(!format!("{:?}", stamp.session.unwrap().value()).contains("secret"));
        let again = legacy(&session, "initialize");
        assert!(again.version.is_none() && again.session.is_none());
    }

    /// Quirk 7: nothing is kept of an error.
    #[test]
    fn a_refused_initialize_leaves_no_session() {
        let session = Session::default();
        session.offered(Some(value("not-ours")));
        session.answered(false);
        assert!(legacy(&session, "tools/list").session.is_none());
        assert!(session.take_id().is_none());
    }

    #[test]
    fn a_modern_message_has_no_session_and_names_its_revision() {
        let session = Session::default();
        session.offered(Some(value("id")));
        let mirrored = Mirrored { version: Some("2026-07-28".into()), name: None };
        let stamp = session.stamp(Some("tools/list"), &mirrored);
        assert!(stamp.modern && stamp.session.is_none());
        assert_eq!(stamp.version, Some(value("2026-07-28")));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_wait_until_the_server_knows_that_we_are_initialized() {
        let session = Session::default();
        let limit = Duration::from_secs(10);
        let begun = tokio::time::Instant::now();
        session.open(limit).await;
        assert!(begun.elapsed().is_zero());
        session.answered(true);
        session.open(limit).await;
        assert_eq!(begun.elapsed(), limit);
        tokio::join!(session.open(limit), async { session.opened() });
        assert_eq!(begun.elapsed(), limit);
    }
}
