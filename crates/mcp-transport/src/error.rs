use std::{borrow::Cow, error::Error, fmt, sync::Arc, time::Duration};

use mcp_types::jsonrpc::Shown;

/// What became of the message that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// It never left: sending it again cannot make it run twice.
    NeverSent,
    /// It may have reached the peer, which may have executed it.
    MaybeSent,
    /// It reached the peer, which refused it before executing anything.
    Refused,
}

/// What kind of failure of the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// There is nothing at the address: the command does not exist, the name does not resolve.
    NotFound,
    /// The peer is there but no link could be made: spawn failed, connection refused, TLS failed.
    Connect,
    /// The peer ended the link.
    Closed,
    /// The server's process ended.
    Exited,
    /// A proxy on the way cannot be reached, refused, or broke the rules.
    Proxy,
    /// Reading or writing failed.
    Io,
    /// An HTTP status that refuses.
    Http,
    /// The peer does not know the session any more that the link had with it. The link goes on: `initialize`, sent again,
    /// belongs to no session and begins another one.
    SessionLost,
    /// A message is over a limit of the transport.
    TooLarge,
    /// The peer broke the rules of the transport.
    Protocol,
    /// A limit of time was reached.
    Timeout,
    /// The link can be made once only, and was.
    NotRepeatable,
    /// The transport's configuration is not valid.
    Configuration,
}

/// Which check of a server's certificate failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CertificateFailure {
    /// Its time is over.
    Expired,
    /// Its time has not come yet: often the clock of one side is wrong.
    NotYetValid,
    /// It is not one of the host that was connected to.
    WrongName,
    /// Nobody who is trusted vouches for it: it is self-signed, of a private authority, or sent without the certificates
    /// between.
    UnknownIssuer,
    /// It is one of an authority (`CA:TRUE`) and not of a server, as tools make self-signed ones. Trusting it does not help:
    /// it must be made anew, or sign another one.
    AuthorityAsServer,
    /// Its authority took it back.
    Revoked,
    /// Anything else; the message says what.
    Invalid,
}

/// A failure of a transport, cheap to clone.
#[derive(Clone)]
pub struct TransportError(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: TransportErrorKind,
    delivery: Delivery,
    message: Cow<'static, str>,
    process: Option<ProcessFailure>,
    http: Option<HttpFailure>,
    proxy: Option<HttpFailure>,
    certificate: Option<CertificateFailure>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// How a server's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ProcessFailure {
    /// The command as it was run, without its environment.
    pub command: String,
    /// Its exit status, if it exited.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// The last lines that it wrote to standard error; untrusted text.
    pub stderr_tail: String,
}

/// How an HTTP peer refused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// `Content-Type`, as it came.
    pub content_type: Option<String>,
    /// `Retry-After`, as a duration from now.
    pub retry_after: Option<Duration>,
    /// Every `WWW-Authenticate` field, as it came.
    pub www_authenticate: Vec<String>,
    /// The first bytes of the body; untrusted text.
    pub body_excerpt: String,
}

impl TransportError {
    /// An error about a message (or the link itself) with what became of it.
    pub fn new(kind: TransportErrorKind, delivery: Delivery, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Inner {
            kind,
            delivery,
            message: message.into(),
            process: None,
            http: None,
            proxy: None,
            certificate: None,
            source: None,
        }))
    }

    fn change(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The same error with its cause.
    pub fn with_source(self, source: impl Error + Send + Sync + 'static) -> Self {
        self.with_shared_source(Arc::new(source))
    }

    /// Not generic: compiled once, here.
    fn with_shared_source(self, source: Arc<dyn Error + Send + Sync>) -> Self {
        self.change(|inner| inner.source = Some(source))
    }

    /// The same error with how the process ended.
    pub fn with_process(self, process: ProcessFailure) -> Self {
        self.change(|inner| inner.process = Some(process))
    }

    /// The same error with how the HTTP peer refused.
    pub fn with_http(self, http: HttpFailure) -> Self {
        self.change(|inner| inner.http = Some(http))
    }

    /// The same error with how a proxy on the way refused.
    pub fn with_proxy(self, proxy: HttpFailure) -> Self {
        self.change(|inner| inner.proxy = Some(proxy))
    }

    /// The same error with the check of the server's certificate that failed.
    pub fn with_certificate(self, failure: CertificateFailure) -> Self {
        self.change(|inner| inner.certificate = Some(failure))
    }

    /// The same error about a message of another fate.
    pub fn with_delivery(self, delivery: Delivery) -> Self {
        if self.0.delivery == delivery { self } else { self.change(|inner| inner.delivery = delivery) }
    }

    /// What kind of failure.
    pub fn kind(&self) -> TransportErrorKind {
        self.0.kind
    }

    /// What became of the message.
    pub fn delivery(&self) -> Delivery {
        self.0.delivery
    }

    /// How the server's process ended, if it did.
    pub fn process(&self) -> Option<&ProcessFailure> {
        self.0.process.as_ref()
    }

    /// How the HTTP peer refused, if it did.
    pub fn http(&self) -> Option<&HttpFailure> {
        self.0.http.as_ref()
    }

    /// How a proxy on the way refused, if one did: its challenges (`Proxy-Authenticate`) are in `www_authenticate`.
    pub fn proxy(&self) -> Option<&HttpFailure> {
        self.0.proxy.as_ref()
    }

    /// Which check of the server's certificate failed, if one did.
    pub fn certificate(&self) -> Option<CertificateFailure> {
        self.0.certificate
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(process) = &self.0.process {
            write!(f, ": {process}")?;
        }
        if let Some(http) = &self.0.http {
            write!(f, ": {http}")?;
        }
        if let Some(proxy) = &self.0.proxy {
            write!(f, ": {proxy}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ProcessFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.command)?;
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, " exited with status {code}")?,
            (None, Some(signal)) => write!(f, " was ended by signal {signal}")?,
            (None, None) => {}
        }
        if !self.stderr_tail.is_empty() {
            write!(f, "; standard error: {}", Shown(self.stderr_tail.trim_end()))?;
        }
        Ok(())
    }
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP status {}", self.status)?;
        if !self.body_excerpt.is_empty() {
            write!(f, "; body: {}", Shown(self.body_excerpt.trim_end()))?;
        }
        Ok(())
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("TransportError");
        out.field("kind", &self.0.kind).field("delivery", &self.0.delivery).field("message", &self.0.message);
        if let Some(process) = &self.0.process {
            out.field("process", process);
        }
        if let Some(http) = &self.0.http {
            out.field("http", http);
        }
        if let Some(proxy) = &self.0.proxy {
            out.field("proxy", proxy);
        }
        if let Some(certificate) = &self.0.certificate {
            out.field("certificate", certificate);
        }
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
