//! The seam: another service, or middleware, in place of the transport's own client. Without sockets, on a paused clock.

use std::{
    convert::Infallible,
    future::{Future, ready},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use mcp_transport::{Delivery, ExchangeEnd, Outbound, Receiver, TransportErrorKind};
use mcp_transport_http::{Http, HttpClient, RequestBody, ResponseBody};
use mcp_types::Revision;
use tokio::time::Instant;
use tower_service::Service;

use crate::common::{Near, failed, legacy, modern, ms, note, secs, still_works, undelivered};

type Answering = Arc<dyn Fn(&Request<RequestBody>) -> Option<Response<Full<Bytes>>> + Send + Sync>;

/// A service of a closure. `None` is a server that never answers.
#[derive(Clone)]
struct Scripted {
    answer: Answering,
    /// When each came, and its method.
    requests: Arc<Mutex<Vec<(Instant, String)>>>,
}

impl Scripted {
    fn new(
        answer: impl Fn(&Request<RequestBody>) -> Option<Response<Full<Bytes>>> + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Arc::new(answer), requests: Arc::default() }
    }

    fn times(&self, method: &str) -> Vec<Instant> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|(_, of)| of == method).map(|(at, _)| *at).collect()
    }
}

impl Service<Request<RequestBody>> for Scripted {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        self.requests.lock().unwrap().push((Instant::now(), request.method().to_string()));
        match (self.answer)(&request) {
            Some(answer) => Box::pin(ready(Ok(answer))),
            None => Box::pin(std::future::pending()),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what the closures of scripted services give")]
fn answer(status: u16, media: &str, body: impl Into<Bytes>) -> Option<Response<Full<Bytes>>> {
    let answer = Response::builder().status(status).header("content-type", media);
    Some(answer.body(Full::new(body.into())).unwrap())
}

fn http() -> Http {
    Http::new("https://server.example/mcp?tenant=1").unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_service_of_the_users_own_gets_absolute_uris() {
    let service = Scripted::new(|request| {
        assert_eq!(request.uri(), "https://server.example/mcp?tenant=1");
        assert!(request.body().bytes().starts_with(b"{\"jsonrpc\""));
        answer(200, "application/json", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    });
    let near = Near::open(http().service(service)).await;
    assert_eq!(near.start(modern(1, "tools/list")).reply().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

/// Field report H-04: waits are those that the server asks for, then longer ones, and they end.
#[tokio::test(start_paused = true)]
async fn a_stream_that_brings_nothing_new_is_given_up() {
    let service = Scripted::new(|request| match request.method().as_str() {
        "POST" => answer(200, "text/event-stream", "id: e1\nretry: 300\ndata:\n\n"),
        _ => answer(200, "text/event-stream", ": nothing\n\nid: e1\ndata:\n\n"),
    });
    let near = Near::open(http().service(service.clone())).await;
    let error = failed(near.start(legacy(1, "tools/call")).end().await);
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Closed, Delivery::MaybeSent));
    let (posts, gets) = (service.times("POST"), service.times("GET"));
    assert_eq!((posts.len(), gets.len()), (1, 8));
    assert_eq!(gets[0] - posts[0], ms(300));
    let waits: Vec<_> = gets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits.is_sorted() && waits.iter().all(|wait| *wait >= ms(300) && *wait <= secs(30)), "{waits:?}");
}

/// A server that is down for a moment is asked again for the stream.
#[tokio::test(start_paused = true)]
async fn a_passing_failure_does_not_end_a_resumption() {
    let attempts = AtomicUsize::new(0);
    let service = Scripted::new(move |request| match request.method().as_str() {
        "POST" => answer(200, "text/event-stream", "id: e1\ndata:\n\n"),
        _ if attempts.fetch_add(1, Ordering::Relaxed) < 3 => answer(503, "text/plain", "later"),
        _ => answer(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"),
    });
    let near = Near::open(http().service(service.clone())).await;
    let mut call = near.start(legacy(1, "tools/call"));
    assert_eq!(call.message().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(matches!(call.end().await, ExchangeEnd::Complete));
    assert_eq!(service.times("GET").len(), 4);
}

/// The server's own stream that ends again and again without a word is not opened in a tight loop, nor for ever.
#[tokio::test(start_paused = true)]
async fn a_listening_stream_is_not_reopened_without_end() {
    let service = Scripted::new(|request| match request.method().as_str() {
        "POST" => answer(202, "text/plain", ""),
        _ => answer(200, "text/event-stream", ""),
    });
    let mut near = Near::open(http().service(service.clone())).await;
    near.send([Outbound::Settled(Revision::V2025_06_18), note("notifications/initialized").into()]).await;
    let mut into = Vec::new();
    let listening = tokio::time::timeout(secs(3600), near.receiver.recv(&mut into));
    assert!(listening.await.is_err());
    let gets = service.times("GET");
    assert_eq!(gets.len(), 9);
    assert!(gets.windows(2).all(|pair| pair[1] - pair[0] >= secs(1)));
}

#[tokio::test(start_paused = true)]
async fn silence_to_a_notification_is_bounded() {
    let service = Scripted::new(|_| None);
    let mut near = Near::open(http().service(service)).await;
    let begun = Instant::now();
    near.send([note("notifications/initialized").into()]).await;
    assert_eq!(begun.elapsed(), secs(1));
    let (_, error) = undelivered(near.beside().await);
    assert_eq!((error.kind(), begun.elapsed()), (TransportErrorKind::Timeout, Http::DEFAULT_ACCEPT_TIMEOUT));
    near.close().await.unwrap();
}

/// Middleware around the transport's own client: it sees every request, can send one again, and evidence survives it.
#[derive(Clone)]
struct RetryOnce(HttpClient, Arc<AtomicUsize>);

impl Service<Request<RequestBody>> for RetryOnce {
    type Response = Response<ResponseBody>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let (mut client, count) = (self.0.clone(), Arc::clone(&self.1));
        Box::pin(async move {
            count.fetch_add(1, Ordering::Relaxed);
            let again = request.clone();
            let answer = client.call(request).await?;
            if answer.status() == 401 { Ok(client.call(again).await?) } else { Ok(answer) }
        })
    }
}

#[tokio::test]
async fn middleware_stands_around_the_client() {
    let mut server = mcp_testkit::http::HttpServer::start().await;
    let service = RetryOnce(HttpClient::new(), Arc::default());
    let near = Near::open(Http::new(&server.url()).unwrap().service(service.clone())).await;
    let call = near.start(modern(1, "tools/list"));
    let first = server.next().await;
    let sent = first.request.body.clone();
    first.respond(401, &[("www-authenticate", "Bearer")], "").await;
    let again = server.next().await;
    assert_eq!(again.request.body, sent);
    again.result("{}").await;
    call.reply().await;
    still_works(&near, &mut server).await;
    assert_eq!(service.1.load(Ordering::Relaxed), 2);
    let url = server.url();
    drop(server);
    let service = RetryOnce(HttpClient::new(), Arc::default());
    let near = Near::open(Http::new(&url).unwrap().service(service)).await;
    let error = near.start(modern(1, "tools/list")).error().await;
    assert_eq!(error.delivery(), Delivery::NeverSent, "{error:?}");
}
