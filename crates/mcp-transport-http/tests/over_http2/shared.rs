//! Many exchanges on one connection, and how they end.

use http::Response;
use mcp_testkit::http::HttpServer;
use mcp_transport::{Delivery, ExchangeEnd, OutboundMessage, TransportErrorKind, contract::patiently};
use mcp_transport_http::{Http, HttpClient, HttpVersion};
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::{
    WIRE,
    common::{Near, answered, modern, ms, pair, still_works},
    far::{Listener, REPLY, drive, next, reply, serve},
};

fn client() -> HttpClient {
    HttpClient::new().version(HttpVersion::Http2)
}

/// 1,000 calls at once, beside streams that stay open: one connection.
#[tokio::test]
async fn a_thousand_calls_share_one_connection() {
    let mut server = WIRE.serve().await;
    let near = Near::open(WIRE.http(&server).max_connections(2000)).await;
    let mut stream = near.start(modern(2000, "subscriptions/listen"));
    let mut listening = server.next().await;
    listening.start_events(&[]).await.unwrap();
    let calls: Vec<_> = (1..=1000).map(|id| near.start(modern(id, "tools/list"))).collect();
    // All of them are there before the first is answered.
    let mut exchanges = Vec::new();
    for _ in 0..1000 {
        exchanges.push(server.next().await);
    }
    for exchange in exchanges.into_iter().rev() {
        exchange.result("{}").await;
    }
    for (id, call) in (1..).zip(calls) {
        assert!(call.reply().await.contains(&format!(r#""id":{id},"#)));
    }
    listening.result_event("{}").await.unwrap();
    stream.message().await;
    assert_eq!(server.accepted(), 1);
}

/// Beyond what the server takes at once, requests go to another connection: long streams hold up nothing.
#[tokio::test]
async fn what_a_server_does_not_take_at_once_goes_elsewhere() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let first = near.start(modern(1, "tools/call"));
    let mut far = listener.accept(2).await;
    let held = next(&mut far).await;
    let second = near.start(modern(1, "tools/call"));
    let other = next(&mut far).await;
    drive(far);
    let third = near.start(modern(1, "tools/call"));
    serve(listener.accept(100).await);
    assert_eq!(third.reply().await, REPLY);
    reply(held.1);
    reply(other.1);
    assert_eq!((first.reply().await, second.reply().await), (REPLY.into(), REPLY.into()));
}

/// Dropping an exchange resets its stream, before its head came and after; its neighbours go on.
#[tokio::test]
async fn dropping_an_exchange_resets_its_stream_alone() {
    let (near, mut server) = pair().await;
    let neighbour = near.start(modern(7, "tools/call"));
    let kept = server.next().await;
    for begun in [false, true] {
        let mut call = near.start(modern(1, "tools/call"));
        let mut exchange = server.next().await;
        if begun {
            exchange.start_events(&[]).await.unwrap();
            call.next().await;
        }
        assert!(!exchange.is_gone());
        call.abandon();
        patiently(exchange.gone()).await.expect("a reset");
    }
    answered(neighbour, kept).await;
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 1);
}

/// Where nothing listens, one attempt fails for all that wait for it, and says that nothing left.
#[tokio::test]
async fn what_never_left_is_known() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let near = Near::open(Http::new(&url).unwrap().service(client())).await;
    let calls: Vec<_> = (1..=50).map(|id| near.start(modern(id, "tools/call"))).collect();
    for call in calls {
        let error = call.error().await;
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Connect, Delivery::NeverSent));
    }
}

/// A connection that ended while it was idle is not used: nothing fails.
#[tokio::test]
async fn a_connection_that_ended_while_idle_is_not_used() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    for _ in 0..3 {
        let call = near.start(modern(1, "tools/call"));
        let mut far = listener.accept(100).await;
        reply(next(&mut far).await.1);
        // It closes when the reply had the time to leave, and is seen before the next call.
        tokio::spawn(async move { tokio::time::timeout(ms(30), far.accept()).await.is_ok() });
        assert_eq!(call.reply().await, REPLY);
        tokio::time::sleep(ms(100)).await;
    }
}

/// Requests with different tokens never share a connection.
#[tokio::test]
async fn connections_of_different_principals_are_apart() {
    let (near, mut server) = pair().await;
    for (token, connections) in [("a", 1), ("a", 1), ("b", 2), ("a", 2)] {
        let mut out = OutboundMessage::from(modern(1, "tools/list"));
        out.headers.push(("Authorization".into(), format!("Bearer {token}")));
        let call = near.start(out);
        answered(call, server.next().await).await;
        assert_eq!(server.accepted(), connections);
    }
}

