use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, Weak},
};

use http::HeaderValue;
use mcp_transport::RawMessage;
use mcp_types::{Era, Revision};

use super::{
    Held, exchange, lock,
    record::{Entry, Reading, Record},
    routes::Routes,
    unguessable,
};
use crate::demo::{
    Demo,
    counter::{self, Changes, Counter},
    era::SharedSession,
    server::Surroundings,
};

/// Beyond so many, the oldest session ends.
const MAX_SESSIONS: usize = 256;

/// How many requests of a session are worked on at once.
const MAX_OPEN: usize = 128;

/// How many streams of a session can be taken up again; those that are still open always can.
const MAX_KEPT: usize = 64;

/// The record of what belongs to no request.
const BESIDE: u64 = 0;

/// The sessions of the legacy era, oldest first.
#[derive(Default)]
pub(super) struct Sessions(Mutex<VecDeque<(HeaderValue, Arc<HttpSession>)>>);

impl Sessions {
    /// Keeps a session that was opened; its id.
    pub(super) fn insert(&self, session: Arc<HttpSession>) -> HeaderValue {
        let id = HeaderValue::from_str(&unguessable()).expect("hexadecimal digits");
        let mut sessions = lock(&self.0);
        if sessions.len() >= MAX_SESSIONS
            && let Some((_, oldest)) = sessions.pop_front()
        {
            oldest.end();
        }
        sessions.push_back((id.clone(), session));
        id
    }

    pub(super) fn get(&self, id: &HeaderValue) -> Option<Arc<HttpSession>> {
        lock(&self.0).iter().find(|(known, _)| known == id).map(|(_, session)| Arc::clone(session))
    }

    /// Ends a session; whether there was one.
    pub(super) fn remove(&self, id: &HeaderValue) -> bool {
        let mut sessions = lock(&self.0);
        let Some(at) = sessions.iter().position(|(known, _)| known == id) else { return false };
        if let Some((_, session)) = sessions.remove(at) {
            session.end();
        }
        true
    }
}

/// One session, or one that is about to be opened.
pub(super) struct HttpSession {
    pub(super) session: SharedSession,
    pub(super) routes: Arc<Routes>,
    counter: Counter,
    beside: Arc<Record>,
    /// What tells of changes.
    _teller: Held,
    streams: Mutex<Streams>,
}

#[derive(Default)]
struct Streams {
    last: u64,
    kept: VecDeque<(Arc<Record>, Held)>,
    /// Whoever reads `beside` holds it.
    listening: Weak<()>,
}

impl HttpSession {
    pub(super) fn new(counter: &Counter) -> Arc<Self> {
        let (session, beside) = (SharedSession::default(), Record::new(BESIDE));
        let teller = tokio::spawn(tell_of_changes(counter.changes(), session.clone(), Arc::clone(&beside)));
        Arc::new(Self {
            session,
            routes: Arc::default(),
            counter: counter.clone(),
            beside,
            _teller: Held(teller.abort_handle()),
            streams: Mutex::default(),
        })
    }

    /// The negotiated revision; `None` while it is not open.
    pub(super) fn revision(&self) -> Option<Revision> {
        self.session.revision()
    }

    /// Starts to work on `requests`.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) fn start(&self, demo: &Demo, requests: Vec<RawMessage>) -> Result<Arc<Record>, &'static str> {
        let mut streams = lock(&self.streams);
        let mut over = streams.kept.len().saturating_sub(MAX_KEPT);
        streams.kept.retain(|(record, _)| {
            let goes = over > 0 && record.is_over();
            over -= usize::from(goes);
            !goes
        });
        if streams.kept.len() >= MAX_OPEN {
            return Err("Too many requests are open");
        }
        streams.last += 1;
        let record = Record::new(streams.last);
        let hangs_up = Arc::clone(&record);
        let around = Surroundings {
            session: self.session.clone(),
            counter: self.counter.clone(),
            one_of_many: true,
            hang_up: Some(Box::new(move || hangs_up.hang_up())),
        };
        let held = exchange::start(demo.clone(), around, Era::Legacy, &self.routes, &record, requests)
            .ok_or("A request with this id is open")?;
        streams.kept.push_back((Arc::clone(&record), held));
        Ok(record)
    }

    /// How a stream of this session is read.
    pub(super) fn fit(&self, reading: Reading) -> Reading {
        let revision = self.revision();
        // Clients of earlier revisions do not expect events without data.
        let primed = revision.is_some_and(|revision| revision >= Revision::V2025_11_25);
        reading.numbered(primed)
    }

    /// What belongs to no request. `None` while somebody else reads it.
    pub(super) fn listen(&self) -> Option<Reading> {
        let mut streams = lock(&self.streams);
        if streams.listening.strong_count() > 0 {
            return None;
        }
        let reader = Arc::new(());
        streams.listening = Arc::downgrade(&reader);
        Some(self.fit(Reading::new(&self.beside)).holding(reader))
    }

    /// What came behind the event `id`; `None` when there is no such event.
    pub(super) fn resume(&self, id: &str) -> Option<Reading> {
        let (number, count) = id.split_once('-')?;
        let (number, count): (u64, usize) = (number.parse().ok()?, count.parse().ok()?);
        let record = if number == BESIDE {
            Arc::clone(&self.beside)
        } else {
            let streams = lock(&self.streams);
            let (record, _) = streams.kept.iter().find(|(record, _)| record.number == number)?;
            Arc::clone(record)
        };
        let reading = record.resume(count)?;
        Some(self.fit(reading))
    }

    fn end(&self) {
        self.beside.end();
        lock(&self.streams).kept.clear();
    }
}

/// Tells what changes on the stream that belongs to no request, if the session wants to hear of it.
async fn tell_of_changes(mut changes: Changes, session: SharedSession, beside: Arc<Record>) {
    loop {
        changes.next().await;
        if session.watches_counter() {
            let message = RawMessage::notification(counter::UPDATED, Some(counter::updated(None)));
            beside.say(Entry { text: message.to_vec().into(), status: None });
        }
    }
}
