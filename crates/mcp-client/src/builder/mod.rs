mod serve;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use mcp_protocol::negotiate::Versions;
use mcp_transport::Connect;
use mcp_types::{ClientCapabilities, Implementation, Json, JsonSchema, Tool};

use crate::{
    Client, OnInvalidOutput, Remembered, Result, Retry, StateWatch, Verdicts, connect::connect,
    handlers::Handlers, input::Roots, output::OutputCheck, state::StateSender,
};

/// The limits that hold when nothing else is said.
pub mod defaults {
    use std::time::Duration;

    /// A call, without a sign of life.
    pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);
    /// A list, a ping and the like, without a sign of life.
    pub const METADATA_TIMEOUT: Duration = Duration::from_secs(10);
    /// Any call, in total.
    pub const TOTAL_TIMEOUT: Duration = Duration::from_secs(600);
    /// The answer to `server/discover`, before the server is taken for a legacy one.
    pub const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
    /// Connecting, in total.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);
    /// Calls in flight, when the client is closed.
    pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
    /// Calls in flight at once; further ones wait.
    pub const MAX_CALLS: usize = 1024;
    /// Bytes of messages that wait to be sent; further calls wait.
    pub const MAX_QUEUED_BYTES: usize = 64 << 20;
    /// Requests that one call takes, when the server asks for input again and again.
    pub const MAX_ROUNDS: usize = 10;
    /// Pages that a list is read to.
    pub const MAX_PAGES: usize = 1000;
}

/// What is to be known before connecting. See [`Client::builder`].
pub struct ClientBuilder(Arc<Settings>);

/// What a builder holds: behind a pointer, because builders are moved from method to method. Nobody shares it before connecting
/// begins.
pub(crate) struct Settings {
    pub(crate) info: Implementation,
    /// What the application declares itself.
    capabilities: ClientCapabilities,
    /// What follows from the handlers.
    served: ClientCapabilities,
    /// What was declared in the end, for handlers that depend on it.
    declared: Arc<OnceLock<ClientCapabilities>>,
    pub(crate) versions: Versions,
    pub(crate) remembered: Option<Remembered>,
    pub(crate) known_tools: Vec<Tool>,
    pub(crate) verdicts: Option<Verdicts>,
    pub(crate) options: Options,
    pub(crate) output_check: Option<OutputCheck>,
    pub(crate) handlers: Handlers,
    pub(crate) roots: Option<Roots>,
    pub(crate) state: StateSender,
}

/// Limits of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) call_timeout: Duration,
    pub(crate) metadata_timeout: Duration,
    pub(crate) total_timeout: Duration,
    pub(crate) probe_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) close_timeout: Duration,
    pub(crate) max_calls: usize,
    pub(crate) max_queued_bytes: usize,
    pub(crate) retry: Option<Retry>,
}

