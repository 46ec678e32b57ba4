//! By which rules a request is served: those of its own metadata, or those of the session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{
    ClientCapabilities, DiscoverResult, Era, ErrorCode, Implementation, InitializeRequestParams,
    InitializeResult, JsonObject, JsonRpcError, LoggingLevel, Meta, ProgressToken, PromptsCapability,
    ProtocolVersion, ResourcesCapability, Revision, ServerCapabilities, ToolsCapability,
    UnsupportedProtocolVersionErrorData, meta::key, method,
};

use super::{Demo, methods::Params};

/// The rules of one request.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) revision: Revision,
    pub(super) capabilities: ClientCapabilities,
    pub(super) progress_token: Option<ProgressToken>,
    /// Modern era only; in the legacy era the session has it.
    pub(super) log_level: Option<LoggingLevel>,
}

/// What `initialize` has settled.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) revision: Revision,
    log_level: Option<LoggingLevel>,
    watches_counter: bool,
    capabilities: ClientCapabilities,
}

/// A session, for all that serve it; not open at first.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedSession(Arc<Mutex<Option<Session>>>);

impl SharedSession {
    pub(super) fn open(&self, session: Session) {
        *self.lock() = Some(session);
    }

    pub(super) fn revision(&self) -> Option<Revision> {
        self.lock().as_ref().map(|session| session.revision)
    }

    /// The level that `logging/setLevel` has set.
    pub(super) fn log_level(&self) -> Option<LoggingLevel> {
        self.lock().as_ref()?.log_level.clone()
    }

    pub(super) fn set_log_level(&self, level: LoggingLevel) {
        if let Some(session) = self.lock().as_mut() {
            session.log_level = Some(level);
        }
    }

    pub(super) fn watch_counter(&self, wanted: bool) {
        if let Some(session) = self.lock().as_mut() {
            session.watches_counter = wanted;
        }
    }

    /// Whether it has subscribed to the counter.
    pub(super) fn watches_counter(&self) -> bool {
        self.lock().as_ref().is_some_and(|session| session.watches_counter)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds the rules by which a request is served.
pub(super) fn admit(
    demo: &Demo,
    session: &SharedSession,
    name: &str,
    params: &Params,
) -> Result<Terms, JsonRpcError> {
    let terms = if params.claims_modern() && demo.newest(Era::Modern).is_some() {
        modern(demo, name, &params.meta())?
    } else if let Some(session) = session.lock().as_ref() {
        Terms {
            revision: session.revision,
            capabilities: session.capabilities.clone(),
            progress_token: params.meta().progress_token(),
            log_level: None,
        }
    } else if demo.revisions.iter().any(|revision| exists(name, *revision)) {
        return Err(not_opened(demo));
    } else {
        return Err(JsonRpcError::method_not_found(name));
    };
    if exists(name, terms.revision) { Ok(terms) } else { Err(JsonRpcError::method_not_found(name)) }
}

/// Methods that the specification does not name are left to the dispatcher.
fn exists(name: &str, revision: Revision) -> bool {
    method(name).is_some_and(|info| info.exists_in(revision))
}

fn modern(demo: &Demo, name: &str, meta: &Meta) -> Result<Terms, JsonRpcError> {
    let requested = meta.protocol_version().ok_or_else(|| missing(key::PROTOCOL_VERSION))?;
    let revision = requested
        .known()
        .filter(|revision| revision.era() == Era::Modern && demo.revisions.contains(revision))
        .ok_or_else(|| unsupported(demo, requested))?;
    if !exists(name, revision) {
        return Err(JsonRpcError::method_not_found(name));
    }
    let capabilities = meta.client_capabilities().ok_or_else(|| missing(key::CLIENT_CAPABILITIES))?;
    let log_level = match meta.get(key::LOG_LEVEL) {
        Some(_) => Some(known_level(meta.log_level())?),
        None => None,
    };
    Ok(Terms { revision, capabilities, progress_token: meta.progress_token(), log_level })
}

/// A level that the specification names.
pub(super) fn known_level(level: Option<LoggingLevel>) -> Result<LoggingLevel, JsonRpcError> {
    level.filter(|level| level.severity().is_some()).ok_or_else(|| invalid("Not a log level"))
}

fn missing(name: &str) -> JsonRpcError {
    invalid(format!("`_meta` lacks `{name}`, or it is of the wrong kind"))
}

fn not_opened(demo: &Demo) -> JsonRpcError {
    invalid(match (demo.newest(Era::Modern), demo.newest(Era::Legacy)) {
        (Some(_), None) => format!("`_meta` lacks `{}`", key::PROTOCOL_VERSION),
        (Some(_), Some(_)) => {
            format!("`_meta` lacks `{}`, and no `initialize` came before", key::PROTOCOL_VERSION)
        }
        (None, _) => "No `initialize` came before".into(),
    })
}

fn unsupported(demo: &Demo, requested: ProtocolVersion) -> JsonRpcError {
    UnsupportedProtocolVersionErrorData::new(supported(demo), requested).into()
}

fn supported(demo: &Demo) -> Vec<ProtocolVersion> {
    demo.revisions.iter().copied().map(ProtocolVersion::from).collect()
}

fn invalid(message: impl Into<String>) -> JsonRpcError {
    JsonRpcError::new(ErrorCode::INVALID_PARAMS, message)
}

/// Opens a session: in the revision that the client asks for, or in the newest one of its era.
pub(super) fn initialize(demo: &Demo, params: &Params) -> Result<(Session, InitializeResult), JsonRpcError> {
    let params: InitializeRequestParams = params.decode()?;
    let Some(newest) = demo.newest(Era::Legacy) else {
        return Err(unsupported(demo, params.protocol_version));
    };
    let asked = params.protocol_version.known();
    let revision = asked
        .filter(|revision| revision.era() == Era::Legacy && demo.revisions.contains(revision))
        .unwrap_or(newest);
    let result = InitializeResult::new(revision, capabilities(revision), identity(revision))
        .with_instructions(INSTRUCTIONS);
    let session =
        Session { revision, log_level: None, watches_counter: false, capabilities: params.capabilities };
    Ok((session, result))
}

/// The answer to `server/discover`.
pub(super) fn discover(demo: &Demo, revision: Revision) -> DiscoverResult {
    DiscoverResult::new(supported(demo), capabilities(revision)).with_instructions(INSTRUCTIONS)
}

const INSTRUCTIONS: &str = "A server to try clients on. Nothing that it does has any effect outside it.";

/// Who the server is.
pub(super) fn identity(revision: Revision) -> Implementation {
    let mut identity = Implementation::new("mcp-demo", env!("CARGO_PKG_VERSION"));
    if revision >= Revision::V2025_06_18 {
        identity = identity.with_title("Demo server");
    }
    if revision >= Revision::V2025_11_25 {
        identity = identity.with_description("A server of every revision, to try clients on");
    }
    identity
}

fn capabilities(revision: Revision) -> ServerCapabilities {
    let capabilities = ServerCapabilities::new()
        .with_tools(ToolsCapability::new())
        .with_resources(ResourcesCapability::new().with_subscribe(true))
        .with_prompts(PromptsCapability::new())
        .with_logging(JsonObject::new());
    if revision >= Revision::V2025_03_26 {
        capabilities.with_completions(JsonObject::new())
    } else {
        capabilities
    }
}
