//! From a transport to a client: the link, the era, the revision.

mod dial;
mod kept;
mod probe;

use std::{
    pin::pin,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use bytes::Bytes;
use mcp_protocol::{
    Negotiation, Stamp,
    connection::{CancelMode, Deadlines, Outcome, OutgoingCall},
    negotiate::{HandshakeAnswer, On, Step, Verdict},
};
use mcp_transport::{Link, TransportError};
use mcp_types::{
    Era, ErrorCode, InitializeRequestParams, InitializeResult, Json, JsonRpcError, Revision, jsonrpc::Shown,
};
use probe::{Probed, refuses_the_request};

pub(crate) use dial::Dial;

use kept::Kept;

use crate::{
    Client, Error, Negotiated, Result, State,
    builder::Settings,
    catalogue::Catalogue,
    client::Inner,
    error::{Cause, Limit, Raw, outcome_error, rpc_error, start_error},
    handlers::Handlers,
    listen::SubscribedResources,
    permitted::Permitted,
    session::{CallOutcome, Failure, Headers, Limits, MakeExchanging, Session, Slot, StartError},
    task::{Later, within},
};

/// Connects within the limits of `builder`. Neither generic nor of a type with parts, so that it is compiled here alone.
pub(crate) fn connect(builder: Arc<Settings>, transport: Box<dyn Dial>) -> Later<'static, Result<Client>> {
    Box::pin(connect_to(builder, transport))
}

async fn connect_to(mut builder: Arc<Settings>, transport: Box<dyn Dial>) -> Result<Client> {
    let state = builder.state.clone();
    let handlers =
        Arc::get_mut(&mut builder).map(|builder| std::mem::take(&mut builder.handlers)).unwrap_or_default();
    let mut attempt = Attempt {
        handlers: Arc::new(handlers),
        builder: &builder,
        kept: Kept { verdicts: builder.verdicts.as_ref(), origin: transport.origin() },
        make_exchanging: transport.make_exchanging(),
        session: None,
        handshake: None,
        stage: "making the link",
        done: false,
    };
    state.set(State::Connecting);
    let limit = builder.options.connect_timeout;
    let mut negotiated = None;
    let negotiate = async { negotiated = Some(attempt.negotiate(&*transport).await) };
    within(limit, pin!(negotiate)).await;
    let negotiated = negotiated.unwrap_or_else(|| {
        let error = Error::new(Cause::Timeout(Limit::Connect(limit)));
        Err(error.with_context(format!("{} `{}`", attempt.stage, transport.label())))
    });
    let negotiated = match negotiated {
        Ok(negotiated) => negotiated,
        Err(error) => {
            let error = attempt.explain(error);
            attempt.kept.set(None);
            // An attempt that follows must not meet the process of this one.
            if let Some(session) = &attempt.session {
                session.close(Duration::ZERO).await;
            }
            return Err(error);
        }
    };
    attempt.done = true;
    attempt.kept.set(Some(negotiated.era()));
    let Some(session) = attempt.session.take() else { return Err(Error::new(Cause::Closed)) };
    let handlers = Arc::clone(&attempt.handlers);
    let stamp = builder.stamp(negotiated.revision)?;
    let catalogue = Catalogue::new(negotiated.era(), &session, &builder.known_tools);
    let client = Client(Arc::new(Inner {
        session: Arc::clone(&session),
        permitted: Permitted::by(&negotiated),
        negotiated: *negotiated,
        stamp,
        catalogue,
        options: builder.options,
        output_check: builder.output_check.clone(),
        mend: transport.mend(),
        handlers,
        roots: builder.roots.clone(),
        subscribed: SubscribedResources::default(),
        log_level: Mutex::default(),
        has_log_level: AtomicBool::new(false),
        state: state.clone(),
    }));
    session.limit_calls(client.0.options.max_calls);
    session.set_owner(client.downgrade(), state);
    Ok(client)
}

/// One attempt to connect. Dropped before it is done, it ends what it made.
struct Attempt<'a> {
    builder: &'a Settings,
    handlers: Arc<Handlers>,
    kept: Kept<'a>,
    make_exchanging: Option<MakeExchanging>,
    session: Option<Arc<Session>>,
    /// The params of the last `initialize`.
    handshake: Option<Bytes>,
    /// What is being done, for the error at the limit.
    stage: &'static str,
    done: bool,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        if let Some(session) = &self.session {
            session.begin_close(Duration::ZERO);
        }
        self.builder.state.set(State::Closed);
    }
}

/// What a step came to.
enum Answered<T> {
    Answer(T),
    /// The transport found another one that the server speaks; the negotiation starts again over it.
    Replaced(Link),
}

