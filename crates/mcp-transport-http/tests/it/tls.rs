//! TLS: whom the client trusts, who it is, and what it says when either fails.

use std::sync::Arc;

use mcp_testkit::http::HttpServer;
use mcp_transport::{
    CertificateFailure::{AuthorityAsServer, Expired, NotYetValid, UnknownIssuer, WrongName},
    Delivery, TransportError, TransportErrorKind,
};
use mcp_transport_http::{
    Http, HttpClient,
    rustls::{ClientConfig, RootCertStore, ServerConfig, crypto, pki_types::CertificateDer},
};
use rcgen::{BasicConstraints, IsCa, KeyPair, date_time_ymd};
use tokio_rustls::rustls::pki_types::pem::PemObject;

use crate::{
    certificates::{AUTHORITY, Authority, Identity, params},
    common::{Near, modern, still_works},
    in_child,
};

const HOST: &[&str] = &["127.0.0.1"];

fn trusting() -> HttpClient {
    HttpClient::new().add_root_certificates(AUTHORITY.pem().as_bytes()).unwrap()
}

/// A certificate that nobody but itself vouches for; as openssl makes it, it is one of an authority.
fn self_signed(names: &[&str], authority: bool) -> Identity {
    let key = KeyPair::generate().unwrap();
    let mut params = params(names);
    if authority {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    let certificate = params.self_signed(&key).unwrap();
    Identity { certificate: certificate.pem(), key: key.serialize_pem() }
}

/// What the first call to a server with `config` ends with.
async fn refusal(config: Arc<ServerConfig>, client: HttpClient) -> TransportError {
    let server = HttpServer::start_tls(config).await;
    let near = Near::open(Http::new(&server.url()).unwrap().service(client)).await;
    near.start(modern(1, "tools/list")).error().await
}

#[tokio::test]
async fn a_trusted_server_answers_over_tls() {
    for protocols in [&["http/1.1"][..], &["h2", "http/1.1"], &[]] {
        let mut server =
            HttpServer::start_tls(AUTHORITY.server(&["localhost", "127.0.0.1"], protocols)).await;
        for host in ["localhost", "127.0.0.1"] {
            let url = format!("https://{host}:{}/mcp", server.address().port());
            let near = Near::open(Http::new(&url).unwrap().service(trusting())).await;
            for _ in 0..2 {
                still_works(&near, &mut server).await;
            }
        }
        assert_eq!(server.accepted(), 2, "{protocols:?}");
    }
}

/// Which check failed is a value, over the protocol of either version; nothing was sent.
#[tokio::test]
async fn the_check_that_failed_is_told() {
    let expired = AUTHORITY.issue(HOST, |certificate| certificate.not_after = date_time_ymd(2001, 1, 1));
    let early = AUTHORITY.issue(HOST, |certificate| certificate.not_before = date_time_ymd(4000, 1, 1));
    let foreign = Authority::new("Nobody knows it").issue(HOST, |_| {});
    let elsewhere = AUTHORITY.issue(&["other.example"], |_| {});
    for (identity, failure) in [
        (expired, Expired),
        (early, NotYetValid),
        (self_signed(HOST, false), UnknownIssuer),
        (self_signed(HOST, true), AuthorityAsServer),
        (foreign, UnknownIssuer),
        (elsewhere, WrongName),
    ] {
        for protocol in ["http/1.1", "h2"] {
            let error = refusal(identity.server(&[protocol], None), trusting()).await;
            let seen = (error.certificate(), error.kind(), error.delivery());
            assert_eq!(seen, (Some(failure), TransportErrorKind::Connect, Delivery::NeverSent), "{error:?}");
            assert!(error.to_string().contains("certificate"), "{error}");
        }
    }
    // Without the private authority, nobody vouches for what it issued.
    let error = refusal(AUTHORITY.server(HOST, &["h2"]), HttpClient::new()).await;
    assert_eq!(error.certificate(), Some(UnknownIssuer), "{error:?}");
}

/// A server that speaks no TLS, and one that ends it at once, is not a matter of certificates.
#[tokio::test]
async fn a_server_without_tls_is_an_error_of_the_connection() {
    let server = HttpServer::start().await;
    let url = server.url().replace("http:", "https:");
    let near = Near::open(Http::new(&url).unwrap().service(trusting())).await;
    let call = near.start(modern(1, "tools/list"));
    let closing = tokio::time::timeout(crate::common::ms(500), call.error());
    // The server waits for the end of a line.
    drop(server);
    let error = closing.await.expect("no hang");
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Connect, Delivery::NeverSent));
    assert_eq!(error.certificate(), None);
}

