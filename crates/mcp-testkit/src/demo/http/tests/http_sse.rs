use super::*;

async fn begin(peer: &Peer) -> (HttpSseStream, String) {
    let answer = peer.ask(Method::GET, "/sse", &[], "").await;
    assert_eq!((answer.status(), kind(answer.headers())), (StatusCode::OK, "text/event-stream"));
    let mut stream = HttpSseStream { body: answer.into_body(), buffer: String::new() };
    let (name, url) = stream.next().await.unwrap();
    assert_eq!(name, "endpoint");
    assert!(url.starts_with("/messages?sessionId="), "{url}");
    (stream, url)
}

struct HttpSseStream {
    body: Incoming,
    buffer: String,
}

impl HttpSseStream {
    /// The next event: its name and its data.
    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let (name, data) = block.split_once('\n').unwrap();
                let event = (
                    name.strip_prefix("event: ").unwrap().to_owned(),
                    data.strip_prefix("data: ").unwrap().to_owned(),
                );
                self.buffer = rest.to_owned();
                return Some(event);
            }
            let frame = patiently(self.body.frame()).await.unwrap()?;
            self.buffer.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }

    async fn message(&mut self) -> Value {
        let (name, data) = self.next().await.unwrap();
        assert_eq!(name, "message");
        serde_json::from_str(&data).unwrap()
    }
}

#[tokio::test]
async fn messages_go_to_a_url_and_replies_come_on_the_stream() {
    let peer = Peer::of(Demo::new()).await;
    let (mut stream, url) = begin(&peer).await;
    let (mut other, _) = begin(&peer).await;
    let params = json!({
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "peer", "version": "1" },
    });
    for (message, reply) in [
        (request(1, "initialize", &params), true),
        (json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), false),
        (request(2, "tools/call", &json!({ "name": "echo", "arguments": { "message": "hi" } })), true),
    ] {
        let answer = peer.ask(Method::POST, &url, &[], message.to_string()).await;
        assert_eq!(answer.status(), StatusCode::ACCEPTED);
        if reply {
            assert_eq!(stream.message().await["id"], message["id"]);
        }
    }
    assert!(tokio::time::timeout(Duration::from_millis(100), other.next()).await.is_err());
    // The end of the stream is the end of its server.
    drop(stream);
    for _ in 0..100 {
        let answer = peer.ask(Method::POST, &url, &[], request(3, "ping", &json!({})).to_string()).await;
        if answer.status() == StatusCode::NOT_FOUND {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the stream is still there");
}

#[tokio::test]
async fn what_does_not_belong_there_is_refused() {
    let peer = Peer::of(Demo::new()).await;
    let (_stream, url) = begin(&peer).await;
    for (method, path, fields, body, status) in [
        (Method::POST, "/sse", None, "{}", StatusCode::METHOD_NOT_ALLOWED),
        (Method::GET, "/sse", Some(("accept", "application/json")), "", StatusCode::NOT_ACCEPTABLE),
        (Method::GET, "/sse", Some(("origin", "https://evil.example")), "", StatusCode::FORBIDDEN),
        (Method::GET, url.as_str(), None, "", StatusCode::METHOD_NOT_ALLOWED),
        (Method::POST, "/messages", None, "{}", StatusCode::NOT_FOUND),
        (Method::POST, "/messages?sessionId=0", None, "{}", StatusCode::NOT_FOUND),
        (Method::POST, url.as_str(), None, "{", StatusCode::BAD_REQUEST),
        (Method::POST, url.as_str(), None, "[]", StatusCode::BAD_REQUEST),
        (Method::GET, "/", None, "", StatusCode::NOT_FOUND),
    ] {
        let fields: Vec<_> = fields.into_iter().collect();
        let answer = peer.ask(method.clone(), path, &fields, body).await;
        assert_eq!(answer.status(), status, "{method} {path} {body}");
    }
}
