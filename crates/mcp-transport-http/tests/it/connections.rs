//! How many connections there are, and when they are used again.

use mcp_testkit::http::HttpServer;
use mcp_transport::{ExchangeEnd, OutboundMessage, contract::patiently};
use mcp_transport_http::{Http, HttpClient};
use mcp_types::Revision;

use crate::common::{Near, answered, in_session, modern, ms, pair, still_works};

/// 1,000 calls at once: all answered, connections bounded, none lost; long streams do not count.
#[tokio::test]
async fn a_thousand_calls_share_a_few_connections() {
    const STREAMS: i64 = 20;
    const CONNECTIONS: i64 = 8;
    let mut server = HttpServer::start().await;
    let near = Near::open(Http::new(&server.url()).unwrap().max_connections(8)).await;
    let mut streams = Vec::new();
    for id in 0..STREAMS {
        let method = if id % 2 == 0 { "subscriptions/listen" } else { "tools/call" };
        let call = near.start(modern(2000 + id, method));
        let mut exchange = server.next().await;
        exchange.start_events(&[]).await.unwrap();
        streams.push((call, exchange));
    }
    let calls: Vec<_> = (1..=1000).map(|id| near.start(modern(id, "tools/list"))).collect();
    let serve = async {
        for _ in 0..1000 {
            let exchange = server.next().await;
            tokio::spawn(exchange.result("{}"));
        }
    };
    let finish = async {
        for call in calls {
            call.reply().await;
        }
    };
    tokio::join!(serve, finish);
    let open = i64::try_from(server.most_open()).unwrap();
    assert!(open <= CONNECTIONS + STREAMS, "{open} connections");
    for (mut call, mut exchange) in streams {
        exchange.result_event("{}").await.unwrap();
        call.message().await;
        exchange.end().await;
        assert!(matches!(call.end().await, ExchangeEnd::Complete));
    }
}

/// A connection that the server closed while it was idle is not used: nothing fails.
#[tokio::test]
async fn a_connection_that_ended_while_idle_is_not_used() {
    let (near, mut server) = pair().await;
    for round in 1..=5 {
        let call = near.start(modern(1, "tools/list"));
        let mut exchange = server.next().await;
        let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 36\r\n\r\n";
        exchange.raw(format!("{head}{reply}")).await.unwrap();
        call.reply().await;
        drop(exchange);
        // Until the client has seen it.
        tokio::time::sleep(ms(20)).await;
        assert_eq!(server.accepted(), round);
    }
    still_works(&near, &mut server).await;
}

/// A server that says how long it keeps a connection is believed.
#[tokio::test]
async fn a_connection_is_not_kept_longer_than_the_server_does() {
    let (near, mut server) = pair().await;
    let reply = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for fields in [&[("keep-alive", "timeout=1")][..], &[("connection", "close")]] {
        let call = near.start(modern(1, "tools/list"));
        let fields: Vec<_> = fields.iter().copied().chain([("content-type", "application/json")]).collect();
        server.next().await.respond(200, &fields, reply).await;
        call.reply().await;
    }
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 3);

    let server = HttpServer::start().await;
    let near =
        Near::open(Http::new(&server.url()).unwrap().service(HttpClient::new().keep_idle(ms(0)))).await;
    let mut server = server;
    for _ in 0..2 {
        still_works(&near, &mut server).await;
    }
    assert_eq!(server.accepted(), 2);
}

/// A token for one call: its connection carries no other's requests.
#[tokio::test]
async fn connections_of_different_principals_are_apart() {
    let (near, mut server) = pair().await;
    let as_user = |token: &str| {
        let mut out = OutboundMessage::from(modern(1, "tools/list"));
        out.headers.push(("Authorization".into(), format!("Bearer {token}")));
        out
    };
    for (token, connections) in [("a", 1), ("a", 1), ("b", 2), ("a", 2)] {
        let call = near.start(as_user(token));
        let exchange = server.next().await;
        assert_eq!(exchange.request.header("authorization"), Some(format!("Bearer {token}").as_str()));
        answered(call, exchange).await;
        assert_eq!(server.accepted(), connections);
    }
}

/// A request in small pieces arrives whole, and so does a large one.
#[tokio::test]
async fn a_large_request_arrives() {
    let (near, mut server) = pair().await;
    let text = "x".repeat(3 << 20);
    let params = format!(r#"{{"name":"t","arguments":{{"text":"{text}"}},"_meta":{{}}}}"#);
    let message = mcp_transport::RawMessage::request(1, "tools/call", Some(params.into()));
    let call = near.start(message.clone());
    let exchange = server.next().await;
    assert_eq!(exchange.request.body, message.to_vec());
    answered(call, exchange).await;
}

/// What waits for a connection was never sent.
#[tokio::test]
async fn dropping_a_call_that_waits_for_a_connection_sends_nothing() {
    let mut server = HttpServer::start().await;
    let near = Near::open(Http::new(&server.url()).unwrap().max_connections(1)).await;
    let first = near.start(modern(1, "tools/list"));
    let exchange = server.next().await;
    let waiting = near.start(modern(2, "tools/list"));
    tokio::task::yield_now().await;
    waiting.abandon();
    answered(first, exchange).await;
    still_works(&near, &mut server).await;
    assert!(server.try_next().is_none());
}

/// A stream is asked for at once, on the connection that is there; none is left of one that was refused.
#[tokio::test]
async fn the_connection_of_a_stream_is_not_kept() {
    // Where it is refused.
    let (mut near, mut server) = in_session("s", Revision::V2025_11_25).await;
    let closed = async {
        while server.open() > 0 {
            tokio::time::sleep(ms(10)).await;
        }
    };
    assert_eq!(server.accepted(), 1);
    tokio::select! {
        entry = near.beside() => panic!("{entry:?}"),
        closed = patiently(closed) => closed.expect("it is closed"),
    }
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 2);
}

/// A client that has nothing to say keeps no connections.
#[tokio::test]
async fn idle_connections_are_closed_in_time() {
    let mut server = HttpServer::start().await;
    let service = HttpClient::new().keep_idle(ms(200));
    let near = Near::open(Http::new(&server.url()).unwrap().service(service)).await;
    still_works(&near, &mut server).await;
    assert_eq!(server.open(), 1);
    patiently(async {
        while server.open() > 0 {
            tokio::time::sleep(ms(10)).await;
        }
    })
    .await
    .expect("the connection is closed");
    still_works(&near, &mut server).await;
}
