use super::*;
use crate::demo::http::{
    post,
    record::{Reading, Record},
};

#[tokio::test]
async fn other_machines_cannot_reach_it() {
    let error = Demo::new().bind_http("0.0.0.0:0").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn pages_of_other_machines_are_refused() {
    let peer = Peer::of(Demo::new()).await;
    let message = request(1, "initialize", &json!({})).to_string();
    for (fields, refused) in [
        (&[("host", "evil.example")][..], true),
        (&[("origin", "https://evil.example")], true),
        (&[("origin", "null")], true),
        (&[("origin", "http://localhost:3000")], false),
        (&[("host", "localhost")], false),
    ] {
        let answer = peer.send(Method::POST, fields, message.clone()).await;
        assert_eq!(answer.status() == StatusCode::FORBIDDEN, refused, "{fields:?}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let peer = Peer::of(Demo::new()).await;
    for (body, code) in [("{", -32700), ("", -32700), ("[]", -32600), ("{}", -32600), ("7", -32600)] {
        let answer = peer.send(Method::POST, &[], body).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{body}");
        let reply = reply(answer).await;
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&Value::Null, &json!(code)), "{body}");
    }
    for (fields, status) in [
        ([("accept", "application/json")], StatusCode::NOT_ACCEPTABLE),
        ([("accept", "")], StatusCode::NOT_ACCEPTABLE),
        ([("content-type", "text/plain")], StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ([("content-type", "")], StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        assert_eq!(peer.send(Method::POST, &fields, "{}").await.status(), status, "{fields:?}");
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 * 1024 * 1024));
    assert_eq!(peer.send(Method::POST, &[], long).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_session_is_named_and_keeps_its_revision() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, json!({})).await;
    let list = request(2, "tools/list", &json!({}));
    for (name, value, status) in [
        ("mcp-session-id", "", StatusCode::BAD_REQUEST),
        ("mcp-session-id", "no-such-session", StatusCode::NOT_FOUND),
        ("mcp-protocol-version", "2025-11-25", StatusCode::BAD_REQUEST),
        ("mcp-protocol-version", "of old", StatusCode::BAD_REQUEST),
        ("mcp-protocol-version", "", StatusCode::OK),
    ] {
        let answer = peer.send(Method::POST, &[(name, value)], list.to_string()).await;
        assert_eq!(answer.status(), status, "{name}: {value}");
    }
    let answer = peer.send(Method::GET, &[("accept", "application/json")], "").await;
    assert_eq!(answer.status(), StatusCode::NOT_ACCEPTABLE);
}

#[tokio::test]
async fn an_id_is_used_once_at_a_time() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, json!({ "elicitation": {} })).await;
    let call = request(2, "tools/call", &json!({ "name": "greet" }));
    let mut stream = Stream::of(peer.post(&call).await);
    stream.message().await;
    let answer = peer.post(&call).await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(reply(answer).await["id"], 2);
}

#[tokio::test]
async fn nothing_listens_after_the_end() {
    let server = Demo::new().bind_http("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    assert_eq!(server.url(), format!("http://{address}/mcp"));
    let mut idle = TcpStream::connect(address).await.unwrap();
    server.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
    let mut end = [0];
    let read = patiently(tokio::io::AsyncReadExt::read(&mut idle, &mut end)).await.unwrap();
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_is_not_waited_for() {
    // It has a comment now and then.
    let endless = Reading::new(&Record::new(0)).into_body();
    assert_eq!(post::whole(endless).await, Err(StatusCode::REQUEST_TIMEOUT));
}
