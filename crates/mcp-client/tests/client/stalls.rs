//! Servers that stop in mid-byte, or write a byte at a time: the client over bytes.

use std::future::IntoFuture;

use crate::common::{ALL, builder, in_time, secs, tasks_left};
use mcp_client::{Client, ClientBuilder, Error, ErrorKind, State, Versions};
use mcp_testkit::script::{Peer, Request};
use mcp_transport::{Single, TransportErrorKind};
use mcp_transport_stdio::pipe;
use mcp_types::Revision;
use tokio::time::Instant;

const BOTH: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];
const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"\u00e4 ä"}]}"#;

/// A link over bytes, and the peer at its far end.
fn bytes() -> (Single, Peer) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(near);
    let link = Single::new(pipe(reader, writer));
    let (reader, writer) = tokio::io::split(far);
    (link, Peer::over_bytes(reader, writer))
}

/// A client that asks `revision` alone of the server, so that its first reply decides.
fn pinned(revision: Revision) -> ClientBuilder {
    builder().versions(Versions::exactly(revision)).connect_timeout(secs(30))
}

/// The line that answers the first request of a client of `revision`.
fn welcome(revision: Revision, first: &Request) -> String {
    let result = match revision {
        Revision::V2026_07_28 => format!(
            r#"{{"resultType":"complete","supportedVersions":["{revision}"],"capabilities":{ALL},"ttlMs":0,"cacheScope":"private"}}"#
        ),
        _ => format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{ALL},"serverInfo":{{"name":"s","version":"1"}}}}"#
        ),
    };
    reply(first, &result)
}

fn reply(request: &Request, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request.id())
}

async fn connected(revision: Revision) -> (Client, Peer) {
    let (link, mut peer) = bytes();
    let accept = async {
        let first = peer.expect_request("the first request").await;
        peer.send_bytes(welcome(revision, &first));
        if revision != Revision::V2026_07_28 {
            peer.expect_notification("notifications/initialized").await;
        }
    };
    let (client, ()) = tokio::join!(pinned(revision).connect(link), accept);
    (client.unwrap(), peer)
}

/// How a connect ends when the server writes `written` bytes of its first line and no more; and how long that line is.
async fn stalled_connect(revision: Revision, written: usize, cut: bool) -> (Result<Client, Error>, usize) {
    let (link, mut peer) = bytes();
    let server = async {
        let first = peer.expect_request("the first request").await;
        let text = welcome(revision, &first);
        peer.send_bytes(text.as_bytes()[..written].to_vec());
        if cut {
            peer.close();
        }
        drop(first);
        text.len()
    };
    let (client, length) = tokio::join!(in_time(pinned(revision).connect(link)), server);
    (client, length)
}

/// A stall at every byte of the handshake, and the end of the server there.
#[tokio::test(start_paused = true)]
async fn a_handshake_that_stops_at_any_byte_is_an_error_in_time() {
    let before = tasks_left().await;
    for revision in BOTH {
        for cut in [false, true] {
            let (mut written, mut length) = (0, usize::MAX);
            // The end of the server completes a line that lacks its end alone; silence does not.
            while written + usize::from(cut) < length {
                let begun = Instant::now();
                let (client, line) = Box::pin(stalled_connect(revision, written, cut)).await;
                length = line;
                let what = format!("{revision} {written} of {length}, cut: {cut}");
                let error = client.map(drop).expect_err(&what);
                if cut {
                    assert_eq!(
                        error.transport().expect(&what).kind(),
                        TransportErrorKind::Closed,
                        "{what}: {error}"
                    );
                    assert!(begun.elapsed() < secs(30), "{what}: {:?}", begun.elapsed());
                    let told = error.to_string();
                    assert!(told.contains("closed the connection"), "{what}: {error}");
                    assert_eq!(told.contains("text that is no message"), written > 0, "{what}: {error}");
                } else {
                    // A pin to the modern era leaves nothing to try after a silent probe.
                    let modern = revision == Revision::V2026_07_28;
                    let kind = if modern { ErrorKind::Negotiation } else { ErrorKind::Timeout };
                    assert_eq!(error.kind(), kind, "{what}: {error}");
                    assert!(begun.elapsed() < secs(30 + 10), "{what}: {:?}", begun.elapsed());
                    let waited_for = if modern { "server/discover" } else { "initialize" };
                    assert!(error.to_string().contains(waited_for), "{what}: {error}");
                }
                assert_eq!(tasks_left().await, before, "{what}");
                written += 1;
            }
        }
    }
}

