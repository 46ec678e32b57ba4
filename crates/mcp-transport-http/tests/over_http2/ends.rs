//! What becomes of exchanges whose stream or connection ends.

use h2::Reason;
use http::Response;
use mcp_transport::{Delivery, TransportErrorKind, contract::patiently};
use mcp_transport_http::{Http, HttpClient, HttpVersion, RequestBody};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tower_service::Service;

use crate::{
    common::{Near, failed, modern, ms},
    far::{Listener, REPLY, next, reply, serve},
};

/// A request that the server refused unseen is sent once more, and no more.
#[tokio::test]
async fn a_refused_stream_is_tried_once_more() {
    for refusals in [1, 2] {
        let listener = Listener::bind().await;
        let near = Near::open(listener.http()).await;
        let call = near.start(modern(1, "tools/call"));
        let mut far = listener.accept(100).await;
        for _ in 0..refusals {
            let (_, mut respond) = next(&mut far).await;
            respond.send_reset(Reason::REFUSED_STREAM);
        }
        serve(far);
        if refusals == 1 {
            assert_eq!(call.reply().await, REPLY);
        } else {
            let error = call.error().await;
            assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::Refused));
        }
    }
}

/// Any other reset may come after the call ran.
#[tokio::test]
async fn a_reset_says_nothing_of_what_was_done() {
    for reason in [Reason::CANCEL, Reason::INTERNAL_ERROR, Reason::ENHANCE_YOUR_CALM] {
        let listener = Listener::bind().await;
        let near = Near::open(listener.http()).await;
        let call = near.start(modern(1, "tools/call"));
        let mut far = listener.accept(100).await;
        next(&mut far).await.1.send_reset(reason);
        serve(far);
        let error = call.error().await;
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::MaybeSent));
        assert!(!listener.has_more().await, "it is not sent again");
    }
}

/// A server that goes away finishes what it has; what comes later goes to a new connection.
#[tokio::test]
async fn an_announced_end_loses_nothing() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let seen = near.start(modern(1, "tools/call"));
    let mut far = listener.accept(100).await;
    let (_, respond) = next(&mut far).await;
    far.graceful_shutdown();
    let finishing = tokio::spawn(async move {
        // The end of the connection, which takes the first stream to end.
        assert!(far.accept().await.is_none_or(|next| next.is_err()));
    });
    // Until the client has heard of it.
    tokio::time::sleep(ms(100)).await;
    let later = near.start(modern(1, "tools/list"));
    serve(listener.accept(100).await);
    assert_eq!(later.reply().await, REPLY);
    reply(respond);
    assert_eq!(seen.reply().await, REPLY);
    patiently(finishing).await.expect("an end").unwrap();
}

/// The end of a connection is the end of what is on it, and of nothing else.
#[tokio::test]
async fn a_broken_connection_ends_its_exchanges_alone() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let begun = near.start(modern(1, "tools/call"));
    let mut far = listener.accept(2).await;
    let (_, mut respond) = next(&mut far).await;
    let head = Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
    let body = respond.send_response(head, false).unwrap();
    let silent = near.start(modern(2, "tools/call"));
    let unanswered = next(&mut far).await;
    let elsewhere = near.start(modern(1, "tools/call"));
    let mut other = listener.accept(100).await;
    let (_, answer) = next(&mut other).await;
    serve(other);
    drop((body, unanswered, far));
    for call in [begun, silent] {
        let error = failed(call.end().await);
        assert_eq!(error.delivery(), Delivery::MaybeSent, "{error:?}");
        assert!(matches!(error.kind(), TransportErrorKind::Closed | TransportErrorKind::Io), "{error:?}");
    }
    reply(answer);
    assert_eq!(elsewhere.reply().await, REPLY);
}

/// A server that is gone without a word is noticed by the ping: 50 s after it was last asked.
#[tokio::test]
async fn a_server_that_is_silent_for_good_is_noticed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut service = HttpClient::new().version(HttpVersion::Http2);
    let mut request = http::Request::new(RequestBody::default());
    *request.uri_mut() = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    let call = tokio::spawn(service.call(request));
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.read_exact(&mut [0; 24]).await.unwrap();
    until_headers(&mut stream, 1).await;
    // From here on, time passes as soon as everybody waits.
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::MaybeSent));
    let elapsed = begun.elapsed().as_secs();
    assert!((45..=60).contains(&elapsed), "{elapsed} s");
}

/// A client that goes says so: what was open is reset, and the connection ends in order.
#[tokio::test]
async fn a_client_that_goes_says_goodbye() {
    let listener = Listener::bind().await;
    let near = Near::open(listener.http()).await;
    let call = near.start(modern(1, "tools/call"));
    let mut far = listener.accept(100).await;
    let (_, mut respond) = next(&mut far).await;
    call.abandon();
    drop(near);
    let reset = std::future::poll_fn(|cx| respond.poll_reset(cx));
    let (reset, end) = patiently(async { tokio::join!(reset, far.accept()) }).await.expect("an end");
    assert_eq!(reset.unwrap(), Reason::CANCEL);
    assert!(end.is_none(), "{end:?}");
}

/// What a server did not look at is sent again; what it may have looked at is not.
#[tokio::test]
async fn a_server_that_goes_away_says_what_it_did_not_look_at() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let service = HttpClient::new().version(HttpVersion::Http2);
    let near = Near::open(Http::new(&url).unwrap().service(service)).await;
    let seen = near.start(modern(1, "tools/call"));
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await.unwrap();
    until_headers(&mut stream, 1).await;
    let unseen = near.start(modern(1, "tools/list"));
    until_headers(&mut stream, 3).await;
    // The last stream that was looked at is the first.
    stream.write_all(&frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0])).await.unwrap();
    let (other, _) = patiently(listener.accept()).await.expect("another connection").unwrap();
    serve(h2::server::handshake(other).await.unwrap());
    assert_eq!(unseen.reply().await, REPLY);
    drop(stream);
    let error = seen.error().await;
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::MaybeSent));
}

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
}

/// Reads until the request on `stream` begins.
async fn until_headers(from: &mut TcpStream, stream: u8) {
    loop {
        let mut head = [0; 9];
        from.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        from.read_exact(&mut vec![0; length]).await.unwrap();
        if (head[3], head[8]) == (HEADERS, stream) {
            return;
        }
    }
}
