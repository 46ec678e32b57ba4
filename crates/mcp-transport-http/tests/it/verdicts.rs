//! The era of the servers of an origin, kept and shared. Field report P-10.

use std::future::IntoFuture;

use mcp_client::{
    Client, Verdicts,
    types::{Era, Revision},
};
use mcp_testkit::http::HttpServer;
use mcp_transport_http::Http;

use crate::common::secs;

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;

/// Connects to the path `path`, while the server does what `serve` says; which revision was found.
async fn connect(
    server: &mut HttpServer,
    path: &str,
    verdicts: &Verdicts,
    serve: impl AsyncFnOnce(&mut HttpServer),
) -> Revision {
    let http = Http::new(&server.url().replace("/mcp", path)).unwrap();
    let builder = Client::builder("test", "1.0.0").connect_timeout(secs(8)).verdicts(verdicts);
    let (client, ()) = tokio::join!(builder.connect(http).into_future(), serve(server));
    let client = client.unwrap();
    client.close().await;
    while server.try_next().is_some() {}
    client.revision()
}

/// The first request must be of `method`.
async fn first(server: &mut HttpServer, method: &str) -> mcp_testkit::http::HttpExchange {
    let exchange = server.next().await;
    assert_eq!(exchange.request.rpc_method().as_deref(), Some(method));
    exchange
}

async fn is_legacy(server: &mut HttpServer) {
    server.expect("initialize").await.result(INITIALIZED).await;
    server.expect("notifications/initialized").await.accept().await;
}

#[tokio::test]
async fn a_legacy_origin_is_probed_once() {
    let (mut server, verdicts) = (HttpServer::start().await, Verdicts::new());
    let found = connect(&mut server, "/mcp", &verdicts, async |server| {
        first(server, "server/discover").await.respond(400, &[], "").await;
        is_legacy(server).await;
    });
    assert_eq!(found.await, Revision::V2025_06_18);
    let origin = format!("http://{}", server.address());
    assert_eq!(verdicts.all(), [(origin.clone(), Era::Legacy)]);
    // Another server of the same origin.
    let found = connect(&mut server, "/other?tenant=1", &verdicts, async |server| {
        first(server, "initialize").await.result(INITIALIZED).await;
        server.expect("notifications/initialized").await.accept().await;
    });
    assert_eq!(found.await, Revision::V2025_06_18);
    // Another origin.
    let mut other = HttpServer::start().await;
    let found = connect(&mut other, "/mcp", &verdicts, async |server| {
        first(server, "server/discover").await.result(DISCOVERED).await;
    });
    assert_eq!(found.await, Revision::V2026_07_28);
    assert_eq!(verdicts.get(&origin), Some(Era::Legacy));
}

/// What proves wrong is asked anew, in either direction, however the server refuses; quirk 8.
#[tokio::test]
async fn a_verdict_that_proves_wrong_is_replaced() {
    let json = [("content-type", "application/json")];
    let error = |code| format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}"#);
    for (status, body) in [
        (400, error(-32022)),
        (404, error(-32601)),
        (200, error(0)),
        (404, String::new()),
        (405, "<html>".to_owned()),
    ] {
        let (mut server, verdicts) = (HttpServer::start().await, Verdicts::new());
        let origin = format!("http://{}", server.address());
        verdicts.set(origin.clone(), Era::Legacy);
        let found = connect(&mut server, "/mcp", &verdicts, async |server| {
            first(server, "initialize").await.respond(status, &json, &body).await;
            loop {
                let next = server.next().await;
                if next.request.rpc_method().as_deref() == Some("server/discover") {
                    return next.result(DISCOVERED).await;
                }
                // Perhaps it is one of 2024-11-05.
                assert_eq!(next.request.method, "GET");
                next.respond(405, &[], "").await;
            }
        });
        assert_eq!(found.await, Revision::V2026_07_28, "{status} {body}");
        assert_eq!(verdicts.get(&origin), Some(Era::Modern));

        let found = connect(&mut server, "/mcp", &verdicts, async |server| {
            first(server, "server/discover").await.respond(404, &[], "").await;
            is_legacy(server).await;
        });
        assert_eq!(found.await, Revision::V2025_06_18);
        assert_eq!(verdicts.get(&origin), Some(Era::Legacy));
    }
}

/// An origin that could not be connected to is asked from the beginning the next time.
#[tokio::test]
async fn a_failure_leaves_no_verdict() {
    let (mut server, verdicts) = (HttpServer::start().await, Verdicts::new());
    let origin = format!("http://{}", server.address());
    verdicts.set(origin.clone(), Era::Legacy);
    let http = Http::new(&server.url()).unwrap();
    let (client, ()) = tokio::join!(
        Client::builder("test", "1.0.0").verdicts(&verdicts).connect(http).into_future(),
        async { server.expect("initialize").await.respond(401, &[], "").await }
    );
    assert_eq!(client.unwrap_err().http().unwrap().status, 401);
    assert_eq!(verdicts.get(&origin), None);
}