/// The end of the server at any byte of a reply.
#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_any_byte_of_a_reply_fails_the_call() {
    let before = tasks_left().await;
    for revision in BOTH {
        let (mut written, mut length) = (0, usize::MAX);
        while written + 1 < length {
            let (client, mut peer) = connected(revision).await;
            let begun = Instant::now();
            let server = async {
                let line = reply(&peer.expect("tools/call").await, DONE);
                peer.send_bytes(line.as_bytes()[..written].to_vec());
                peer.close();
                line.len()
            };
            let (result, line) = tokio::join!(in_time(client.call_tool("t")), server);
            length = line;
            let what = format!("{revision} {written} of {length}");
            let error = result.map(drop).expect_err(&what);
            assert_eq!(error.transport().expect(&what).kind(), TransportErrorKind::Closed, "{what}: {error}");
            assert!(error.may_have_executed() && !error.is_retryable(), "{what}");
            assert_eq!(begun.elapsed(), secs(0), "{what}");
            assert!(in_time(client.watch_state().wait_for(State::Closed)).await, "{what}");
            drop((client, peer));
            assert_eq!(tasks_left().await, before, "{what}");
            written += 1;
        }
    }
}

/// A stall at any byte of a reply: the call ends at its deadline; the rest of the line, late, harms no other call.
#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_at_any_byte_of_a_reply_holds_one_call_up_to_its_deadline() {
    let before = tasks_left().await;
    for revision in BOTH {
        let (mut written, mut length) = (0, usize::MAX);
        while written < length {
            let (client, mut peer) = connected(revision).await;
            let begun = Instant::now();
            let server = async {
                let line = reply(&peer.expect("tools/call").await, DONE);
                peer.send_bytes(line.as_bytes()[..written].to_vec());
                peer.expect_notification("notifications/cancelled").await;
                let next = peer.expect("tools/call").await;
                peer.send_bytes(line.as_bytes()[written..].to_vec());
                peer.send_bytes(reply(&next, DONE));
                line.len()
            };
            let calls = async {
                let error = in_time(client.call_tool("t").timeout(secs(5))).await.map(drop).unwrap_err();
                assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 5), "{written}");
                assert!(error.may_have_executed());
                in_time(client.call_tool("t").timeout(secs(5))).await
            };
            let (result, line) = tokio::join!(calls, server);
            length = line;
            let what = format!("{revision} {written} of {length}");
            let result = result.expect(&what);
            assert_eq!(result.content[0].as_text().unwrap(), "ä ä", "{what}");
            client.close().await;
            drop((client, peer));
            assert_eq!(tasks_left().await, before, "{what}");
            written += 1;
        }
    }
}

/// Lines in pieces, split in the middle of characters and escapes too.
#[tokio::test(start_paused = true)]
async fn a_server_may_write_a_byte_at_a_time() {
    for revision in BOTH {
        let (link, mut peer) = bytes();
        let server = async {
            let first = peer.expect_request("the first request").await;
            peer.send_in_pieces(welcome(revision, &first), 1);
            if revision != Revision::V2026_07_28 {
                peer.expect_notification("notifications/initialized").await;
            }
            let call = peer.expect("tools/call").await;
            let token = call.progress_token().unwrap();
            let step = |at: u32| {
                let params = format!(r#"{{"progressToken":{token},"progress":{at}}}"#);
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#) + "\r\n"
            };
            peer.send_in_pieces(step(0) + &step(1) + &step(2) + &reply(&call, DONE), 1);
        };
        let calls = async {
            let client = pinned(revision).connect(link).await.unwrap();
            let mut call = client.call_tool("t").with_progress();
            let mut seen = Vec::new();
            while let Some(step) = call.progress().next().await {
                seen.push(step.progress.to_string());
            }
            assert_eq!(seen, ["0", "1", "2"]);
            assert_eq!(call.into_future().await.unwrap().content[0].as_text().unwrap(), "ä ä");
        };
        tokio::join!(server, calls);
    }
}
