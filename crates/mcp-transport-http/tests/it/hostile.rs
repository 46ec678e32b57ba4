//! Servers that send without end, or not at all, through the client: each call ends by a typed error within its deadline,
//! and other calls of the same client go on.

use std::{
    future::IntoFuture,
    time::{Duration, Instant},
};

use mcp_client::{Client, Error, ErrorKind, types::CallToolResult};
use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{TransportError, TransportErrorKind, contract::patiently};
use mcp_transport_http::Http;
use tokio::{io::AsyncReadExt, net::TcpListener, task::JoinHandle};

use crate::common::{ms, secs};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
const LIMIT: Duration = Duration::from_millis(600);

type Calling = JoinHandle<Result<mcp_client::Reply<CallToolResult>, Error>>;

fn call(client: &Client, tool: &str, limit: Duration) -> Calling {
    tokio::spawn(client.call_tool(tool).timeout(limit).into_future())
}

async fn ended(call: Calling) -> Result<mcp_client::Reply<CallToolResult>, Error> {
    patiently(call).await.expect("no hang").unwrap()
}

async fn connected(http: Http, server: &mut HttpServer) -> Client {
    let connecting = Client::builder("test", "1.0.0").connect_timeout(secs(8)).connect(http);
    let (client, ()) = tokio::join!(connecting.into_future(), async {
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    client.unwrap()
}

/// What a server sends: a beginning, then a piece again and again.
struct Flood {
    name: &'static str,
    head: &'static str,
    piece: String,
    pause: Duration,
    /// `None`: the deadline of the call ends it.
    kind: Option<TransportErrorKind>,
}

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

fn floods() -> Vec<Flood> {
    let flood = |name, head, piece: String, kind| Flood { name, head, piece, pause: Duration::ZERO, kind };
    let too_large = Some(TransportErrorKind::TooLarge);
    let many = "x".repeat(4096);
    let note = r#"data: {"jsonrpc":"2.0","method":"notifications/odd","params":{}}"#;
    let slow = |name, head, piece: &str| Flood { name, head, piece: piece.into(), pause: ms(20), kind: None };
    vec![
        flood("a body", JSON, many.clone(), too_large),
        flood("an event", EVENTS, format!("data: {many}\n"), too_large),
        flood(
            "a line of an event",
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ",
            many.clone(),
            too_large,
        ),
        flood(
            "a comment",
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: ",
            many.clone(),
            None,
        ),
        flood("a field of the head", "HTTP/1.1 200 OK\r\nx-endless: ", many.clone(), too_large),
        flood("fields of the head", "HTTP/1.1 200 OK\r\n", "x: y\r\n".repeat(100), too_large),
        flood("an extension of a chunk", CHUNKED, format!("1;{many}"), Some(TransportErrorKind::Protocol)),
        flood("comments", EVENTS, ": keep-alive\n\n".repeat(100), None),
        flood("events of another name", EVENTS, "event: ping\ndata: x\n\n".repeat(100), None),
        flood("notifications", EVENTS, format!("{note}\n\n").repeat(50), None),
        flood("text", EVENTS, "data: no message\n\n".repeat(100), None),
        flood("interim responses", "", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(20), None),
        slow("a body in drops", JSON, " "),
        slow("an error page in drops", "HTTP/1.1 502 Bad\r\ncontent-type: text/html\r\n\r\n", "x"),
        slow("a head in drops", "HTTP/1.1 200 OK\r\nx: ", "y"),
        slow("nothing", "", ""),
        slow("no body", "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n", ""),
    ]
}

async fn send(mut exchange: HttpExchange, head: &str, piece: &str, pause: Duration) {
    if exchange.raw(head).await.is_err() {
        return;
    }
    while !exchange.is_gone() && (piece.is_empty() || exchange.raw(piece).await.is_ok()) {
        tokio::time::sleep(pause.max(Duration::from_micros(100))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_and_silent_answers_end_within_the_deadline_and_hurt_no_other_call() {
    let mut server = HttpServer::start().await;
    let client = connected(Http::new(&server.url()).unwrap().max_message(1 << 20), &mut server).await;
    for Flood { name, head, piece, pause, kind } in floods() {
        let begun = Instant::now();
        let limit = if kind.is_some() { secs(20) } else { LIMIT };
        let hurt = call(&client, "hurt", limit);
        let exchange = server.expect("tools/call").await;
        let sending = tokio::spawn(async move { send(exchange, head, &piece, pause).await });
        let other = call(&client, "other", secs(8));
        server.expect("tools/call").await.result(DONE).await;
        ended(other).await.unwrap_or_else(|error| panic!("beside {name}: {error}"));
        let error = patiently(hurt).await.unwrap_or_else(|| panic!("{name}: no end")).unwrap().unwrap_err();
        match kind {
            Some(kind) => {
                assert_eq!(error.transport().map(TransportError::kind), Some(kind), "{name}: {error:?}");
            }
            None => assert_eq!(error.kind(), ErrorKind::Timeout, "{name}: {error:?}"),
        }
        assert!(error.may_have_executed(), "{name}");
        assert!(begun.elapsed() < secs(10), "{name}: {:?}", begun.elapsed());
        // The connection is closed, so the server stops.
        patiently(sending).await.unwrap_or_else(|| panic!("{name}: the connection is left open")).unwrap();
    }
}

/// A half-open peer: it accepts, and reads nothing.
#[tokio::test]
async fn a_server_that_does_not_read_holds_up_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let serve = tokio::spawn(async move {
        let mut kept = Vec::new();
        // The probe is answered; what comes on other connections is not even read.
        let (mut first, _) = listener.accept().await.unwrap();
        let mut read = vec![0; 4096];
        let mut seen = 0;
        while !read[..seen].windows(4).any(|four| four == b"\r\n\r\n") || !read[..seen].ends_with(b"}") {
            seen += first.read(&mut read[seen..]).await.unwrap();
        }
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{DISCOVERED}}}"#);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        tokio::io::AsyncWriteExt::write_all(&mut first, (head + &body).as_bytes()).await.unwrap();
        drop(first);
        loop {
            kept.push(listener.accept().await.unwrap());
        }
    });
    let client = Client::builder("test", "1.0.0").connect(Http::new(&url).unwrap()).await.unwrap();
    let large = serde_json::json!({ "text": "x".repeat(16 << 20) });
    let begun = Instant::now();
    let error = client.call_tool("t").args(&large).unwrap().timeout(LIMIT).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    patiently(client.close()).await.expect("no hang");
    assert!(begun.elapsed() < secs(30), "{:?}", begun.elapsed());
    serve.abort();
}

/// A legacy server that answers requests, and nothing else: neither `initialized`, nor the GET, nor DELETE.
#[tokio::test]
async fn a_server_that_answers_requests_alone_can_be_used_and_left() {
    let mut server = HttpServer::start().await;
    let http = Http::new(&server.url()).unwrap().accept_timeout(ms(300)).close_timeout(ms(300));
    let connecting = tokio::spawn(Client::builder("test", "1.0.0").connect(http).into_future());
    server.expect("server/discover").await.respond(404, &[], "").await;
    let request = server.expect("initialize").await;
    let id = request.request.rpc_id().unwrap();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
    );
    request.respond(200, &[("content-type", "application/json"), ("mcp-session-id", "s")], body).await;
    let client = patiently(connecting).await.unwrap().unwrap().unwrap();
    let _stuck = server.expect("notifications/initialized").await;
    for _ in 0..2 {
        let calling = call(&client, "t", secs(8));
        server.expect("tools/call").await.result(DONE).await;
        ended(calling).await.unwrap();
    }
    let begun = Instant::now();
    let ((), _stuck) = tokio::join!(client.close(), server.expect("DELETE"));
    assert!(begun.elapsed() < secs(8), "{:?}", begun.elapsed());
}

/// 1,000 calls at once on one client, beside long streams and calls that are never answered: each is answered, under its
/// own name, and connections stay few.
#[tokio::test]
async fn a_thousand_calls_on_one_client_are_all_answered() {
    const CALLS: usize = 1000;
    const STREAMS: usize = 20;
    const SILENT: usize = 5;
    let mut server = HttpServer::start().await;
    let client = connected(Http::new(&server.url()).unwrap(), &mut server).await;
    let mut long = Vec::new();
    for _ in 0..STREAMS {
        let mut calling = client.call_tool("long").with_progress();
        tokio::select! {
            biased;
            _ = calling.progress().next() => panic!("no progress was sent"),
            mut exchange = server.expect("tools/call") => {
                exchange.start_events(&[]).await.unwrap();
                long.push((calling, exchange));
            }
        }
    }
    let silent: Vec<_> = (0..SILENT).map(|_| call(&client, "silent", secs(30))).collect();
    let mut unanswered = Vec::new();
    for _ in 0..SILENT {
        unanswered.push(server.expect("tools/call").await);
    }
    let calls: Vec<_> = (0..CALLS).map(|number| call(&client, &format!("t{number}"), secs(30))).collect();
    let serve = async {
        for _ in 0..CALLS {
            let exchange = server.expect("tools/call").await;
            let name = exchange.request.header("mcp-name").unwrap().to_owned();
            let text =
                format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"{name}"}}]}}"#);
            tokio::spawn(async move { exchange.result(&text).await });
        }
    };
    let finish = async {
        for (number, call) in calls.into_iter().enumerate() {
            assert_eq!(ended(call).await.unwrap().text(), format!("t{number}"));
        }
    };
    tokio::join!(serve, finish);
    assert!(server.most_open() <= 100 + STREAMS, "{} connections", server.most_open());
    for (calling, mut exchange) in long {
        exchange.result_event(DONE).await.unwrap();
        exchange.end().await;
        patiently(calling.into_future()).await.expect("no hang").unwrap();
    }
    drop(unanswered);
    for call in silent {
        assert_eq!(ended(call).await.unwrap_err().kind(), ErrorKind::Transport);
    }
}
