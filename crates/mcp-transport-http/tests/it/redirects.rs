//! Redirects, where the user asked to follow them. Field report H-10; advisory GHSA-9g45-5xwm-f3wc. That they are not
//! followed otherwise stands with the refusals.

use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{Delivery, TransportErrorKind};
use mcp_types::Revision;

use crate::{
    WIRE,
    common::{Near, answered, initialize, legacy, modern},
};

async fn following(limit: usize) -> (Near, HttpServer) {
    let server = WIRE.serve().await;
    let http = WIRE.http(&server).header("x-api-key", "k").unwrap();
    let http = http.header("authorization", "Bearer t").unwrap();
    (Near::open(http.follow_redirects(limit)).await, server)
}

async fn redirect(exchange: HttpExchange, status: u16, location: &str) {
    exchange.respond(status, &[("location", location)], "moved").await;
}

/// The same request, with all of its fields and its body, on the same connection.
#[tokio::test]
async fn the_same_request_goes_to_the_new_url() {
    let (near, mut server) = following(5).await;
    for status in [307, 308] {
        let absolute = format!("http://{}/moved/?tenant=1#part", server.address());
        for (location, target) in [
            ("/mcp/", "/mcp/"),
            ("elsewhere", "/elsewhere"),
            ("?a=1", "/mcp?a=1"),
            (absolute.as_str(), "/moved/?tenant=1"),
        ] {
            let call = near.start(modern(1, "tools/call"));
            let first = server.next().await;
            let sent = first.request.clone();
            redirect(first, status, location).await;
            let again = server.next().await;
            assert_eq!((again.request.method.as_str(), again.request.target.as_str()), ("POST", target));
            assert_eq!(again.request.body, sent.body);
            assert_eq!(again.request.fields, sent.fields);
            answered(call, again).await;
        }
    }
    assert_eq!(server.accepted(), 1, "redirects are read to their end");
}

#[tokio::test]
async fn no_redirect_leads_to_another_origin() {
    let (near, mut server) = following(5).await;
    let mut other = WIRE.serve().await;
    let port = server.address().port();
    for location in [
        other.url(),
        format!("//{}/mcp", other.address()),
        format!("https://127.0.0.1:{port}/mcp"),
        format!("http://localhost:{port}/mcp"),
        format!("http://user@127.0.0.1:{port}/mcp"),
        "file:///etc/passwd".into(),
        "http://".into(),
    ] {
        let call = near.start(modern(1, "tools/call"));
        redirect(server.next().await, 307, &location).await;
        let error = call.error().await;
        assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Http, Delivery::Refused));
        assert!(error.to_string().contains("not of the same origin"), "{error}");
        assert!(error.to_string().contains(&location), "{error}");
    }
    assert!(other.try_next().is_none() && other.accepted() == 0 && server.try_next().is_none());
}

/// 303 comes of something that was done: it may have run.
#[tokio::test]
async fn a_post_is_not_turned_into_a_get() {
    let (near, mut server) = following(5).await;
    for (status, delivery) in [(301, Delivery::Refused), (302, Delivery::Refused), (303, Delivery::MaybeSent)]
    {
        let call = near.start(modern(1, "tools/call"));
        redirect(server.next().await, status, "/elsewhere").await;
        let error = call.error().await;
        assert_eq!((error.http().unwrap().status, error.delivery()), (status, delivery));
        assert!(error.to_string().contains("into a GET"), "{error}");
    }
    assert!(server.try_next().is_none());
}

#[tokio::test]
async fn a_loop_ends() {
    let (near, mut server) = following(3).await;
    let call = near.start(modern(1, "tools/call"));
    for _ in 0..4 {
        redirect(server.next().await, 307, "/mcp").await;
    }
    let error = call.error().await;
    assert!(error.to_string().contains("too many redirects"), "{error}");
    assert!(server.try_next().is_none());
}

/// A session is had at the new URL as at the old one: GET and DELETE are followed too.
#[tokio::test]
async fn the_other_methods_are_followed_too() {
    let (mut near, mut server) = following(1).await;
    initialize(&mut near, &mut server, Some("s"), Revision::V2025_06_18).await;
    let mut into = Vec::new();
    tokio::select! {
        more = mcp_transport::Receiver::recv(&mut near.receiver, &mut into) => panic!("{more:?} {into:?}"),
        () = async {
            redirect(server.expect("GET").await, 302, "/mcp/").await;
            let get = server.expect("GET").await;
            assert_eq!((get.request.target.as_str(), get.request.header("mcp-session-id")), ("/mcp/", Some("s")));
            get.respond(405, &[], "").await;
        } => {}
    }
    let call = near.start(legacy(2, "tools/list"));
    answered(call, server.next().await).await;
    let (closed, ()) = tokio::join!(near.close(), async {
        redirect(server.expect("DELETE").await, 308, "/mcp/").await;
        let delete = server.expect("DELETE").await;
        assert_eq!(delete.request.target, "/mcp/");
        delete.respond(200, &[], "").await;
    });
    closed.unwrap();
}
