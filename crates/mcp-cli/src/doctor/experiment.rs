//! Things that are tried out beside the connection, to tell two causes apart.

use std::{collections::VecDeque, time::Duration};

use mcp_transport::{Connect, Inbound, LinkParts, Outbound, RawMessage, Receiver, Sender};
use tokio::{net::TcpStream, time::timeout};

use crate::target::Transport;

const TCP_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// Whether the host of `url` accepts TCP connections; and whether the URL wants TLS.
pub(super) async fn tcp(url: &str) -> (Option<Result<(), String>>, bool) {
    let tls = url.starts_with("https:");
    let Some((host, port)) = address(url) else { return (None, tls) };
    let tried = match timeout(TCP_LIMIT, TcpStream::connect((host.as_str(), port))).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no connection within {TCP_LIMIT:?}")),
    };
    (Some(tried), tls)
}

/// Host and port of a URL that the transport has taken already.
fn address(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let default = if scheme == "https" { 443 } else { 80 };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, default),
    };
    Some((host.trim_matches(['[', ']']).to_owned(), port))
}

/// Sends a fresh process the probe and then, although that was not answered, the handshake. `Some`: how the process came
/// to its end by that.
pub(super) async fn poisoned(transport: &Transport) -> Option<String> {
    let LinkParts { mut sender, mut receiver, closer, .. } = transport.connect().await.ok()?.into_parts();
    let probe = RawMessage::request(1, "server/discover", Some(r#"{"_meta":{}}"#.into()));
    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcp-doctor","version":"1"}}"#;
    let hello = RawMessage::request(2, "initialize", Some(hello.into()));
    let mut outcome = None;
    for message in [probe, hello] {
        let is_last = matches!(&message, RawMessage::Request(request) if request.method == "initialize");
        let mut batch: VecDeque<Outbound> = [message.into()].into();
        let ended = match sender.send(&mut batch).await {
            Ok(()) => next(&mut receiver).await,
            Err(error) => Some(error.to_string()),
        };
        if let Some(how) = ended {
            outcome = is_last.then_some(how);
            break;
        }
    }
    drop((sender, receiver));
    if let Some(closer) = closer {
        // However it ends: this was an experiment.
        let _ = closer.close().await;
    }
    outcome
}

/// How the link ended, if it did; `None` for a message or for silence.
async fn next(receiver: &mut impl Receiver) -> Option<String> {
    let mut inbound = Vec::new();
    let listen = async {
        loop {
            match receiver.recv(&mut inbound).await {
                Ok(true) if inbound.iter().any(|entry| matches!(entry, Inbound::Message { .. })) => {
                    return None;
                }
                // A banner, say.
                Ok(true) => inbound.clear(),
                Ok(false) => return Some("it closed its output".into()),
                Err(error) => return Some(error.to_string()),
            }
        }
    };
    timeout(ANSWER_LIMIT, listen).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (url, host, port) in [
            ("https://h/mcp", "h", 443),
            ("http://h:8080", "h", 8080),
            ("http://[::1]:9/x", "::1", 9),
            ("http://[::1]/x", "::1", 80),
            ("https://h?x", "h", 443),
        ] {
            assert_eq!(address(url), Some((host.to_owned(), port)), "{url}");
        }
        assert_eq!(address("h"), None);
        assert_eq!(address("http://h:x"), None);
    }
}
