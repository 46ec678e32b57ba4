use std::{
    fmt,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use mcp_protocol::Stamp;
use mcp_types::{
    DiscoverResult, Era, Implementation, InitializeResult, Json, JsonObject, LoggingLevel, Notification,
    NotificationParams, Request, Revision, Root, RootsListChangedNotification, ServerCapabilities,
    SetLevelRequest, SetLevelRequestParams, meta::key,
};

use crate::{
    Error, Result, State, StateWatch,
    builder::{ClientBuilder, Options},
    call::{Call, Mend},
    catalogue::Catalogue,
    error::{Cause, start_error},
    handlers::Handlers,
    input::Roots,
    listen::SubscribedResources,
    output::OutputCheck,
    permitted::Permitted,
    session::{Session, lock},
    state::StateSender,
    task::Later,
};

/// A connection to one server, ready for calls. Cheap to clone; all clones share the connection.
///
/// When the last clone is dropped the connection is closed: open calls of other tasks end, the server's process is shut
/// down in the background. To wait for that, use [`close`](Self::close).
#[derive(Clone)]
pub struct Client(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) session: Arc<Session>,
    pub(crate) negotiated: Negotiated,
    pub(crate) permitted: Permitted,
    pub(crate) stamp: Stamp,
    pub(crate) catalogue: Catalogue,
    pub(crate) options: Options,
    pub(crate) output_check: Option<OutputCheck>,
    /// See [`mend`](crate::call::mend).
    pub(crate) mend: Option<Mend>,
    pub(crate) handlers: Arc<Handlers>,
    pub(crate) roots: Option<Roots>,
    pub(crate) subscribed: SubscribedResources,
    /// The lowest level of log messages: for every request, in the modern era; of the session, in the legacy era.
    pub(crate) log_level: Mutex<Option<LoggingLevel>>,
    /// Whether there is one: so that other calls need not take the lock.
    pub(crate) has_log_level: AtomicBool,
    pub(crate) state: StateSender,
}

/// What client and server agreed on, and what the server says of itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Negotiated {
    /// The revision that is spoken.
    pub revision: Revision,
    /// Who the server says it is. Absent only in the modern era.
    pub server_info: Option<Implementation>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Hints for a model on how to use the server. Text of the server: untrusted.
    pub instructions: Option<String>,
    /// The server's whole answer to `server/discover` or `initialize`, as it came.
    pub raw: Json,
}

#[derive(Clone)]
pub(crate) struct WeakClient(Weak<Inner>);

impl WeakClient {
    pub(crate) fn upgrade(&self) -> Option<Client> {
        self.0.upgrade().map(Client)
    }
}

impl fmt::Debug for WeakClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakClient")
    }
}

impl Negotiated {
    /// The era of the revision.
    pub fn era(&self) -> Era {
        self.revision.era()
    }

    /// What `initialize` was answered. The revision is not settled by that.
    pub(crate) fn initialized(result: InitializeResult, raw: Json) -> Box<Self> {
        let InitializeResult { server_info, capabilities, instructions, .. } = result;
        let revision = Revision::LATEST_LEGACY;
        Box::new(Self { revision, server_info: Some(server_info), capabilities, instructions, raw })
    }

    /// As [`initialized`](Self::initialized), for `server/discover`.
    pub(crate) fn discovered(result: DiscoverResult, raw: Json) -> Box<Self> {
        let (revision, server_info) = (Revision::LATEST, result.server_info());
        let DiscoverResult { capabilities, instructions, .. } = result;
        Box::new(Self { revision, server_info, capabilities, instructions, raw })
    }
}

impl Client {
    /// Begins to connect: `name` and `version` tell the server who the client is.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    /// What was negotiated.
    pub fn negotiated(&self) -> &Negotiated {
        &self.0.negotiated
    }