impl ClientBuilder {
    pub(crate) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self::of(Implementation::new(name, version))
    }

    /// Not generic, so that it is compiled once.
    fn of(info: Implementation) -> Self {
        Self(Arc::new(Settings {
            info,
            capabilities: ClientCapabilities::new(),
            served: ClientCapabilities::new(),
            declared: Arc::default(),
            versions: Versions::auto(),
            remembered: None,
            known_tools: Vec::new(),
            verdicts: None,
            options: Options {
                call_timeout: defaults::CALL_TIMEOUT,
                metadata_timeout: defaults::METADATA_TIMEOUT,
                total_timeout: defaults::TOTAL_TIMEOUT,
                probe_timeout: defaults::PROBE_TIMEOUT,
                connect_timeout: defaults::CONNECT_TIMEOUT,
                close_timeout: defaults::CLOSE_TIMEOUT,
                max_calls: defaults::MAX_CALLS,
                max_queued_bytes: defaults::MAX_QUEUED_BYTES,
                retry: None,
            },
            output_check: None,
            handlers: Handlers::default(),
            roots: None,
            state: StateSender::new(),
        }))
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::get_mut(&mut self.0).expect("a builder is not shared before it connects")
    }

    /// Who the client is, with title, icons and the rest.
    pub fn implementation(mut self, info: Implementation) -> Self {
        self.settings().info = info;
        self
    }

    /// What the client can do, beside what follows from its handlers: extensions, say. A capability that is declared here
    /// counts as it stands here, also where a handler would declare more. What is declared must be served.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.settings().capabilities = capabilities;
        self
    }

    /// Which revisions are accepted: pin one with [`Versions::exactly`], set a floor with [`Versions::at_least`].
    /// Default: all.
    pub fn versions(mut self, versions: Versions) -> Self {
        self.settings().versions = versions;
        self
    }

    /// What an earlier connection to the same server found out: saves the probe.
    pub fn remembered(mut self, remembered: Remembered) -> Self {
        self.settings().remembered = Some(remembered);
        self
    }

    /// Definitions of tools that are known before they are listed: of an earlier connection to the same server, say. A call
    /// needs its tool's definition where the server wants arguments in header fields (over HTTP, in the modern era):
    /// without it, the first such call is refused, and made again after a listing. Definitions that are listed later
    /// replace these.
    ///
    /// Section: [Custom Headers from Tool Parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).
    pub fn known_tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.settings().known_tools.extend(tools);
        self
    }

    /// A store of what is known of each origin: clients that share it do not probe a legacy server twice. What
    /// [`remembered`](Self::remembered) says of this server counts more.
    pub fn verdicts(mut self, verdicts: &Verdicts) -> Self {
        self.settings().verdicts = Some(verdicts.clone());
        self
    }

    /// How long a call may take without a sign of life. Default: [`defaults::CALL_TIMEOUT`].
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings().options.call_timeout = limit;
        self
    }

    /// The same for lists, pings and the like. Default: [`defaults::METADATA_TIMEOUT`].
    pub fn metadata_timeout(mut self, limit: Duration) -> Self {
        self.settings().options.metadata_timeout = limit;
        self
    }

    /// How long any call may take in total, whatever progress it makes. Default: [`defaults::TOTAL_TIMEOUT`].
    pub fn total_timeout(mut self, limit: Duration) -> Self {
        self.settings().options.total_timeout = limit;
        self
    }

    /// How long to wait for the answer to `server/discover` before the server is taken for a legacy one. Too short a
    /// limit takes slow modern servers for silent ones. Default: [`defaults::PROBE_TIMEOUT`].
    pub fn probe_timeout(mut self, limit: Duration) -> Self {
        self.settings().options.probe_timeout = limit;
        self
    }

    /// How long connecting may take in total. Default: [`defaults::CONNECT_TIMEOUT`].
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings().options.connect_timeout = limit;
        self
    }

    /// How long calls in flight have to finish when the client is closed. Default: [`defaults::CLOSE_TIMEOUT`].
    pub fn close_timeout(mut self, limit: Duration) -> Self {
        self.settings().options.close_timeout = limit;
        self
    }

    /// How many calls may be in flight at once; further ones wait, within their deadlines. At least 1. Default:
    /// [`defaults::MAX_CALLS`].
    pub fn max_calls(mut self, limit: usize) -> Self {
        self.settings().options.max_calls = limit.max(1);
        self
    }

    /// How many bytes of messages may wait to be sent; further calls wait, within their deadlines. A single larger
    /// message is sent when nothing else waits. Default: [`defaults::MAX_QUEUED_BYTES`].
    pub fn max_queued_bytes(mut self, limit: usize) -> Self {
        self.settings().options.max_queued_bytes = limit;
        self
    }

    /// When calls are tried again. Default: never.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.settings().options.retry = Some(retry);
        self
    }

    /// Holds the structured result of a tool against the output schema that the tool declares, by `check`: a JSON Schema
    /// validator, such as that of `mcp-json-schema`. Default: nothing is checked.
    ///
    /// A tool is known once it was listed through this client, or [given](Self::known_tools), and until the server says that
    /// its tools changed. A tool's own failure (`isError`) comes as it is. When there is no structured result, or `check`
    /// refuses it, `on_invalid` says what happens.
    ///
    /// `check` runs in the task that awaits the call, and must not block.
    ///
    /// Section: [Output Schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).
    pub fn validate_output<E: fmt::Display>(
        mut self,
        on_invalid: OnInvalidOutput,
        check: impl Fn(&JsonSchema, &Json) -> std::result::Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.settings().output_check = Some(OutputCheck::new(on_invalid, check));
        self
    }

    /// Watches the state, from before connecting on.
    pub fn watch_state(&self) -> StateWatch {
        self.0.state.watch()
    }

    /// Connects: makes a link, finds era and revision, and returns when calls may be made.
    ///
    /// Cancel-safe: when the future is dropped, at whatever stage, the link is ended and nothing is left.
    ///
    /// # Errors
    /// When no link can be made, there is no common revision, the server refuses, or the connect limit is reached.
    pub fn connect(self, transport: impl Connect) -> impl Future<Output = Result<Client>> + Send {
        connect(self.0, Box::new(transport))
    }
}

impl Settings {
    /// What the client declares: what the application says, and for the rest what follows from its handlers.
    pub(crate) fn declared(&self) -> &ClientCapabilities {
        self.declared.get_or_init(|| {
            let mut declared = self.capabilities.clone();
            let served = self.served.clone();
            declared.elicitation = declared.elicitation.or(served.elicitation);
            declared.sampling = declared.sampling.or(served.sampling);
            declared.roots = declared.roots.or(served.roots);
            declared
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("info", &self.0.info)
            .field("versions", &self.0.versions)
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
