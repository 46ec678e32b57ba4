//! HTTP over a Unix socket.

use std::path::PathBuf;

use mcp_testkit::http::HttpServer;
use mcp_transport::{Delivery, TransportErrorKind};
use mcp_transport_http::{Http, HttpClient, HttpVersion};
use tokio::{
    io::copy_bidirectional,
    net::{TcpStream, UnixListener},
};

use crate::{
    certificates::AUTHORITY,
    common::{Near, answered, modern},
};

/// A path for a socket, where there is none.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("mcp-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// A socket that leads to `server`.
fn socket(name: &str, server: &HttpServer) -> PathBuf {
    let path = path(name);
    let listener = UnixListener::bind(&path).unwrap();
    let address = server.address();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut far = TcpStream::connect(address).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    path
}

/// Whatever speaks over TCP speaks over a socket, and the URL names the host that the server hears of.
#[tokio::test]
async fn a_server_behind_a_socket_answers() {
    let tls = HttpServer::start_tls(AUTHORITY.server(&["server.invalid"], &["h2"])).await;
    let roots = AUTHORITY.pem();
    for (name, mut server, scheme, version) in [
        ("http1", HttpServer::start().await, "http", HttpVersion::Negotiated),
        ("http2", HttpServer::start_http2().await, "http", HttpVersion::Http2),
        ("tls", tls, "https", HttpVersion::Negotiated),
    ] {
        let path = socket(name, &server);
        let client = HttpClient::new().add_root_certificates(roots.as_bytes()).unwrap();
        let client = client.version(version).unix_socket(&path);
        let url = format!("{scheme}://server.invalid/mcp");
        let near = Near::open(Http::new(&url).unwrap().service(client)).await;
        for _ in 0..2 {
            let call = near.start(modern(1, "tools/list"));
            let exchange = server.next().await;
            assert_eq!(exchange.request.header("host"), Some("server.invalid"));
            answered(call, exchange).await;
        }
        assert_eq!(server.accepted(), 1);
        std::fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn a_socket_that_leads_nowhere_is_told_apart() {
    let left = path("left");
    drop(UnixListener::bind(&left).unwrap());
    for (path, kind) in
        [(path("missing"), TransportErrorKind::NotFound), (left.clone(), TransportErrorKind::Connect)]
    {
        let client = HttpClient::new().unix_socket(&path);
        let near = Near::open(Http::new("http://localhost/mcp").unwrap().service(client)).await;
        let error = near.start(modern(1, "tools/list")).error().await;
        assert_eq!((error.kind(), error.delivery()), (kind, Delivery::NeverSent));
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
    std::fs::remove_file(left).unwrap();
}
