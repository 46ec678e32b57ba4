//! TLS: whom to trust, and who we are.

use std::{
    error::Error,
    fmt, io,
    sync::{Arc, LazyLock},
};

use mcp_transport::{CertificateFailure, Delivery, TransportError, TransportErrorKind};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::OnceCell,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        self, CertificateError, ClientConfig, RootCertStore,
        crypto::CryptoProvider,
        pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    },
};

use super::{target::Target, version::HttpVersion};

type SharedConfig = Arc<OnceCell<Arc<ClientConfig>>>;

/// How TLS connections are made. What the platform trusts is read once a process, when it is first needed.
#[derive(Clone)]
pub(super) struct Tls {
    version: HttpVersion,
    extra_roots: Vec<CertificateDer<'static>>,
    identity: Option<Arc<Identity>>,
    /// The application's own, instead of all that is set here but the version.
    given: Option<Arc<ClientConfig>>,
    config: SharedConfig,
}

struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Tls {
    pub(super) fn platform() -> Self {
        static PLATFORM: LazyLock<SharedConfig> = LazyLock::new(SharedConfig::default);
        Self {
            version: HttpVersion::default(),
            extra_roots: Vec::new(),
            identity: None,
            given: None,
            config: Arc::clone(&PLATFORM),
        }
    }

    pub(super) fn set_version(&mut self, version: HttpVersion) {
        self.version = version;
        self.config = SharedConfig::default();
    }

    /// Trusts the certificates in `pem` too.
    pub(super) fn add_roots(&mut self, pem: &[u8]) -> Result<(), TransportError> {
        self.extra_roots.extend(certificates(pem)?);
        self.config = SharedConfig::default();
        Ok(())
    }

    /// Shows the certificates in `chain` to servers that ask for one.
    pub(super) fn set_identity(&mut self, chain: &[u8], key: &[u8]) -> Result<(), TransportError> {
        let chain = certificates(chain)?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| configuration(format!("the private key cannot be read: {error}")))?;
        self.identity = Some(Arc::new(Identity { chain, key }));
        self.config = SharedConfig::default();
        Ok(())
    }

    pub(super) fn set_config(&mut self, config: ClientConfig) {
        self.given = Some(Arc::new(config));
        self.config = SharedConfig::default();
    }

    /// The same for a connection to a proxy, which learns nothing of who we are.
    #[cfg(feature = "proxy")]
    pub(super) fn to_proxy(&self) -> Self {
        let mut tls = self.clone();
        tls.identity = None;
        tls.set_version(HttpVersion::Http1);
        tls
    }

    /// Makes `stream`, which leads to `target`, a stream of TLS.
    pub(super) async fn wrap<S>(&self, target: &Target, stream: S) -> Result<TlsStream<S>, TransportError>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = ServerName::try_from(target.bare_host().to_owned())
            .map_err(|error| target.error(TransportErrorKind::Configuration, &error.to_string()))?;
        let config = self.config.get_or_try_init(|| self.load()).await?;
        let connector = TlsConnector::from(Arc::clone(config));
        connector.connect(name, stream).await.map_err(|error| {
            let failed = target.error(TransportErrorKind::Connect, &error.to_string());
            let failed = match certificate_failure(&error) {
                Some(failure) => failed.with_certificate(failure),
                None => failed,
            };
            failed.with_source(error)
        })
    }

    async fn load(&self) -> Result<Arc<ClientConfig>, TransportError> {
        let mut config = match &self.given {
            Some(given) => ClientConfig::clone(given),
            None => self.build().await?,
        };
        config.alpn_protocols = self.version.offered();
        Ok(Arc::new(config))
    }

    async fn build(&self) -> Result<ClientConfig, TransportError> {
        let unusable =
            |error: rustls::Error| configuration(format!("TLS cannot be set up: {error}")).with_source(error);
        let roots = self.roots().await?;
        let config = ClientConfig::builder_with_provider(provider()?)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots);
        match &self.identity {
            None => Ok(config.with_no_client_auth()),
            Some(identity) => config
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(unusable),
        }
    }

    async fn roots(&self) -> Result<Arc<RootCertStore>, TransportError> {
        static PLATFORM: OnceCell<Arc<PlatformRoots>> = OnceCell::const_new();
        // Reads some hundred files.
        let load = || async { tokio::task::spawn_blocking(PlatformRoots::load).await.map(Arc::new) };
        let platform = PLATFORM.get_or_try_init(load).await.map_err(|error| {
            let what = "the root certificates of the platform were not read";
            TransportError::new(TransportErrorKind::Io, Delivery::NeverSent, what).with_source(error)
        })?;
        if platform.store.is_empty() && self.extra_roots.is_empty() {
            let why = &platform.errors;
            return Err(configuration(format!("the platform has no root certificates {why:?}")));
        }
        if self.extra_roots.is_empty() {
            return Ok(Arc::clone(&platform.store));
        }
        let mut store = RootCertStore::clone(&platform.store);
        for root in &self.extra_roots {
            store
                .add(root.clone())
                .map_err(|error| configuration(format!("a root certificate cannot be used: {error}")))?;
        }
        Ok(Arc::new(store))
    }
}

struct PlatformRoots {
    store: Arc<RootCertStore>,
    errors: Vec<String>,
}

impl PlatformRoots {
    fn load() -> Self {
        let found = rustls_native_certs::load_native_certs();
        let mut store = RootCertStore::empty();
        // Platforms hold roots that nobody can read any more; the rest counts.
        store.add_parsable_certificates(found.certs);
        Self { store: Arc::new(store), errors: found.errors.iter().map(ToString::to_string).collect() }
    }
}

/// The cryptography of the application, if it chose one for the process, else ours.
fn provider() -> Result<Arc<CryptoProvider>, TransportError> {
    let chosen = CryptoProvider::get_default().cloned();
    #[cfg(feature = "ring")]
    let chosen = chosen.or_else(|| Some(Arc::new(rustls::crypto::ring::default_provider())));
    chosen.ok_or_else(|| {
        configuration(
            "there is no cryptography: install a `CryptoProvider`, or build with the feature `ring`",
        )
    })
}

/// Which check of the certificate failed, if it was one.
fn certificate_failure(error: &io::Error) -> Option<CertificateFailure> {
    let error: &(dyn Error + 'static) = error.get_ref()?;
    let rustls::Error::InvalidCertificate(why) = error.downcast_ref()? else { return None };
    Some(match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => CertificateFailure::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFailure::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFailure::WrongName
        }
        CertificateError::UnknownIssuer => CertificateFailure::UnknownIssuer,
        CertificateError::Revoked => CertificateFailure::Revoked,
        // The error behind it is of a crate that rustls does not show.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            CertificateFailure::AuthorityAsServer
        }
        _ => CertificateFailure::Invalid,
    })
}

/// The certificates in a PEM text.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TransportError> {
    let unusable = |why: &dyn fmt::Display| configuration(format!("the certificates cannot be used: {why}"));
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(unusable(&"the text holds none")),
        Err(error) => Err(unusable(&error)),
    }
}

fn configuration(what: impl Into<std::borrow::Cow<'static, str>>) -> TransportError {
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_certificates_or_key_is_refused() {
        let mut tls = Tls::platform();
        for pem in [&b""[..], b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
            assert_eq!(tls.add_roots(pem).unwrap_err().kind(), TransportErrorKind::Configuration);
            assert_eq!(tls.set_identity(pem, pem).unwrap_err().kind(), TransportErrorKind::Configuration);
        }
    }
}
