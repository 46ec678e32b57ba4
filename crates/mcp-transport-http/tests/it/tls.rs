//! TLS: whom the client trusts, and what it says when it does not.

use mcp_testkit::http::HttpServer;
use mcp_transport::{Delivery, TransportErrorKind};
use mcp_transport_http::{Http, HttpClient};

use crate::{
    certificates::AUTHORITY,
    common::{Near, modern, still_works},
};

#[tokio::test]
async fn a_trusted_server_answers_over_tls() {
    for protocols in [&["http/1.1"][..], &["h2", "http/1.1"], &[]] {
        let mut server =
            HttpServer::start_tls(AUTHORITY.server(&["localhost", "127.0.0.1"], protocols)).await;
        let service = HttpClient::new().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap();
        for host in ["localhost", "127.0.0.1"] {
            let url = format!("https://{host}:{}/mcp", server.address().port());
            let near = Near::open(Http::new(&url).unwrap().service(service.clone())).await;
            for _ in 0..2 {
                still_works(&near, &mut server).await;
            }
        }
        assert_eq!(server.accepted(), 2, "{protocols:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_trusted_gets_nothing() {
    let server = HttpServer::start_tls(AUTHORITY.server(&["localhost"], &["h2"])).await;
    let port = server.address().port();
    let wrong_name = HttpClient::new().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap();
    for (host, service) in [("localhost", HttpClient::new()), ("127.0.0.1", wrong_name)] {
        let http = Http::new(&format!("https://{host}:{port}/mcp")).unwrap().service(service);
        let error = Near::open(http).await.start(modern(1, "tools/list")).error().await;
        let seen = (error.kind(), error.delivery());
        assert_eq!(seen, (TransportErrorKind::Connect, Delivery::NeverSent), "{error:?}");
    }
}