    /// The revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.0.negotiated.revision
    }

    /// What the server can do.
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.0.negotiated.capabilities
    }

    /// Who the server says it is. Absent only in the modern era. Text of the server: untrusted.
    pub fn server_info(&self) -> Option<&Implementation> {
        self.0.negotiated.server_info.as_ref()
    }

    /// Hints for a model on how to use the server. Text of the server: untrusted.
    pub fn instructions(&self) -> Option<&str> {
        self.0.negotiated.instructions.as_deref()
    }

    /// The state now.
    pub fn state(&self) -> State {
        self.0.state.watch().get()
    }

    /// Watches the state.
    pub fn watch_state(&self) -> StateWatch {
        self.0.state.watch()
    }

    /// Makes any request. Methods of your own need one `impl` of [`Request`].
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self.clone(), params)
    }

    /// Sends any notification. It is queued; nothing tells whether the server read it.
    ///
    /// # Errors
    /// When the params cannot be written, the method is not one that clients send in this revision, too much waits to be
    /// sent, or the client is closed.
    pub fn notify<N: Notification>(&self, params: &N::Params) -> Result<()> {
        let name = std::borrow::Cow::Borrowed(N::METHOD);
        self.0.negotiated.check_revision(N::METHOD).map_err(|error| error.of_method(&name))?;
        let params = crate::call::encode(params)?;
        let params = (!params.is_empty()).then_some(params);
        self.0.session.notify(name.clone(), params).map_err(|error| start_error(error).of_method(&name))
    }

    /// Changes the roots that the client offers, and tells a legacy server so. Without
    /// [`ClientBuilder::roots`](crate::ClientBuilder::roots) there are none to change.
    ///
    /// # Errors
    /// When the client was built without roots, or is closed.
    pub fn set_roots<T: Into<Root>>(&self, roots: impl IntoIterator<Item = T>) -> Result<()> {
        let Some(offered) = &self.0.roots else { return Err(Error::new(Cause::Capability("roots"))) };
        offered.set(roots.into_iter().map(Into::into).collect());
        match self.0.negotiated.era() {
            Era::Legacy => self.notify::<RootsListChangedNotification>(&NotificationParams::new()),
            Era::Modern => Ok(()),
        }
    }

    /// Closes the connection: no new calls; those in flight have until the close limit to finish; then the transport is
    /// closed and the server's process ended. Returns when nothing is left.
    ///
    /// Cancel-safe: the close goes on when the future is dropped. Called from within a handler of this client it waits
    /// for that handler until the close limit, and then ends it.
    pub fn close(&self) -> impl Future<Output = ()> + Send {
        self.close_within(self.0.options.close_timeout)
    }

    /// As [`close`](Self::close), with a limit of its own for calls in flight. Zero cancels them.
    pub fn close_within(&self, limit: Duration) -> impl Future<Output = ()> + Send {
        let close: Later<'_, ()> = Box::pin(async move { self.0.session.close(limit).await });
        close
    }

    pub(crate) fn downgrade(&self) -> WeakClient {
        WeakClient(Arc::downgrade(&self.0))
    }
}

impl Inner {
    /// Sets again, in a new session, what was set in one that the server lost.
    pub(crate) fn set_again(&self) {
        let level = lock(&self.log_level).clone();
        if let Some(level) = level
            && let Ok(params) = crate::call::encode(&SetLevelRequestParams::new(level))
        {
            let limit = self.options.metadata_timeout;
            self.session.post(SetLevelRequest::METHOD, params, limit);
        }
        // Its tools may be others.
        self.catalogue.changed();
        self.subscribe_again();
    }

    /// The caller's `_meta` with the members that the client adds by default, if it adds any.
    pub(crate) fn default_meta(&self, callers: Option<&JsonObject>) -> Option<JsonObject> {
        if self.negotiated.era() == Era::Legacy || !self.has_log_level.load(Ordering::Acquire) {
            return None;
        }
        let level = lock(&self.log_level).clone()?;
        let mut meta = callers.cloned().unwrap_or_default();
        if meta.get(key::LOG_LEVEL).is_none() {
            meta.insert(key::LOG_LEVEL, Json::from(level.as_str()));
        }
        Some(meta)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.session.begin_close(Duration::ZERO);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("revision", &self.revision())
            .field("server", &self.0.negotiated.server_info.as_ref().map(|info| &info.name))
            .field("state", &self.state())
            .finish()
    }
}