impl Attempt<'_> {
    async fn negotiate(&mut self, transport: &dyn Dial) -> Result<Box<Negotiated>> {
        self.open(transport.dial().await.map_err(transport_error)?)?;
        let (mut verdict, mut discovered) = self.builder.recall();
        if verdict.is_none() && self.kept.get() == Some(Era::Legacy) {
            verdict = Some(Verdict::Legacy);
        }
        // Nobody has asked the server yet.
        let mut assumed = verdict == Some(Verdict::Legacy);
        let (mut negotiation, mut step) = Negotiation::start(self.builder.versions, verdict);
        let mut initialized = None;
        // Why the link of a probe ended, should no other answer be had.
        let mut death = None;
        let mut replacements = 0;
        loop {
            let replaced = match step {
                Step::Probe { revision, on } => {
                    self.stage = "waiting for the answer to `server/discover` of";
                    initialized = None;
                    self.prepare(on, transport, &mut death).await?;
                    match self.probe(revision).await? {
                        Answered::Answer(Probed { answer, result, failure }) => {
                            discovered = result;
                            death = failure;
                            step = negotiation.probed(answer);
                            None
                        }
                        Answered::Replaced(link) => Some(link),
                    }
                }
                Step::Handshake { revision, on } => {
                    self.stage = "waiting for the answer to `initialize` of";
                    self.prepare(on, transport, &mut death).await?;
                    match self.handshake(revision, std::mem::take(&mut assumed)).await? {
                        Answered::Answer((answer, result)) => {
                            initialized = result;
                            step = negotiation.initialized(answer);
                            None
                        }
                        Answered::Replaced(link) => Some(link),
                    }
                }
                Step::Ready(revision) => return self.ready(revision, initialized, discovered),
                Step::Failed(error) => {
                    return Err(match death {
                        Some(failure) => start_error(StartError::Ended(failure)),
                        None => Error::new(Cause::Negotiation(error)),
                    });
                }
            };
            if let Some(link) = replaced {
                self.open(link)?;
                replacements += 1;
                // One that was replaced again did not survive its probe.
                if replacements > 1 {
                    verdict = Some(Verdict::Legacy);
                }
                let verdict = verdict.filter(|verdict| *verdict == Verdict::Legacy);
                (negotiation, step) = Negotiation::start(self.builder.versions, verdict);
            }
        }
    }

    /// Sees to it that the step is taken on the right link.
    async fn prepare(&mut self, on: On, transport: &dyn Dial, death: &mut Option<Failure>) -> Result<()> {
        if on == On::Current {
            return Ok(());
        }
        if !transport.repeatable() {
            return match death.take() {
                Some(failure) => Err(start_error(StartError::Ended(failure))),
                None => Ok(()),
            };
        }
        // In order, and before the new one starts: two processes of one server may be at odds over a file.
        if let Some(session) = self.session.take() {
            session.close(Duration::ZERO).await;
        }
        self.open(transport.dial().await.map_err(transport_error)?)
    }

    fn open(&mut self, link: Link) -> Result<()> {
        let limits = Limits {
            queued_bytes: self.builder.options.max_queued_bytes,
            close: self.builder.options.close_timeout,
        };
        let session = Session::start(link, self.make_exchanging, Arc::clone(&self.handlers), limits);
        let session = session.map_err(transport_error)?;
        if let Some(replaced) = self.session.replace(session) {
            replaced.begin_close(Duration::ZERO);
        }
        Ok(())
    }

    fn session(&self) -> Result<&Arc<Session>> {
        self.session.as_ref().ok_or_else(|| Error::new(Cause::Closed))
    }

    async fn handshake(
        &mut self,
        revision: Revision,
        assumed: bool,
    ) -> Result<Answered<(HandshakeAnswer, Option<Box<Negotiated>>)>> {
        let params = InitializeRequestParams::new(
            revision,
            self.builder.declared().clone(),
            self.builder.info.clone(),
        );
        let params = crate::call::encode(&params)?;
        self.handshake = Some(params.clone());
        let session = self.session()?;
        let outcome = silent_call(session, "initialize", Some(params), None).await;
        if let Some(link) = session.take_replacement() {
            return Ok(Answered::Replaced(link));
        }
        match outcome.map_err(start_error)? {
            Outcome::Result(raw) => {
                let result: InitializeResult = mcp_types::read::bytes(&raw).map_err(|error| {
                    Error::new(Cause::Decode(error, Raw(raw.clone()))).of_method(&"initialize".into())
                })?;
                let answer = HandshakeAnswer::Initialized(result.protocol_version.clone());
                Ok(Answered::Answer((answer, Some(Negotiated::initialized(result, json(&raw)?)))))
            }
            Outcome::Error(raw) => Ok(Answered::Answer((HandshakeAnswer::from_error(rpc_error(&raw)), None))),
            // The server is not what it was taken for, perhaps.
            Outcome::Lost { failure: Failure::Transport(error), .. }
                if assumed && refuses_the_request(&error) && self.builder.accepts_modern() =>
            {
                let error = JsonRpcError::new(ErrorCode::INVALID_REQUEST, error.to_string());
                Ok(Answered::Answer((HandshakeAnswer::OtherError(error), None)))
            }
            other => Err(outcome_error(other).of_method(&"initialize".into())),
        }
    }

    fn ready(
        &self,
        revision: Revision,
        initialized: Option<Box<Negotiated>>,
        discovered: Option<Box<Negotiated>>,
    ) -> Result<Box<Negotiated>> {
        let session = self.session()?;
        session.settle(revision);
        let is_legacy = revision.era() == Era::Legacy;
        let negotiated = if is_legacy { initialized } else { discovered };
        let Some(mut negotiated) = negotiated else { return Err(Error::new(Cause::Closed)) };
        negotiated.revision = revision;
        if is_legacy {
            session.notify("notifications/initialized".into(), None).map_err(start_error)?;
            if let (Some(params), Some(exchanging)) = (&self.handshake, session.exchanging()) {
                exchanging.keep_handshake(session, params.clone(), self.builder.options.connect_timeout);
            }
        }
        Ok(negotiated)
    }

    /// Adds what the server said beside the protocol: often that is the reason.
    fn explain(&self, error: Error) -> Error {
        let Some(session) = &self.session else { return error };
        let mut error = error;
        if let Some(skipped) = session.first_skipped() {
            let excerpt = &skipped.excerpt;
            error = error.with_context(format!("the server wrote text that is no message: {excerpt:?}"));
        }
        // How a process ended comes with what it said last.
        if error.process().is_none()
            && let Some(said) = session.diagnosis()
        {
            error = error.with_context(format!("standard error: {}", Shown(&said)));
        }
        error
    }
}

