use std::{
    fmt, io,
    sync::{Arc, LazyLock},
};

use mcp_transport::{Delivery, TransportError, TransportErrorKind};
use tokio::{net::TcpStream, sync::OnceCell};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

use super::version::HttpVersion;

type SharedConfig = Arc<OnceCell<Arc<ClientConfig>>>;

/// Whom to trust, and what to speak. The roots of the platform are read once a process, when they are first needed.
#[derive(Clone)]
pub(super) struct Tls {
    extra: Vec<CertificateDer<'static>>,
    version: HttpVersion,
    config: SharedConfig,
}

/// Why there is no TLS connection.
pub(super) type TlsFailure = (TransportErrorKind, io::Error);

impl Tls {
    pub(super) fn platform() -> Self {
        static PLATFORM: LazyLock<SharedConfig> = LazyLock::new(SharedConfig::default);
        Self { extra: Vec::new(), version: HttpVersion::default(), config: Arc::clone(&PLATFORM) }
    }

    /// The same with more roots.
    pub(super) fn with_roots(&self, roots: Vec<CertificateDer<'static>>) -> Self {
        let mut extra = self.extra.clone();
        extra.extend(roots);
        Self { extra, version: self.version, config: SharedConfig::default() }
    }

    /// The same for another version.
    pub(super) fn with_version(&self, version: HttpVersion) -> Self {
        Self { extra: self.extra.clone(), version, config: SharedConfig::default() }
    }

    pub(super) async fn wrap(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, TlsFailure> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|error| (TransportErrorKind::Configuration, io::Error::other(error)))?;
        let config = self.config.get_or_try_init(|| self.load()).await?;
        let connector = TlsConnector::from(Arc::clone(config));
        connector.connect(name, stream).await.map_err(|error| (TransportErrorKind::Connect, error))
    }

    async fn load(&self) -> Result<Arc<ClientConfig>, TlsFailure> {
        let extra = self.extra.clone();
        // Reads some hundred files.
        let roots = tokio::task::spawn_blocking(move || roots(extra))
            .await
            .map_err(|error| (TransportErrorKind::Io, io::Error::other(error)))?
            .map_err(|error| (TransportErrorKind::Configuration, io::Error::other(error)))?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| (TransportErrorKind::Configuration, io::Error::other(error)))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = self.version.offered();
        Ok(Arc::new(config))
    }
}

/// The certificates in a PEM text.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TransportError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(unusable(&"it holds none")),
        Err(error) => Err(unusable(&error)),
    }
}

fn unusable(why: &dyn fmt::Display) -> TransportError {
    let message = format!("the root certificates cannot be used: {why}");
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, message)
}

fn roots(extra: Vec<CertificateDer<'static>>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for root in extra {
        store.add(root).map_err(|error| format!("a root certificate cannot be used: {error}"))?;
    }
    let platform = rustls_native_certs::load_native_certs();
    // Platforms hold roots that nobody can read any more; the rest counts.
    store.add_parsable_certificates(platform.certs);
    if store.is_empty() {
        let why: Vec<_> = platform.errors.iter().map(ToString::to_string).collect();
        return Err(format!("the platform has no root certificates {why:?}"));
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_certificates_is_refused() {
        for pem in [&b""[..], b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
            assert_eq!(certificates(pem).unwrap_err().kind(), TransportErrorKind::Configuration);
        }
    }
}
