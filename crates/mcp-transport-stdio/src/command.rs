use std::{
    env,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use mcp_protocol::frame::LineDecoder;
use mcp_transport::{Connect, Delivery, Link, TransportError, TransportErrorKind};
use tokio::{process::Command, runtime::Handle};

use crate::{
    environment::{Change, Inherit, environment, lookup},
    label::label,
    process::{self, Limits, stderr::Stderr},
    resolve::{Os, ResolveError, Search, look, resolve, unsafe_batch_argument},
};

/// Starts a server as a child process and speaks to it over its standard streams. A [`Connect`]: every connection gets
/// a fresh process.
///
/// Section: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).
///
/// ```
/// use std::time::Duration;
/// use mcp_transport_stdio::{Stderr, Stdio};
///
/// let server = Stdio::command("npx")
///     .args(["-y", "@modelcontextprotocol/server-everything"])
///     .env("LOG_LEVEL", "debug")
///     .stderr(Stderr::lines(|line| println!("server: {line}")))
///     .exit_wait(Duration::from_secs(5));
/// ```
#[derive(Clone)]
pub struct Stdio(Arc<Settings>);

/// Shared: cheap to move, to clone and to drop, which a caller's code does in many places.
#[derive(Clone)]
struct Settings {
    program: OsString,
    arguments: Vec<OsString>,
    inherit: Inherit,
    inherit_also: Vec<OsString>,
    changes: Vec<Change>,
    directory: Option<PathBuf>,
    stderr: Stderr,
    max_message_bytes: usize,
    limits: Limits,
}

impl Stdio {
    /// How long each step of ending a process takes at most, unless it is set: 2 seconds.
    pub const DEFAULT_WAIT: Duration = Duration::from_secs(2);

    /// The longest message taken from a server, in bytes, unless it is set: 64 MiB.
    pub const DEFAULT_MAX_MESSAGE_BYTES: usize = LineDecoder::DEFAULT_LIMIT;

    /// Runs `program`: a path, or a name that is looked for in the `PATH` **of the child**. There is no shell:
    /// nothing is expanded or split.
    ///
    /// A name is looked for when the connection is made. The working directory is never searched unasked. On Windows,
    /// names are completed by `PATHEXT` (`npx` is `npx.cmd`), as far as such files can be started without a shell.
    pub fn command(program: impl AsRef<OsStr>) -> Self {
        Self::new(program.as_ref())
    }

    /// Adds an argument.
    pub fn arg(self, argument: impl AsRef<OsStr>) -> Self {
        self.with_argument(argument.as_ref())
    }

    /// Adds arguments.
    pub fn args(self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Sets a variable of the server's environment, over what it inherits.
    pub fn env(self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.with_change(name.as_ref(), Some(value.as_ref()))
    }

    /// Sets variables of the server's environment, over what it inherits.
    pub fn envs(self, variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>) -> Self {
        variables.into_iter().fold(self, |stdio, (name, value)| stdio.env(name, value))
    }

    /// Takes a variable out of the server's environment, inherited or set before.
    pub fn env_remove(self, name: impl AsRef<OsStr>) -> Self {
        self.with_change(name.as_ref(), None)
    }

    /// What the server inherits of our environment. By default what [`Inherit::Listed`] says.
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        self.settings().inherit = inherit;
        self
    }

    /// One more variable that the server inherits of our environment, if it is set there when a connection is made.
    pub fn inherit_env(self, name: impl AsRef<OsStr>) -> Self {
        self.inheriting(name.as_ref())
    }

    /// The server's working directory; ours by default.
    pub fn current_dir(self, directory: impl AsRef<Path>) -> Self {
        self.within(directory.as_ref())
    }

    /// What happens to the server's standard error. By default it is passed on to ours.
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.settings().stderr = stderr;
        self
    }

    /// The longest message taken from the server, in bytes. A longer one is skipped and reported, and the link goes on.
    pub fn max_message_bytes(mut self, limit: usize) -> Self {
        self.settings().max_message_bytes = limit;
        self
    }

    /// At close: how long the server may take to exit after its input was closed, before it is asked to (SIGTERM).
    pub fn exit_wait(mut self, wait: Duration) -> Self {
        self.settings().limits.exit = wait;
        self
    }

    /// At close: how long the server, or what it left running, may take after SIGTERM, before it is forced (SIGKILL).
    pub fn term_wait(mut self, wait: Duration) -> Self {
        self.settings().limits.term = wait;
        self
    }

    /// At close: how long the system may take to end a process that was forced, before that is an error.
    pub fn kill_wait(mut self, wait: Duration) -> Self {
        self.settings().limits.kill = wait;
        self
    }

    fn new(program: &OsStr) -> Self {
        Self(Arc::new(Settings {
            program: program.to_owned(),
            arguments: Vec::new(),
            inherit: Inherit::default(),
            inherit_also: Vec::new(),
            changes: Vec::new(),
            directory: None,
            stderr: Stderr::default(),
            max_message_bytes: Self::DEFAULT_MAX_MESSAGE_BYTES,
            limits: Limits { exit: Self::DEFAULT_WAIT, term: Self::DEFAULT_WAIT, kill: Self::DEFAULT_WAIT },
        }))
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.0)
    }

    fn with_argument(mut self, argument: &OsStr) -> Self {
        self.settings().arguments.push(argument.to_owned());
        self
    }

    fn with_change(mut self, name: &OsStr, value: Option<&OsStr>) -> Self {
        self.settings().changes.push((name.to_owned(), value.map(OsStr::to_owned)));
        self
    }

    fn inheriting(mut self, name: &OsStr) -> Self {
        self.settings().inherit_also.push(name.to_owned());
        self
    }

    fn within(mut self, directory: &Path) -> Self {
        self.settings().directory = Some(directory.to_owned());
        self
    }

    fn start(&self) -> Result<Link, TransportError> {
        let os = Os::HERE;
        let base = self.directory()?;
        let variables =
            environment(os, &mut env::vars_os(), self.0.inherit, &self.0.inherit_also, &self.0.changes);
        let program = self.program(os, &base, &variables)?;
        let mut command = Command::new(&program);
        command.args(&self.0.arguments).env_clear().envs(variables).current_dir(base);
        process::spawn(command, self.label(), self.0.limits, self.0.stderr.clone(), self.0.max_message_bytes)
            .map_err(|error| self.not_started(&program, error))
    }

    fn program(
        &self,
        os: Os,
        base: &Path,
        variables: &[(OsString, OsString)],
    ) -> Result<PathBuf, TransportError> {
        let extensions =
            if os.is_windows() { lookup(os, variables, "PATHEXT").and_then(OsStr::to_str) } else { None };
        let path = lookup(os, variables, "PATH").unwrap_or(OsStr::new(DEFAULT_PATH));
        let directories: Vec<_> = env::split_paths(path).collect();
        let search = Search { os, program: &self.0.program, directories: &directories, extensions, base };
        let program = resolve(&search, &look).map_err(|error| self.not_resolved(&error))?;
        if let Some(at) = unsafe_batch_argument(os, &program, &self.0.arguments) {
            let message = format!(
                "argument {} cannot be handed to the batch file {} safely: it has a line break or a NUL",
                at + 1,
                program.display()
            );
            return Err(configuration(message));
        }
        Ok(program)
    }

    fn directory(&self) -> Result<PathBuf, TransportError> {
        let ours = || {
            env::current_dir()
                .map_err(|error| configuration("our working directory is gone").with_source(error))
        };
        let Some(directory) = &self.0.directory else { return ours() };
        let directory = if directory.is_absolute() { directory.clone() } else { ours()?.join(directory) };
        if directory.is_dir() {
            Ok(directory)
        } else {
            let message = format!("the working directory {} does not exist", directory.display());
            Err(configuration(message))
        }
    }

    fn not_resolved(&self, error: &ResolveError) -> TransportError {
        let kind = match error {
            ResolveError::Empty => TransportErrorKind::Configuration,
            ResolveError::NotFound(_) => TransportErrorKind::NotFound,
            ResolveError::NotExecutable(_) => TransportErrorKind::Connect,
        };
        let message = format!("cannot run `{}`: {error}", self.0.program.to_string_lossy());
        TransportError::new(kind, Delivery::NeverSent, message)
    }

    fn not_started(&self, program: &Path, error: io::Error) -> TransportError {
        let (kind, hint) = match error.kind() {
            io::ErrorKind::InvalidInput => (TransportErrorKind::Configuration, ""),
            // The file is there: it was found a moment ago.
            io::ErrorKind::NotFound => {
                (TransportErrorKind::Connect, " (is it a script whose interpreter is missing?)")
            }
            _ => (TransportErrorKind::Connect, ""),
        };
        let message = format!("starting `{}` ({}) failed: {error}{hint}", self.label(), program.display());
        TransportError::new(kind, Delivery::NeverSent, message).with_source(error)
    }
}

/// Where POSIX systems look for a command when there is no `PATH`.
const DEFAULT_PATH: &str = if cfg!(windows) { "" } else { "/usr/bin:/bin" };

fn configuration(message: impl Into<std::borrow::Cow<'static, str>>) -> TransportError {
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, message)
}

/// Needs a tokio runtime with I/O and time enabled. The process is started within the first poll: dropping the future
/// before or after leaves nothing behind.
impl Connect for Stdio {
    const EXCHANGES: bool = false;

    async fn connect(&self) -> Result<Link, TransportError> {
        if Handle::try_current().is_err() {
            return Err(configuration("a process can only be started within a tokio runtime"));
        }
        self.start()
    }

    /// The command line without its environment; values that look like secrets are masked.
    fn label(&self) -> String {
        label(&self.0.program, &self.0.arguments)
    }
}

/// Without the values of the environment, which may be secrets.
impl fmt::Debug for Stdio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.changes.iter().map(|(name, _)| name).collect();
        f.debug_struct("Stdio")
            .field("command", &self.label())
            .field("inherit", &self.0.inherit)
            .field("environment", &names)
            .field("directory", &self.0.directory)
            .field("stderr", &self.0.stderr)
            .finish_non_exhaustive()
    }
}