/// A certificate of ours is shown to a server that asks; without one, or with one that it does not accept, nothing runs.
#[tokio::test]
async fn a_client_certificate_is_shown() {
    let clients = Authority::new("Clients");
    let ours = clients.issue(&["client"], |_| {});
    let foreign = AUTHORITY.issue(&["client"], |_| {});
    let server = AUTHORITY.issue(HOST, |_| {});
    let shown = |identity: &Identity| {
        let (chain, key) = (identity.certificate.as_bytes(), identity.key.as_bytes());
        trusting().client_certificate(chain, key).unwrap()
    };
    for protocol in ["http/1.1", "h2"] {
        let config = server.server(&[protocol], Some(&clients));
        let mut accepting = HttpServer::start_tls(Arc::clone(&config)).await;
        let near = Near::open(Http::new(&accepting.url()).unwrap().service(shown(&ours))).await;
        still_works(&near, &mut accepting).await;
        for client in [trusting(), shown(&foreign)] {
            let error = refusal(Arc::clone(&config), client).await;
            // In TLS 1.3 the server only says so when the client is done.
            assert!(error.to_string().contains("alert"), "{protocol} {error:?}");
        }
    }
    let mixed = Identity { key: foreign.key.clone(), certificate: ours.certificate.clone() };
    let error = refusal(server.server(&["h2"], None), shown(&mixed)).await;
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Configuration, Delivery::NeverSent));
    assert!(!format!("{error:?}").contains("PRIVATE"), "no secrets");
}

/// The application's own configuration takes the place of ours.
#[tokio::test]
async fn tls_can_be_configured_whole() {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut server = HttpServer::start_tls(AUTHORITY.server(HOST, &["h2"])).await;
    let client = HttpClient::new().tls_config(config);
    let near = Near::open(Http::new(&server.url()).unwrap().service(client)).await;
    still_works(&near, &mut server).await;
}

/// The roots of the platform are those that `SSL_CERT_FILE` names.
#[tokio::test]
async fn the_environment_names_the_roots() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/roots-of-the-environment.pem");
    let identity = concat!(env!("CARGO_TARGET_TMPDIR"), "/server-of-the-environment.pem");
    if !in_child::is() {
        let authority = Authority::new("Of the environment");
        let server = authority.issue(HOST, |_| {});
        std::fs::write(file, authority.pem()).unwrap();
        std::fs::write(identity, server.certificate + &server.key).unwrap();
        return in_child::run("tls::the_environment_names_the_roots", &[("SSL_CERT_FILE", file)]);
    }
    let both = std::fs::read_to_string(identity).unwrap();
    let identity = Identity { certificate: both.clone(), key: both };
    let mut server = HttpServer::start_tls(identity.server(&["h2"], None)).await;
    let near = Near::open(Http::new(&server.url()).unwrap()).await;
    still_works(&near, &mut server).await;
}

/// The application's choice of cryptography for the process counts.
#[tokio::test]
async fn the_cryptography_is_the_one_of_the_process() {
    if !in_child::is() {
        return in_child::run("tls::the_cryptography_is_the_one_of_the_process", &[]);
    }
    let mut useless = crypto::ring::default_provider();
    useless.kx_groups.clear();
    useless.install_default().unwrap();
    let error = refusal(AUTHORITY.server(HOST, &["h2"]), trusting()).await;
    assert_eq!(error.kind(), TransportErrorKind::Configuration, "{error:?}");
}
