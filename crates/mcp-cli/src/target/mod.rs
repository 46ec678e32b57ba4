//! From what the command line says of a server to a transport.

mod processes;

use std::{env, ffi::OsString};

use mcp_testkit::demo::Demo;
use mcp_transport::{Connect, Link, TransportError};
use mcp_transport_http::Http;
use mcp_transport_stdio::{Stderr, Stdio};

pub(crate) use processes::Processes;

use crate::{
    args::TargetArgs,
    config::{Config, ServerConfig},
    console,
    failure::Failure,
    nearest::did_you_mean,
    secrets::Secrets,
};

/// A server that can be connected to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) transport: Transport,
    /// What must not be shown: values of header fields and of the environment.
    pub(crate) secrets: Secrets,
}

#[derive(Debug, Clone)]
pub(crate) enum Transport {
    /// A command, and the processes of it that run.
    Stdio(Box<Stdio>, Processes),
    Http(Box<Http>),
    Demo,
}

impl Target {
    /// Finds out which server is meant.
    ///
    /// # Errors
    /// Usage: none or more than one is named, or it cannot be read from the file.
    pub(crate) fn resolve(args: &TargetArgs) -> Result<Self, Failure> {
        let named = [!args.command.is_empty(), args.url.is_some(), args.demo, args.config.is_some()];
        if named.iter().filter(|named| **named).count() != 1 {
            return Err(Failure::usage("name one server")
                .hint("one of: `-- COMMAND ARGS…`, `--url URL`, `--demo`, `--config FILE --server NAME`"));
        }
        if args.url.is_none() && (!args.headers.is_empty() || args.bearer_env.is_some()) {
            return Err(Failure::usage("--header and --bearer-env go with --url"));
        }
        if args.command.is_empty() && !args.env.is_empty() {
            return Err(Failure::usage("--env goes with `-- COMMAND`"));
        }
        if args.server.is_some() && args.config.is_none() {
            return Err(Failure::usage("--server goes with --config FILE"));
        }
        if let Some(url) = &args.url {
            return Self::http(url, &headers(args)?);
        }
        if args.demo {
            return Ok(Self { transport: Transport::Demo, secrets: Secrets::default() });
        }
        if let Some(path) = &args.config {
            let config = Config::read(path).map_err(|error| Failure::usage(error.to_string()))?;
            return Self::configured(&config, args.server.as_deref());
        }
        let mut server = Stdio::command(&args.command[0]).args(&args.command[1..]);
        let mut secrets = Secrets::default();
        for variable in &args.env {
            if let Some((name, value)) = variable.split_once('=') {
                secrets.add(value);
                server = server.env(name, value);
            } else {
                secrets.add(&env::var(variable).unwrap_or_default());
                server = server.inherit_env(variable);
            }
        }
        Ok(Self::stdio(server, secrets))
    }

    fn configured(config: &Config, name: Option<&str>) -> Result<Self, Failure> {
        let names: Vec<_> = config.names().collect();
        let known = || format!("the file has: {}", names.join(", "));
        let name = match (name, names.as_slice()) {
            (Some(name), _) => name,
            (None, [only]) => only,
            (None, _) => return Err(Failure::usage("which server? --server NAME").hint(known())),
        };
        let Some(server) = config.server(name, |name| env::var(name).ok()) else {
            let hint = did_you_mean(name, names.iter().copied()).unwrap_or_else(known);
            return Err(Failure::usage(format!("no server `{name}` in the file")).hint(hint));
        };
        match server.map_err(|error| Failure::usage(error.to_string()))? {
            ServerConfig::Stdio { command, args, env, cwd } => {
                let mut secrets = Secrets::default();
                for (_, value) in &env {
                    secrets.add(value);
                }
                let mut server = Stdio::command(command).args(args).envs(env);
                if let Some(cwd) = cwd {
                    server = server.current_dir(cwd);
                }
                Ok(Self::stdio(server, secrets))
            }
            ServerConfig::Http { url, headers } => Self::http(&url, &headers),
        }
    }

    fn stdio(server: Stdio, secrets: Secrets) -> Self {
        // Line by line, so that what a server says is safe on a terminal and does not break a progress bar.
        let server = server.stderr(Stderr::lines(|line| {
            console::note(&console::err().dim(&format!("server: {}", console::safe(line))));
        }));
        Self { transport: Transport::Stdio(Box::new(server), Processes::default()), secrets }
    }

    fn http(url: &str, headers: &[(String, String)]) -> Result<Self, Failure> {
        let mut http = Http::new(url)?;
        let mut secrets = Secrets::default();
        for (name, value) in headers {
            http = http.header(name, value)?;
            // `Bearer TOKEN`: the token by itself is the secret.
            value.split_whitespace().for_each(|word| secrets.add(word));
        }
        Ok(Self { transport: Transport::Http(Box::new(http)), secrets })
    }
}

fn headers(args: &TargetArgs) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = Vec::new();
    for header in &args.headers {
        // Not shown: the value may be a secret.
        let Some((name, value)) = header.split_once(':') else {
            return Err(Failure::usage("--header takes NAME:VALUE"));
        };
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    if let Some(name) = &args.bearer_env {
        let token = env::var_os(name).filter(|token| !token.is_empty()).map(OsString::into_string);
        match token {
            Some(Ok(token)) => headers.push(("Authorization".into(), format!("Bearer {}", token.trim()))),
            Some(Err(_)) => return Err(Failure::usage(format!("the variable {name} is no UTF-8 text"))),
            None => return Err(Failure::usage(format!("the variable {name} is not set"))),
        }
    }
    Ok(headers)
}

impl Transport {
    /// Waits until every process that was started is gone. Cancel-safe.
    pub(crate) async fn gone(&self) {
        if let Self::Stdio(_, processes) = self {
            processes.gone().await;
        }
    }
}

impl Connect for Transport {
    async fn connect(&self) -> Result<Link, TransportError> {
        match self {
            Self::Stdio(stdio, processes) => Ok(processes.count(stdio.connect().await?)),
            Self::Http(http) => http.connect().await,
            Self::Demo => Demo::new().in_process().connect().await,
        }
    }

    fn repeatable(&self) -> bool {
        true
    }

    fn label(&self) -> String {
        match self {
            Self::Stdio(stdio, _) => stdio.label(),
            Self::Http(http) => http.label(),
            Self::Demo => "demo server".into(),
        }
    }
}
