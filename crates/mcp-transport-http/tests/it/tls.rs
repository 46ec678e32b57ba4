//! TLS, with a certificate that only the test trusts.

use std::sync::Arc;

use mcp_transport::{Delivery, TransportErrorKind};
use mcp_transport_http::{Http, HttpClient};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

use crate::common::{Near, modern};

const CERTIFICATE: &[u8] = include_bytes!("../data/server.pem");
const REPLY: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const KEY: &[u8] = include_bytes!("../data/server.key");

/// A server that answers every request with the same reply. Gives its port.
async fn serve() -> u16 {
    let certificates = CertificateDer::pem_slice_iter(CERTIFICATE).collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut request = vec![0; 65536];
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let length = REPLY.len();
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
                    stream.write_all(format!("{head} {length}\r\n\r\n{REPLY}").as_bytes()).await.unwrap();
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn a_trusted_server_answers_over_tls() {
    let port = serve().await;
    let service = HttpClient::new().add_root_certificates(CERTIFICATE).unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let http = Http::new(&format!("https://{host}:{port}/mcp")).unwrap().service(service.clone());
        let near = Near::open(http).await;
        for _ in 0..2 {
            let call = near.start(modern(1, "tools/list"));
            assert_eq!(call.reply().await, REPLY);
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_trusted_gets_nothing() {
    let port = serve().await;
    let wrong_name = HttpClient::new().add_root_certificates(CERTIFICATE).unwrap();
    for (host, service) in [("localhost", HttpClient::new()), ("127.0.0.2", wrong_name)] {
        let listening = Http::new(&format!("https://{host}:{port}/mcp")).unwrap().service(service);
        let error = Near::open(listening).await.start(modern(1, "tools/list")).error().await;
        assert_eq!(
            (error.kind(), error.delivery()),
            (TransportErrorKind::Connect, Delivery::NeverSent),
            "{error:?}"
        );
    }
}
