//! What a link knows of its server: the revision, and in the legacy era the session.

use std::{
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use http::{HeaderMap, HeaderValue};
use mcp_types::{Era, Revision};
use tokio::{sync::Notify, time::timeout};

use crate::headers::{Mirrored, PROTOCOL_VERSION, SESSION_ID};

/// The state of a link.
pub(crate) struct Session {
    /// The fields of every POST, whatever the state.
    fields: HeaderMap,
    state: Mutex<State>,
    /// The server answered `initialize`, and does not know yet that we are.
    half_open: AtomicBool,
    opened: Notify,
}

#[derive(Default)]
struct State {
    revision: Option<Revision>,
    id: Option<SessionId>,
    /// The fields of every POST of the legacy era, with revision and session; `None` until one asked.
    legacy: Option<HeaderMap>,
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

impl Session {
    /// `fields`: what goes with every POST.
    pub(crate) fn new(fields: HeaderMap) -> Self {
        Self { fields, state: Mutex::default(), half_open: AtomicBool::new(false), opened: Notify::new() }
    }

    /// The fields of a POST after the handshake of the legacy era, and the session that they name; `None` in any other
    /// state, and for what begins one.
    ///
    /// As they are the same for all, they are made once.
    pub(crate) fn legacy_fields(&self, method: Option<&str>) -> Option<(HeaderMap, Option<SessionId>)> {
        let mut state = self.lock();
        let State { revision, id, legacy } = &mut *state;
        let revision = revision.filter(|revision| revision.era() == Era::Legacy)?;
        if method == Some("initialize") {
            return None;
        }
        let fields = legacy.get_or_insert_with(|| {
            let mut fields = self.fields.clone();
            fields.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
            if let Some(id) = id {
                fields.insert(SESSION_ID, id.value());
            }
            fields
        });
        Some((fields.clone(), id.clone()))
    }

    /// What goes with every POST.
    pub(crate) fn fields(&self) -> &HeaderMap {
        &self.fields
    }

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
        self.change(|state| state.revision = Some(revision));
    }

    /// The head of a good answer to `initialize` came, with this session. It counts from here on, because the server may
    /// ask something on the same response.
    pub(crate) fn offered(&self, id: Option<HeaderValue>) {
        self.change(|state| state.id = id.map(SessionId::new));
    }

    /// The answer to `initialize` itself came. Nothing is kept of a refusal.
    pub(crate) fn answered(&self, accepted: bool) {
        if accepted {
            self.half_open.store(true, Ordering::Release);
        } else {
            self.change(|state| state.id = None);
        }
    }

    /// The server was told that we are initialized, or cannot be told.
    pub(crate) fn opened(&self) {
        self.half_open.store(false, Ordering::Release);
        self.opened.notify_waiters();
    }

    /// Whether the server does not know yet that we are initialized: what overtakes that on another connection may be
    /// refused.
    pub(crate) fn is_half_open(&self) -> bool {
        self.half_open.load(Ordering::Acquire)
    }

    /// Waits, at most `limit`, while that is so.
    pub(crate) async fn open(&self, limit: Duration) {
        let open = async {
            loop {
                // Made before the look, so that nothing is missed in between.
                let opened = self.opened.notified();
                if !self.is_half_open() {
                    return;
                }
                opened.await;
            }
        };
        // Later than that it goes out as it is.
        let _ = timeout(limit, open).await;
    }

    /// The session now.
    pub(crate) fn id(&self) -> Option<SessionId> {
        self.lock().id.clone()
    }

    /// Whether the revision is settled: negotiation is over.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().revision.is_some()
    }

    /// The session that is to be ended.
    pub(crate) fn take_id(&self) -> Option<SessionId> {
        self.change(|state| state.id.take())
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        state.legacy = None;
        change(&mut state)
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
        let session = Session::new(HeaderMap::new());
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

    #[test]
    fn the_fields_of_the_legacy_era_are_of_the_present_session() {
        let mut every = HeaderMap::new();
        every.insert("x-key", value("k"));
        let session = Session::new(every);
        session.offered(Some(value("a")));
        assert!(session.legacy_fields(Some("tools/list")).is_none());
        session.settle(Revision::V2025_06_18);
        for id in ["a", "b"] {
            session.offered(Some(value(id)));
            for _ in 0..2 {
                let (fields, named) = session.legacy_fields(Some("tools/list")).unwrap();
                assert_eq!(named.unwrap().value(), id);
                assert_eq!(fields[SESSION_ID], id);
                assert!(fields[SESSION_ID].is_sensitive());
                assert_eq!(
                    (&fields[PROTOCOL_VERSION], &fields["x-key"]),
                    (&value("2025-06-18"), &value("k"))
                );
            }
        }
        assert!(session.legacy_fields(Some("initialize")).is_none());
        session.take_id();
        assert!(!session.legacy_fields(None).unwrap().0.contains_key(SESSION_ID));
        session.settle(Revision::V2026_07_28);
        assert!(session.legacy_fields(Some("tools/list")).is_none());
    }

    /// Quirk 7: nothing is kept of an error.
    #[test]
    fn a_refused_initialize_leaves_no_session() {
        let session = Session::new(HeaderMap::new());
        session.offered(Some(value("not-ours")));
        session.answered(false);
        assert!(legacy(&session, "tools/list").session.is_none());
        assert!(session.take_id().is_none());
    }

    #[test]
    fn a_modern_message_has_no_session_and_names_its_revision() {
        let session = Session::new(HeaderMap::new());
        session.offered(Some(value("id")));
        let mirrored = Mirrored { version: Some("2026-07-28".into()), name: None };
        let stamp = session.stamp(Some("tools/list"), &mirrored);
        assert!(stamp.modern && stamp.session.is_none());
        assert_eq!(stamp.version, Some(value("2026-07-28")));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_wait_until_the_server_knows_that_we_are_initialized() {
        let session = Session::new(HeaderMap::new());
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
