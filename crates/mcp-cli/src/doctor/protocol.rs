//! Whether what passes is the protocol.

use mcp_client::{Client, Diagnostic, Dropped, Error, ErrorKind, NegotiationError};
use mcp_types::{Era, ErrorCode, JsonObject, Request};

use super::{
    check::{Check, Layer::Protocol},
    evidence::Evidence,
};

/// Judges by what was seen while connecting. `error`: why that failed, if it did.
pub(super) fn judge(evidence: &Evidence, error: Option<&Error>) -> Vec<Check> {
    let mut checks = Vec::new();
    let (broken, _) = evidence.junk();
    if let Some(first) = broken.first() {
        let what = match first.kind {
            mcp_transport::SkippedKind::NotAMessage(why) => why.to_string(),
            mcp_transport::SkippedKind::TooLong => "longer than a message may be".into(),
            _ => "broken JSON".into(),
        };
        let seen = format!("{what}; the frame, {} bytes: {:?}", first.length, first.excerpt);
        let todo = "each message is one line of JSON with \"jsonrpc\": \"2.0\", and an id, a method, or both";
        checks.push(Check::bad(Protocol, "messages", seen, todo));
    }
    checks.extend(error.and_then(|error| negotiation(evidence, error)));
    checks
}

fn negotiation(evidence: &Evidence, error: &Error) -> Option<Check> {
    if let Some(NegotiationError::NoCommonRevision { offered }) = error.negotiation() {
        let offered: Vec<_> = offered.iter().map(mcp_types::ProtocolVersion::as_str).collect();
        let offered = if offered.is_empty() { "none by name".to_owned() } else { offered.join(", ") };
        let seen = format!("no revision in common; the server offers {offered}");
        let todo = "a server must answer `initialize` with a revision of the specification, such as 2025-11-25; if you \
                    pinned one with --protocol, leave that out";
        return Some(Check::bad(Protocol, "negotiation", seen, todo));
    }
    match error.kind() {
        ErrorKind::Negotiation | ErrorKind::Rpc => {
            let todo =
                "`initialize` must be answered with a result: the error above is what the server answered";
            Some(Check::bad(Protocol, "negotiation", error.to_string(), todo))
        }
        ErrorKind::InvalidResult => {
            let raw = error.raw_result().map(|raw| raw.to_string()).unwrap_or_default();
            let raw: String = raw.chars().take(400).collect();
            let todo = "the result needs protocolVersion, capabilities and serverInfo (legacy), or supportedVersions and \
                        capabilities (modern)";
            Some(Check::bad(Protocol, "negotiation", format!("{error}; the result: {raw}"), todo))
        }
        ErrorKind::Timeout if evidence.messages > 0 => {
            let seen = format!("{error}; {} other messages came", evidence.messages);
            let todo = "each request must be answered, with its own id";
            Some(Check::bad(Protocol, "negotiation", seen, todo))
        }
        _ => None,
    }
}

/// What is known once a connection stands.
pub(super) fn connected(evidence: &Evidence, client: &Client) -> Check {
    let era = match client.negotiated().era() {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    };
    let seen = format!("{era} era, revision {}", client.revision());
    if evidence.links < 2 {
        return Check::good(Protocol, "negotiation", seen);
    }
    let first = match evidence.first_process_died() {
        Some(process) => format!("the first process exited ({}) on `server/discover`", exit(process)),
        None => "the first process was silent on `server/discover`".into(),
    };
    let seen = format!("{seen}; but {first}, and only a fresh one answered `initialize`");
    Check::odd(
        Protocol,
        "negotiation",
        seen,
        UNKNOWN_METHOD.to_owned() + "; --protocol 2025-11-25 does without that request",
    )
}

/// After an experiment: the process that got the probe does not survive what comes next.
pub(super) fn poisoned(how: &str) -> Check {
    let seen = format!("after `server/discover` the same process does not get to answer `initialize`: {how}");
    Check::odd(Protocol, "unknown requests", seen, UNKNOWN_METHOD)
}

