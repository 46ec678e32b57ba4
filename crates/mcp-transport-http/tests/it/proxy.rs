//! Proxies: asked where they are to be asked, and what is said when they fail.

use std::{net::SocketAddr, sync::Arc};

use mcp_testkit::http::HttpServer;
use mcp_transport::{Delivery, TransportError, TransportErrorKind, contract::patiently};
use mcp_transport_http::{Http, HttpClient, HttpVersion, Proxy};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig};

use crate::{
    certificates::AUTHORITY,
    common::{Near, answered, modern, ms, still_works},
    in_child,
};

/// `user:hunter2`.
const BASIC: &str = "proxy-authorization: basic dxnlcjpodw50zxiy";

fn trusting() -> HttpClient {
    HttpClient::new().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap()
}

/// A proxy that makes tunnels to `server`, whatever it is asked for, and tells what it was asked, in lower case.
async fn tunnels(
    server: SocketAddr,
    tls: Option<Arc<ServerConfig>>,
) -> (u16, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (to, asked) = mpsc::unbounded_channel();
    let tls = tls.map(TlsAcceptor::from);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (to, tls) = (to.clone(), tls.clone());
            tokio::spawn(async move {
                match tls {
                    None => tunnel(stream, server, to).await,
                    Some(tls) => tunnel(tls.accept(stream).await.unwrap(), server, to).await,
                }
            });
        }
    });
    (port, asked)
}

async fn tunnel(
    mut near: impl AsyncRead + AsyncWrite + Unpin,
    server: SocketAddr,
    to: mpsc::UnboundedSender<String>,
) {
    to.send(head(&mut near).await).unwrap();
    let mut far = TcpStream::connect(server).await.unwrap();
    near.write_all(b"HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n").await.unwrap();
    // Either side may end it.
    let _ = copy_bidirectional(&mut near, &mut far).await;
}

async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap().to_ascii_lowercase()
}

/// A proxy that says `answer` to whatever it is asked, and goes.
async fn says(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            head(&mut stream).await;
            stream.write_all(answer).await.unwrap();
        }
    });
    port
}

/// What a call to `url` through the proxy at `port` ends with.
async fn refusal(url: &str, port: u16) -> TransportError {
    let proxy = Proxy::all(&format!("http://user:hunter2@127.0.0.1:{port}")).unwrap();
    let client = trusting().proxy(proxy.loopback_too()).connect_timeout(ms(700));
    let near = Near::open(Http::new(url).unwrap().service(client)).await;
    let error = near.start(modern(1, "tools/list")).error().await;
    assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
    assert_eq!(error.delivery(), Delivery::NeverSent, "{error:?}");
    error
}

/// Over TLS, and over HTTP/2 without it, the proxy makes a tunnel. It sees no request, and the server no credentials.
#[tokio::test]
async fn a_tunnel_leads_to_the_server() {
    let tls = |protocol| AUTHORITY.server(&["server.example"], &[protocol]);
    for (mut server, client) in [
        (HttpServer::start_tls(tls("h2")).await, trusting()),
        (HttpServer::start_tls(tls("http/1.1")).await, trusting()),
        (HttpServer::start_http2().await, HttpClient::new().version(HttpVersion::Http2)),
    ] {
        let secure = server.url().starts_with("https");
        for proxy_tls in [false, true] {
            let config = proxy_tls.then(|| AUTHORITY.server(&["127.0.0.1"], &["h2", "http/1.1"]));
            let (port, mut asked) = tunnels(server.address(), config).await;
            let scheme = if proxy_tls { "https" } else { "http" };
            let proxy = Proxy::all(&format!("{scheme}://user:hunter2@127.0.0.1:{port}")).unwrap();
            let client = client.clone().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap();
            let url = if secure { "https://server.example/mcp" } else { "http://server.example/mcp" };
            let near = Near::open(Http::new(url).unwrap().service(client.proxy(proxy))).await;
            for _ in 0..2 {
                let call = near.start(modern(99, "tools/list"));
                let exchange = server.next().await;
                assert_eq!(exchange.request.header("proxy-authorization"), None);
                assert_eq!(exchange.request.target, "/mcp");
                answered(call, exchange).await;
            }
            let asked_for = patiently(asked.recv()).await.flatten().unwrap();
            let port = if secure { 443 } else { 80 };
            assert!(asked_for.starts_with(&format!("connect server.example:{port} http/1.1")), "{asked_for}");
            assert!(asked_for.contains(BASIC), "{asked_for}");
            assert!(asked.try_recv().is_err(), "one connection");
        }
    }
}

