//! Servers that send without end, or not at all.

use std::time::Duration;

use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{Delivery, TransportErrorKind};
use mcp_transport_http::{Http, HttpClient};

use crate::common::{Near, failed, modern, ms, secs, still_works};

const LIMIT: usize = 1 << 20;

async fn bounded() -> (Near, HttpServer) {
    // No pause of a busy machine is as long.
    pausing(secs(60)).await
}

/// A server whose answers may pause for so long.
async fn pausing(idle: Duration) -> (Near, HttpServer) {
    let server = HttpServer::start().await;
    let http = Http::new(&server.url()).unwrap().max_message(LIMIT).body_idle(idle).stream_idle(idle);
    (Near::open(http).await, server)
}

/// Writes `piece` until the client is gone.
async fn flood(exchange: &mut HttpExchange, piece: &str) {
    while exchange.raw(piece).await.is_ok() {}
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";

/// Endless bodies, events and heads: a typed error, a closed connection, and other calls unaffected.
#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let lines = format!("1000\r\n{}\r\n", "data: 4567890123\n".repeat(0x1000)).replace("1000", "11000");
    for (head, piece) in [
        (format!("{CHUNKED}content-type: application/json\r\n\r\n"), chunk.as_str()),
        ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".into(), "[[[[[[[[[[[[[[[["),
        (format!("{CHUNKED}content-type: text/event-stream\r\n\r\n6\r\ndata: \r\n"), &chunk),
        (format!("{CHUNKED}content-type: text/event-stream\r\n\r\n"), &lines),
        ("HTTP/1.1 200 OK\r\nx-endless: ".into(), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    ] {
        let (near, mut server) = bounded().await;
        let call = near.start(modern(1, "tools/list"));
        let mut exchange = server.next().await;
        exchange.raw(&head).await.unwrap();
        let (error, ()) = tokio::join!(call.error(), flood(&mut exchange, piece));
        assert_eq!(
            (error.kind(), error.delivery()),
            (TransportErrorKind::TooLarge, Delivery::MaybeSent),
            "{head}"
        );
        still_works(&near, &mut server).await;
    }
}

/// Many fields are as bad as long ones.
#[tokio::test]
async fn a_head_of_many_fields_is_refused() {
    let (near, mut server) = bounded().await;
    let call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    exchange.raw(format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(101))).await.unwrap();
    assert_eq!(call.error().await.kind(), TransportErrorKind::TooLarge);
}

/// An announced length is believed enough not to read any of it.
#[tokio::test]
async fn an_announced_length_over_the_limit_is_refused_at_once() {
    let (near, mut server) = bounded().await;
    let call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1048577\r\n\r\n";
    exchange.raw(head).await.unwrap();
    assert_eq!(call.error().await.kind(), TransportErrorKind::TooLarge);
}

/// An endless error page: its beginning is the excerpt.
#[tokio::test]
async fn an_endless_error_page_is_cut_off() {
    let (near, mut server) = bounded().await;
    let call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    exchange.raw("HTTP/1.1 502 Bad\r\ncontent-type: text/html\r\n\r\n").await.unwrap();
    let page = "<html>".repeat(1000);
    let (error, ()) = tokio::join!(call.error(), flood(&mut exchange, &page));
    assert_eq!(error.http().unwrap().status, 502);
    assert!(error.http().unwrap().body_excerpt.starts_with("<html><html>"));
}

/// Half-open: an answer that begins and stops, and a stream on which nothing comes where a limit was set.
#[tokio::test]
async fn an_answer_that_stops_is_given_up() {
    let (near, mut server) = pausing(ms(200)).await;
    for head in [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"jsonrpc\"",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let call = near.start(modern(1, "tools/list"));
        let mut exchange = server.next().await;
        exchange.raw(head).await.unwrap();
        let error = failed(call.end().await);
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Timeout, Delivery::MaybeSent));
        exchange.gone().await;
    }
}

/// What is not HTTP/1.1.
#[tokio::test]
async fn garbage_is_an_error() {
    let (near, mut server) = bounded().await;
    for bytes in
        ["SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200\r\ncontent-length: x\r\n\r\n", "HTTP/0.9 1\r\n\r\n"]
    {
        let call = near.start(modern(1, "tools/list"));
        let mut exchange = server.next().await;
        exchange.raw(bytes).await.unwrap();
        let error = call.error().await;
        assert_eq!(
            (error.kind(), error.delivery()),
            (TransportErrorKind::Protocol, Delivery::MaybeSent),
            "{bytes}"
        );
    }
    let call = near.start(modern(1, "tools/list"));
    let mut exchange = server.next().await;
    exchange.raw(format!("{CHUNKED}content-type: application/json\r\n\r\nzz\r\n")).await.unwrap();
    let error = failed(call.end().await);
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Protocol, Delivery::MaybeSent));
    still_works(&near, &mut server).await;
}

/// Nobody there, no such name, a URL without use.
#[tokio::test]
async fn what_cannot_be_reached_was_never_sent() {
    let gone = HttpServer::start().await.url();
    let service = HttpClient::new().connect_timeout(ms(2000));
    for (url, kinds) in [
        (gone.as_str(), &[TransportErrorKind::Connect][..]),
        // Some networks swallow the lookup.
        ("http://no-such-host.invalid/mcp", &[TransportErrorKind::NotFound, TransportErrorKind::Timeout]),
    ] {
        let near = Near::open(Http::new(url).unwrap().service(service.clone())).await;
        let error = near.start(modern(1, "tools/list")).error().await;
        assert!(kinds.contains(&error.kind()), "{error:?}");
        assert_eq!(error.delivery(), Delivery::NeverSent);
    }
}