const UNKNOWN_METHOD: &str =
    "an unknown request must be answered with the error -32601, and the server must go on";

fn exit(process: &mcp_transport::ProcessFailure) -> String {
    match (process.code, process.signal) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "for no known reason".into(),
    }
}

/// Things that came where they do not belong.
pub(super) fn strays(evidence: &Evidence) -> Vec<Check> {
    let mut checks = Vec::new();
    for diagnostic in &evidence.diagnostics {
        let check = match diagnostic {
            Diagnostic::Dropped(Dropped::LateReply(id)) => Check::odd(
                Protocol,
                "replies",
                format!("a second, or very late, reply to the request {id}"),
                "answer each request once",
            ),
            Diagnostic::Dropped(Dropped::ForeignReply(id)) => Check::bad(
                Protocol,
                "replies",
                format!("a reply to the request {id}, which was never made"),
                "a reply carries the id of its request, of the same JSON type",
            ),
            Diagnostic::Dropped(Dropped::UnattributedError(text)) => Check::odd(
                Protocol,
                "replies",
                format!("an error without an id: {}", String::from_utf8_lossy(text)),
                "an error carries the id of its request; without one nobody knows what failed",
            ),
            Diagnostic::Dropped(Dropped::Batch(count)) => Check::bad(
                Protocol,
                "messages",
                format!("a batch of {count} messages, in a revision that has none"),
                "write each message by itself",
            ),
            Diagnostic::SessionLost => Check::odd(
                Protocol,
                "session",
                "the server lost the session, and a new one was started",
                "keep a session until it is ended, or tell in the documents how long one lasts",
            ),
            Diagnostic::UnreadableNotification { method, error } => Check::odd(
                Protocol,
                "messages",
                format!("the params of `{method}` cannot be read: {error}"),
                "write them as the specification has them",
            ),
            Diagnostic::RequestInModernEra { method } => Check::bad(
                Protocol,
                "messages",
                format!("the server sent the request `{method}`; modern servers ask within results"),
                "return an `input_required` result instead",
            ),
            _ => continue,
        };
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

/// A method that no specification has.
struct NoSuchMethod;

impl Request for NoSuchMethod {
    const METHOD: &'static str = "mcp-cli.doctor/no-such-method";
    type Params = JsonObject;
    type Result = JsonObject;
}

/// Asks what any server must be able to answer.
pub(super) async fn exercise(client: &Client) -> Vec<Check> {
    let begun = std::time::Instant::now();
    let ping = match client.ping().await {
        Ok(()) => Check::good(Protocol, "ping", format!("answered after {} ms", begun.elapsed().as_millis())),
        Err(error) => {
            let method = if client.negotiated().era() == Era::Legacy { "ping" } else { "server/discover" };
            let todo = format!("`{method}` must be answered at any time");
            // Refused, it still shows that the server is there.
            let check = if error.rpc().is_some() { Check::odd } else { Check::bad };
            check(Protocol, "ping", error.to_string(), todo)
        }
    };
    let unknown = match client.request::<NoSuchMethod>(JsonObject::new()).await {
        Err(error) if error.rpc().is_some_and(|rpc| rpc.code == ErrorCode::METHOD_NOT_FOUND) => {
            Check::good(Protocol, "unknown requests", "refused with -32601")
        }
        Err(error) if error.rpc().is_some() || error.http().is_some_and(|http| http.status < 500) => {
            Check::odd(Protocol, "unknown requests", error.to_string(), UNKNOWN_METHOD)
        }
        Err(error) => Check::bad(Protocol, "unknown requests", error.to_string(), UNKNOWN_METHOD),
        Ok(_) => Check::odd(Protocol, "unknown requests", "answered with a result", UNKNOWN_METHOD),
    };
    vec![ping, unknown]
}
