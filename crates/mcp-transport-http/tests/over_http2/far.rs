//! A server of HTTP/2 that a test plays stream by stream.

use bytes::Bytes;
use h2::{RecvStream, server::Builder, server::Connection, server::SendResponse};
use http::{Request, Response};
use mcp_transport::contract::patiently;
use mcp_transport_http::{Http, HttpClient, HttpVersion};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const REPLY: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

pub(crate) type Far = Connection<TcpStream, Bytes>;
pub(crate) type Stream = (Request<RecvStream>, SendResponse<Bytes>);

pub(crate) struct Listener(TcpListener);

impl Listener {
    pub(crate) async fn bind() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn http(&self) -> Http {
        Http::new(&format!("http://{}/mcp", self.0.local_addr().unwrap()))
            .unwrap()
            .service(HttpClient::new().version(HttpVersion::Http2))
    }

    /// The next connection, which takes so many streams at once.
    pub(crate) async fn accept(&self, streams: u32) -> Far {
        let (stream, _) = patiently(self.0.accept()).await.expect("a connection").unwrap();
        Builder::new().max_concurrent_streams(streams).handshake(stream).await.unwrap()
    }

    /// Whether another connection was made.
    pub(crate) async fn has_more(&self) -> bool {
        tokio::time::timeout(std::time::Duration::from_millis(100), self.0.accept()).await.is_ok()
    }
}

/// The next request, with its body left unread.
pub(crate) async fn next(far: &mut Far) -> Stream {
    patiently(far.accept()).await.expect("a request").expect("a connection").unwrap()
}

/// Answers with [`REPLY`].
pub(crate) fn reply(mut respond: SendResponse<Bytes>) {
    let head = Response::builder().header("content-type", "application/json").body(()).unwrap();
    let mut body = respond.send_response(head, false).unwrap();
    body.send_data(Bytes::from_static(REPLY.as_bytes()), true).unwrap();
}

/// Answers everything that comes on `far`.
pub(crate) fn serve(mut far: Far) {
    tokio::spawn(async move {
        while let Some(Ok((_, respond))) = far.accept().await {
            reply(respond);
        }
    });
}

/// Keeps `far` going: frames are read and written only while somebody asks for the next request.
pub(crate) fn drive(mut far: Far) {
    tokio::spawn(async move { while let Some(Ok(_)) = far.accept().await {} });
}