/// Without TLS the proxy forwards requests, which name the server whole.
#[tokio::test]
async fn requests_without_tls_are_forwarded() {
    let mut proxy = HttpServer::start().await;
    let rule = Proxy::all(&format!("http://user:hunter2@{}", proxy.address())).unwrap();
    let client = HttpClient::new().proxy(rule);
    let near = Near::open(Http::new("http://server.example:8080/mcp?x=1").unwrap().service(client)).await;
    for _ in 0..2 {
        let call = near.start(modern(99, "tools/list"));
        let exchange = proxy.next().await;
        assert_eq!(exchange.request.target, "http://server.example:8080/mcp?x=1");
        assert_eq!(exchange.request.header("host"), Some("server.example:8080"));
        assert_eq!(exchange.request.header("proxy-authorization"), Some("Basic dXNlcjpodW50ZXIy"));
        answered(call, exchange).await;
    }
    assert_eq!(proxy.accepted(), 1);
}

/// What a proxy may do wrong is told apart from what a server does.
#[tokio::test]
async fn a_proxy_that_fails_is_an_error_of_the_proxy() {
    const CHALLENGE: &[u8] = b"HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm=\"p\"\r\ncontent-length: 8\r\n\r\nwho now?";
    const FORBIDDEN: &[u8] = b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\nnot there";
    for (answer, url, status, challenges) in [
        (CHALLENGE, "https://server.example/mcp", 407, 1),
        (CHALLENGE, "http://server.example/mcp", 407, 1),
        (FORBIDDEN, "https://server.example/mcp", 403, 0),
    ] {
        let error = refusal(url, says(answer).await).await;
        assert_eq!(error.kind(), TransportErrorKind::Proxy, "{error:?}");
        assert!(error.http().is_none(), "it is no refusal of the server");
        let proxy = error.proxy().unwrap();
        assert_eq!((proxy.status, proxy.www_authenticate.len()), (status, challenges));
        assert!(!proxy.body_excerpt.is_empty());
    }
    for answer in [&b"220 smtp.example ESMTP\r\n"[..], &[0; 40], b"", b"HTTP/1.1 200 OK"] {
        let error = refusal("https://server.example/mcp", says(answer).await).await;
        assert_eq!(error.kind(), TransportErrorKind::Proxy, "{answer:?} {error:?}");
        assert!(error.to_string().contains("the proxy 127.0.0.1:"), "{error}");
    }
    // One that says nothing, and one that is not there.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let error = refusal("https://server.example/mcp", port).await;
    assert_eq!(error.kind(), TransportErrorKind::Timeout, "{error:?}");
    drop(silent);
    for url in ["https://server.example/mcp", "http://server.example/mcp"] {
        assert_eq!(refusal(url, port).await.kind(), TransportErrorKind::Proxy);
    }
}

/// Hosts of the loopback are reached without it.
#[tokio::test]
async fn the_loopback_is_reached_directly() {
    let mut server = HttpServer::start().await;
    let client = HttpClient::new().proxy(Proxy::all("http://127.0.0.1:9").unwrap());
    let near = Near::open(Http::new(&server.url()).unwrap().service(client)).await;
    still_works(&near, &mut server).await;
}

/// The environment names the proxies, and who has none.
#[tokio::test]
async fn the_environment_names_the_proxies() {
    if !in_child::is() {
        let variables = [
            ("HTTPS_PROXY", "http://user:hunter2@127.0.0.1:1"),
            ("http_proxy", "http://127.0.0.1:2"),
            ("NO_PROXY", "excepted.invalid,10.0.0.0/8"),
        ];
        return in_child::run("proxy::the_environment_names_the_proxies", &variables);
    }
    let error = async |url: &str| {
        let near = Near::open(Http::new(url).unwrap()).await;
        near.start(modern(1, "tools/list")).error().await
    };
    for (url, port) in [("https://server.example/", 1), ("http://server.example/", 2)] {
        let error = error(url).await;
        assert_eq!(error.kind(), TransportErrorKind::Proxy);
        assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");
    }
    let error = error("https://a.excepted.invalid/").await;
    assert_eq!(error.kind(), TransportErrorKind::NotFound, "{error:?}");
}