impl Settings {
    fn stamp(&self, revision: Revision) -> Result<Stamp> {
        match revision.era() {
            Era::Legacy => Ok(Stamp::legacy()),
            Era::Modern => {
                let mut capabilities = self.declared().clone();
                // The modern era has no notification that roots have changed.
                if let Some(roots) = &mut capabilities.roots {
                    roots.list_changed = None;
                }
                Stamp::modern(revision, &self.info, &capabilities)
                    .map_err(|error| Error::new(Cause::Arguments(error.to_string())))
            }
        }
    }

    fn accepts_modern(&self) -> bool {
        self.versions.newest(Era::Modern).is_some()
    }

    /// What is remembered, if it can be used.
    fn recall(&self) -> (Option<Verdict>, Option<Box<Negotiated>>) {
        let Some(remembered) = &self.remembered else { return (None, None) };
        let Some(revision) = Revision::from_wire(&remembered.revision) else { return (None, None) };
        if revision.era() == Era::Legacy {
            return (Some(Verdict::Legacy), None);
        }
        match &remembered.discover {
            Some(raw) => match mcp_types::read::text(raw.as_str()) {
                Ok(result) => {
                    (Some(Verdict::Modern(revision)), Some(Negotiated::discovered(result, raw.clone())))
                }
                Err(_) => (None, None),
            },
            None => (None, None),
        }
    }
}

/// A call that is not cancelled on the wire, whatever becomes of it.
fn silent_call<'a>(
    session: &'a Session,
    method: &'static str,
    params: Option<Bytes>,
    limit: Option<Duration>,
) -> Later<'a, std::result::Result<Outcome<Failure>, StartError>> {
    let call = OutgoingCall {
        method: method.into(),
        params,
        progress_token: None,
        deadlines: Deadlines { idle: limit, total: None, extend_on_progress: false },
        cancel: CancelMode::Silent,
        continues: false,
        exempt: true,
    };
    Box::pin(async move {
        let begun = tokio::time::Instant::now().into_std();
        let slot = Arc::new(Slot::default());
        match session.perform(begun, &mut Some(call), &Headers::NONE, &slot, false, Duration::MAX).await? {
            CallOutcome::Core(outcome) => Ok(outcome),
            CallOutcome::Cancelled { .. } => Err(StartError::Closing),
        }
    })
}

fn json(raw: &[u8]) -> Result<Json> {
    mcp_types::read::bytes(raw)
        .map_err(|error| Error::new(Cause::Decode(error, Raw(Bytes::copy_from_slice(raw)))))
}

fn transport_error(error: TransportError) -> Error {
    Error::new(Cause::Transport(error))
}
