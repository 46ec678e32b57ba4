//! What is spoken between a link and its server: the same tests run over each.

use mcp_testkit::http::HttpServer;
use mcp_transport_http::{Http, HttpClient, HttpVersion};

use crate::certificates::AUTHORITY;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(dead_code, reason = "each test program runs over one of them")]
pub(crate) enum Wire {
    Http1,
    Http2,
    /// TLS, and HTTP/2 by agreement.
    Tls,
}

impl Wire {
    pub(crate) async fn serve(self) -> HttpServer {
        match self {
            Self::Http1 => HttpServer::start().await,
            Self::Http2 => HttpServer::start_http2().await,
            Self::Tls => HttpServer::start_tls(AUTHORITY.server(&["127.0.0.1"], &["h2"])).await,
        }
    }

    pub(crate) fn http(self, server: &HttpServer) -> Http {
        let http = Http::new(&server.url()).unwrap();
        match self {
            Self::Http1 => http,
            Self::Http2 => http.service(HttpClient::new().version(HttpVersion::Http2)),
            Self::Tls => {
                let client = HttpClient::new().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap();
                http.service(client)
            }
        }
    }
}