/// A client that has nothing to say keeps no connections, and one with a stream keeps its.
#[tokio::test]
async fn idle_connections_are_closed_in_time() {
    let mut server = HttpServer::start_http2().await;
    let http = Http::new(&server.url()).unwrap().service(client().keep_idle(ms(100)));
    let near = Near::open(http).await;
    let mut call = near.start(modern(1, "tools/call"));
    let mut exchange = server.next().await;
    exchange.start_events(&[]).await.unwrap();
    call.next().await;
    tokio::time::sleep(ms(300)).await;
    assert_eq!(server.open(), 1);
    exchange.result_event("{}").await.unwrap();
    call.message().await;
    exchange.end().await;
    assert!(matches!(call.end().await, ExchangeEnd::Complete));
    patiently(async {
        while server.open() > 0 {
            tokio::time::sleep(ms(10)).await;
        }
    })
    .await
    .expect("the connection is closed");
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 2);
}

/// A response that nobody reads holds up no other.
#[tokio::test]
async fn an_unread_stream_stops_no_other() {
    use http_body_util::BodyExt;
    use mcp_transport_http::RequestBody;
    use tower_service::Service;

    let mut server = HttpServer::start_http2().await;
    let mut service = client();
    let request = || {
        let mut request = http::Request::new(RequestBody::default());
        *request.uri_mut() = server.url().parse().unwrap();
        request
    };
    let (answer, exchange) = tokio::join!(service.call(request()), async {
        let mut exchange = server.next().await;
        exchange.start(200, &[]).await.unwrap();
        exchange.chunk(vec![b'x'; 8 << 20]).await.unwrap();
        exchange
    });
    let unread = answer.unwrap();
    let near = Near::open(Http::new(&server.url()).unwrap().service(service)).await;
    still_works(&near, &mut server).await;
    assert_eq!(server.accepted(), 1);
    exchange.end().await;
    assert_eq!(unread.collect().await.unwrap().to_bytes().len(), 8 << 20);
}

/// Large messages pass in both directions, beyond every window.
#[tokio::test]
async fn large_messages_pass() {
    let (near, mut server) = pair().await;
    let text = "x".repeat(20 << 20);
    let params = format!(r#"{{"name":"t","arguments":{{"text":"{text}"}},"_meta":{{}}}}"#);
    let message = mcp_transport::RawMessage::request(1, "tools/call", Some(params.into()));
    let call = near.start(message.clone());
    let exchange = server.next().await;
    assert_eq!(exchange.request.body, message.to_vec());
    exchange.result(&format!(r#"{{"text":"{text}"}}"#)).await;
    assert!(call.reply().await.len() > text.len());
}

/// A head over the limit, and a server that speaks something else.
#[tokio::test]
async fn what_a_server_may_not_send_is_told_apart() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let call = near.start(modern(1, "tools/call"));
    let mut far = listener.accept(100).await;
    let (_, mut respond) = next(&mut far).await;
    let head = Response::builder().header("x", "x".repeat(80 << 10)).body(()).unwrap();
    respond.send_response(head, true).unwrap();
    serve(far);
    let error = call.error().await;
    assert_eq!(
        (error.kind(), error.delivery()),
        (TransportErrorKind::Protocol, Delivery::MaybeSent),
        "{error:?}"
    );

    for bytes in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[0; 64], b"SSH-2.0-OpenSSH_9.9\r\n"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(bytes).await.unwrap();
            std::future::pending::<()>().await;
        });
        let near = Near::open(Http::new(&url).unwrap().service(client())).await;
        let error = near.start(modern(1, "tools/call")).error().await;
        assert_eq!(error.kind(), TransportErrorKind::Protocol, "{error:?}");
    }
}

/// Who waits for a connection that somebody else makes goes on when that one gives up.
#[tokio::test]
async fn a_connection_that_is_given_up_is_made_by_the_next() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let calls: Vec<_> = (0..5).map(|_| near.start(modern(1, "tools/call"))).collect();
    calls[0].abandon();
    calls[1].abandon();
    serve(listener.accept(100).await);
    for call in calls.into_iter().skip(2) {
        assert_eq!(call.reply().await, REPLY);
    }
    assert!(!listener.has_more().await);
}

/// Fields that belong to a connection of HTTP/1.1 stay here, whoever set them.
#[tokio::test]
async fn fields_of_a_connection_are_not_sent() {
    const FIELDS: [&str; 2] = ["keep-alive", "proxy-connection"];
    let mut server = WIRE.serve().await;
    let mut http = WIRE.http(&server);
    for name in FIELDS {
        http = http.header(name, "x").unwrap();
    }
    let near = Near::open(http).await;
    let call = near.start(modern(1, "tools/list"));
    let exchange = server.next().await;
    for name in FIELDS {
        assert_eq!(exchange.request.header(name), None);
    }
    answered(call, exchange).await;
}
