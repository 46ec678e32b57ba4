//! From end to end: the client over HTTP.

use mcp_client::{Client, ErrorKind};
use mcp_types::Revision;

use crate::{WIRE, common::secs};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
const CALLED: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

fn builder() -> mcp_client::ClientBuilder {
    Client::builder("test", "1.0.0").connect_timeout(secs(8))
}

#[tokio::test]
async fn a_modern_server_is_found_and_called() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    let serve = async {
        let probe = server.expect("server/discover").await;
        assert_eq!(probe.request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(probe.request.header("mcp-method"), Some("server/discover"));
        probe.result(DISCOVERED).await;
        let call = server.expect("tools/call").await;
        assert_eq!(call.request.header("mcp-name"), Some("t"));
        call.result(CALLED).await;
        let mut call = server.expect("tools/call").await;
        call.start_events(&[]).await.unwrap();
        let params = String::from_utf8(call.request.body.to_vec()).unwrap();
        let token =
            params.split("\"progressToken\":").nth(1).unwrap().split([',', '}']).next().unwrap().to_owned();
        let progress = format!(r#"{{"progressToken":{token},"progress":1}}"#);
        let note = format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{progress}}}"#);
        call.event(&note).await.unwrap();
        call.result_event(CALLED).await.unwrap();
        call.end().await;
    };
    let calls = async {
        let client = builder().connect(http).await.unwrap();
        assert_eq!(client.revision(), Revision::V2026_07_28);
        client.call_tool("t").await.unwrap();
        let mut call = client.call_tool("t").with_progress();
        assert_eq!(call.progress().next().await.unwrap().progress.to_string(), "1");
        call.await.unwrap();
        client
    };
    let ((), client) = tokio::join!(serve, calls);
    client.close().await;
    assert!(server.try_next().is_none(), "nothing to end");
    assert_eq!(server.accepted(), 1);
}

/// Field report P-10 and quirk 7: refusals of the probe that lead to `initialize`.
#[tokio::test]
async fn a_legacy_server_is_found_whatever_it_says_to_the_probe() {
    let json = [("content-type", "application/json")];
    for (status, fields, body) in [
        (400, &[][..], ""),
        (400, &[("content-type", "text/html")], "<html>"),
        (
            400,
            &json,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"}}"#,
        ),
        (
            400,
            &[json[0], ("mcp-session-id", "not-ours")],
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}"#,
        ),
        (400, &json, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}"#),
        (403, &[], "Access denied"),
        (404, &[], "Not found"),
        (405, &[], ""),
        (200, &json, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}"#),
    ] {
        let mut server = WIRE.serve().await;
        let http = WIRE.http(&server);
        let serve = async {
            server.expect("server/discover").await.respond(status, fields, body).await;
            let initialize = server.expect("initialize").await;
            assert!(initialize.request.header("mcp-session-id").is_none());
            let id = initialize.request.rpc_id().unwrap();
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{INITIALIZED}}}"#);
            initialize.respond(200, &[json[0], ("mcp-session-id", "s")], answer).await;
            server.expect("notifications/initialized").await.accept().await;
            server.expect("GET").await.respond(405, &[], "").await;
            let call = server.expect("tools/call").await;
            assert_eq!(call.request.header("mcp-session-id"), Some("s"));
            assert_eq!(call.request.header("mcp-protocol-version"), Some("2025-06-18"));
            call.result(r#"{"content":[]}"#).await;
        };
        let calls = async {
            let client = builder().connect(http).await.unwrap();
            assert_eq!(client.revision(), Revision::V2025_06_18);
            client.call_tool("t").await.unwrap();
            client
        };
        let ((), client) = tokio::join!(serve, calls);
        tokio::join!(client.close(), async {
            let delete = server.expect("DELETE").await;
            assert_eq!(delete.request.header("mcp-session-id"), Some("s"));
            delete.respond(200, &[], "").await;
        });
    }
}

/// Field report P-10: what a modern server says is not taken for a legacy one.
#[tokio::test]
async fn a_modern_refusal_of_the_probe_is_no_fallback() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    let unsupported = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}"#;
    let serve = async {
        server.expect("server/discover").await.respond(400, &[], unsupported).await;
        server.expect("server/discover").await.result(DISCOVERED).await;
    };
    let (client, ()) = tokio::join!(builder().connect(http).into_future(), serve);
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);

    for (status, fields) in [(401, &[("www-authenticate", "Bearer")][..]), (500, &[])] {
        let mut server = WIRE.serve().await;
        let http = WIRE.http(&server);
        let (client, ()) = tokio::join!(builder().connect(http).into_future(), async {
            server.expect("server/discover").await.respond(status, fields, "").await;
        });
        let error = client.unwrap_err();
        assert_eq!((error.kind(), error.http().unwrap().status), (ErrorKind::Transport, status));
        assert!(server.try_next().is_none());
    }
}

/// Field report P-04: a dropped call and an expired one close their connections; nothing is sent.
#[tokio::test]
async fn a_modern_call_is_cancelled_by_closing_its_connection() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    let (client, ()) = tokio::join!(builder().connect(http).into_future(), async {
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    let client = client.unwrap();
    for begun in [false, true] {
        let call = tokio::spawn(client.call_tool("t").into_future());
        let mut exchange = server.expect("tools/call").await;
        if begun {
            exchange.start_events(&[]).await.unwrap();
        }
        call.abort();
        exchange.gone().await;
    }
    let limited = client.call_tool("t").timeout(std::time::Duration::from_millis(200)).into_future();
    let (late, ()) = tokio::join!(limited, async { server.expect("tools/call").await.gone().await });
    assert_eq!(late.unwrap_err().kind(), ErrorKind::Timeout);
    assert!(server.try_next().is_none());
}

/// Field report H-03.
#[tokio::test]
async fn a_stream_without_a_reply_fails_the_call_at_once() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server);
    let (client, ()) = tokio::join!(builder().connect(http).into_future(), async {
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    let client = client.unwrap();
    let foreign = r#"{"jsonrpc":"2.0","id":"xxx","error":{"code":-1,"message":"not yours"}}"#;
    let (failed, ()) = tokio::join!(client.call_tool("t").into_future(), async {
        let mut exchange = server.expect("tools/call").await;
        exchange.start_events(&[]).await.unwrap();
        exchange.event(foreign).await.unwrap();
        exchange.end().await;
    });
    let error = failed.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(error.may_have_executed());
}
