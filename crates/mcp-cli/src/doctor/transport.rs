//! Whether messages can pass at all.

use mcp_client::{Error, ErrorKind};
use mcp_transport::{CertificateFailure, HttpFailure, TransportErrorKind};

use super::{
    check::{Check, Layer::Transport},
    evidence::Evidence,
};
use crate::failure::Status;

/// More than a talkative server writes to standard error while it starts and lists.
const FLOOD: u64 = 1 << 20;

/// What kind of target it is, and what was found out about it beside the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Command,
    /// Over HTTP: what a bare TCP connection to the host came to, if one was tried.
    Http {
        tcp: Option<Result<(), String>>,
        tls: bool,
    },
    Embedded,
}

/// Judges by what was seen while connecting. `error`: why that failed, if it did.
pub(super) fn judge(kind: &Kind, evidence: &Evidence, error: Option<&Error>) -> Vec<Check> {
    match kind {
        Kind::Command => command(evidence, error),
        Kind::Http { .. } if is_silent(evidence, error) => vec![silent_http(evidence, error)],
        Kind::Http { tcp, tls } => http(tcp.as_ref(), *tls, error),
        Kind::Embedded => Vec::new(),
    }
}

fn command(evidence: &Evidence, error: Option<&Error>) -> Vec<Check> {
    if evidence.links == 0 {
        let Some(error) = error else { return Vec::new() };
        let todo = match error.transport().map(mcp_transport::TransportError::kind) {
            Some(TransportErrorKind::NotFound) => {
                "install it, or give its right path; a bare name is looked for in the folders of the server's PATH, which are above"
            }
            Some(TransportErrorKind::Configuration) => {
                "correct the command, its arguments or its working directory"
            }
            _ => "see that the file is executable, and that the interpreter in its first line exists",
        };
        return vec![Check::bad(Transport, "start", error.to_string(), todo)];
    }
    let mut checks = vec![Check::good(Transport, "start", "the process started")];
    if error.is_some()
        && let Some(process) = evidence.process()
    {
        let when = match evidence.messages {
            0 => "before it answered anything",
            1 => "after one message",
            _ => "after some messages",
        };
        let how = match (process.code, process.signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        let said = match process.stderr_tail.trim_end() {
            "" => "nothing on standard error".to_owned(),
            tail => format!("standard error:\n{tail}"),
        };
        let seen = format!("{how}, {when}; {said}");
        let todo = "run the command by itself: it must wait for messages on its standard input; the reason should stand \
                    on its standard error";
        checks.push(Check::bad(Transport, "stays up", seen, todo));
    } else {
        checks.push(Check::good(Transport, "stays up", "the process runs"));
    }
    checks.extend(output(evidence, error));
    let stderr = &evidence.stderr;
    if stderr.bytes > FLOOD {
        let seen = format!("{} bytes in {} lines", stderr.bytes, stderr.lines);
        let todo = "log less: a host that does not read standard error as fast stops the server";
        checks.push(Check::odd(Transport, "standard error", seen, todo));
    }
    checks
}

/// What came on standard output.
fn output(evidence: &Evidence, error: Option<&Error>) -> Vec<Check> {
    let (_, text) = evidence.junk();
    if let Some(first) = text.first() {
        let times = match evidence.junk {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        let seen = format!(
            "text that is no message, {times}; the first, {} bytes: {:?}",
            first.length, first.excerpt
        );
        let todo = "write logs and banners to standard error: standard output is for messages alone";
        let harmless = error.is_none() || evidence.messages > 0;
        let check = if harmless { Check::odd } else { Check::bad };
        return vec![check(Transport, "standard output", seen, todo.to_owned())];
    }
    if error.is_some() && evidence.messages == 0 && evidence.junk == 0 && evidence.process().is_none() {
        let seen = format!(
            "nothing on standard output, though the process runs and was asked {}; {}",
            asked(evidence),
            evidence.stderr.tail()
        );
        let todo = "see that it is a server for standard input and output, that it flushes after each message, and that \
                    it does not wait for something else first: a login, a download, a terminal";
        return vec![Check::bad(Transport, "standard output", seen, todo)];
    }
    vec![Check::good(Transport, "standard output", format!("{} messages, nothing else", evidence.messages))]
}

/// Whether the time was up before anything came, and for no reason of the transport.
fn is_silent(evidence: &Evidence, error: Option<&Error>) -> bool {
    evidence.messages == 0
        && error.is_some_and(|error| error.transport().is_none() && error.kind() == ErrorKind::Timeout)
}

fn silent_http(evidence: &Evidence, error: Option<&Error>) -> Check {
    let error = error.map(ToString::to_string).unwrap_or_default();
    let seen = format!("no answer, though the server was asked {}: {error}", asked(evidence));
    let todo = "look into the log of the server, or of the proxy before it: requests come in, or should, and are not answered";
    Check::bad(Transport, "answer", seen, todo)
}

fn asked(evidence: &Evidence) -> String {
    let mut methods: Vec<_> = evidence
        .events
        .iter()
        .filter_map(|seen| match seen {
            super::evidence::Seen::Sent(method) => Some(format!("`{method}`")),
            _ => None,
        })
        .collect();
    methods.dedup();
    methods.join(" and ")
}

fn http(tcp: Option<&Result<(), String>>, tls: bool, error: Option<&Error>) -> Vec<Check> {
    let transport = error.and_then(Error::transport);
    let Some(transport) = transport else {
        return vec![Check::good(Transport, "reach", "the server answers over HTTP")];
    };
    let Some(http) = transport.http() else {
        let seen = whole(transport);
        let check = match (transport.kind(), tcp) {
            (TransportErrorKind::Configuration, _) => Check::bad(Transport, "URL", seen, "correct the URL"),
            (TransportErrorKind::NotFound, _) => Check::bad(
                Transport,
                "name",
                seen,
                "see that the host name is right, and known where this runs",
            ),
            (TransportErrorKind::Connect | TransportErrorKind::Timeout, Some(Ok(()))) if tls => Check::bad(
                Transport,
                "TLS",
                format!("the port accepts connections, but TLS fails: {seen}"),
                certificate(transport.certificate()),
            ),
            (TransportErrorKind::Connect | TransportErrorKind::Timeout, _) => Check::bad(
                Transport,
                "connect",
                seen,
                "see that the server runs, on that port, and that no firewall or proxy stands between",
            ),
            (TransportErrorKind::Closed | TransportErrorKind::Io, _) => Check::bad(
                Transport,
                "answer",
                seen,
                "the connection was made and then lost: look into the log of the server, or of the proxy before it",
            ),
            _ => Check::bad(
                Transport,
                "answer",
                seen,
                "see that this is an HTTP server, and an MCP endpoint of it",
            ),
        };
        return vec![check];
    };
    let mut checks = vec![Check::good(Transport, "reach", "the server answers over HTTP")];
    checks.push(refusal(http));
    checks
}

/// What to do when TLS fails, by the check that failed.
fn certificate(failure: Option<CertificateFailure>) -> &'static str {
    match failure {
        Some(CertificateFailure::Expired) => {
            "renew the certificate of the server; if it is good, set the clock of this machine"
        }
        Some(CertificateFailure::NotYetValid) => {
            "set the clock of this machine, or wait until the certificate is valid"
        }
        Some(CertificateFailure::WrongName) => {
            "use the name that the certificate is for, or have one made for this name"
        }
        Some(CertificateFailure::UnknownIssuer) => {
            "make this machine trust the authority (SSL_CERT_FILE names a file of them), or have the server send the \
             certificates between"
        }
        Some(CertificateFailure::AuthorityAsServer) => {
            "have a certificate made for a server (CA:FALSE): this one is that of an authority"
        }
        Some(_) => "have a certificate made anew: this one is not accepted",
        None => "see that the port speaks TLS at all: for a server without it the URL begins with http:",
    }
}

/// An answer that is none of the protocol.
fn refusal(http: &HttpFailure) -> Check {
    let kind = http.content_type.as_deref().unwrap_or("none");
    let mut seen = format!("status {}, content type {kind}", http.status);
    if !http.body_excerpt.is_empty() {
        seen += &format!(", body: {:?}", http.body_excerpt.chars().take(200).collect::<String>());
    }
    let is_page = kind.starts_with("text/html");
    match http.status {
        401 | 403 => {
            let challenges = match http.www_authenticate.as_slice() {
                [] => "no WWW-Authenticate field".to_owned(),
                fields => format!("WWW-Authenticate: {}", fields.join(", ")),
            };
            let todo = if http.status == 401 {
                "give a token with --bearer-env VAR; the challenge says whose"
            } else {
                "the token, or its owner, may not do this; the challenge says what is missing, if there is one"
            };
            Check::bad(Transport, "authorization", format!("status {}; {challenges}", http.status), todo)
                .with_status(Status::Authorization)
        }
        200..300 if is_page => Check::bad(
            Transport,
            "answer",
            seen,
            "this is a web page, not an MCP endpoint: the endpoint has another path (often /mcp), or a login page stands \
             before it",
        ),
        200..300 => Check::bad(
            Transport,
            "answer",
            seen,
            "a POST must be answered with application/json or text/event-stream that holds a message",
        ),
        300..400 => {
            Check::bad(Transport, "answer", seen, "use the URL that it redirects to, if you trust it")
        }
        404 | 405 => Check::bad(
            Transport,
            "answer",
            seen,
            "there is no MCP endpoint at this path: see the server's documents for it (often /mcp), and mind a final slash",
        ),
        429 => Check::bad(Transport, "answer", seen, "too many requests: wait, then try again"),
        400..500 => {
            Check::bad(Transport, "answer", seen, "the server refuses the request: what it says is above")
        }
        _ => Check::bad(Transport, "answer", seen, "the server failed inside: look into its log"),
    }
}

/// What an error says, and what lies behind it.
fn whole(error: &mcp_transport::TransportError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text += &format!(": {cause_text}");
        }
        source = cause.source();
    }
    text
}
