//! Certificates that are good, and in which way they are not.

use std::{fs, path::Path, sync::Arc};

use mcp_testkit::http::HttpServer;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use crate::common::{Run, command, finish, folder};

/// An authority in a file, and a server with a certificate of it for `name`.
fn server(name: &str, authority: &Path) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    fs::write(authority, issuer.pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let chain = vec![CertificateDer::from_pem_slice(certificate.pem().as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    Arc::new(config.with_single_cert(chain, key).unwrap())
}

/// Runs `verb` against a server for `name`, with the authority trusted or not.
async fn against(verb: &'static str, name: &str, trusted: bool) -> Run {
    let authority = folder(&format!("tls-{verb}-{name}-{trusted}")).join("authority.pem");
    let mut server = HttpServer::start_tls(server(name, &authority)).await;
    let url = server.url().replace("127.0.0.1", "localhost");
    let run = tokio::task::spawn_blocking(move || {
        let mut command = command([verb, "--json", "--timeout", "10", "--url", &url]);
        if trusted {
            command.env("SSL_CERT_FILE", authority);
        }
        finish(command.spawn().unwrap())
    });
    let answering = tokio::spawn(async move {
        let result = r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
        while let Some(exchange) = server.recv().await {
            exchange.result(result).await;
        }
    });
    let run = run.await.unwrap();
    answering.abort();
    run
}

#[tokio::test]
async fn a_trusted_authority() {
    let run = against("info", "localhost", true).await.expect(0);
    assert_eq!(run.json()["revision"], "2026-07-28");
}

#[tokio::test]
async fn doctor_tells_which_check_failed() {
    for (name, trusted, todo) in [
        ("localhost", false, "make this machine trust the authority"),
        ("other.example", true, "the name that the certificate is for"),
    ] {
        let run = against("doctor", name, trusted).await.expect(3);
        let fault = &run.json()["fault"];
        assert_eq!((&fault["layer"], &fault["check"]), (&"transport".into(), &"TLS".into()), "{run:?}");
        assert!(fault["do"].as_str().unwrap().contains(todo), "{run:?}");
        against("info", name, trusted).await.expect(3);
    }
}
