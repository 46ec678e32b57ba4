use http::{
    HeaderValue, Uri,
    uri::{self, Authority, PathAndQuery, Scheme},
};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};

/// Where a connection goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    tls: bool,
    authority: Authority,
}

impl Target {
    /// Takes it off `uri`, which keeps its path alone: as a server of HTTP/1.1 wants it.
    pub(super) fn take(uri: &mut Uri) -> Result<Self, TransportError> {
        let uri::Parts { scheme, authority, path_and_query, .. } = std::mem::take(uri).into_parts();
        *uri = path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/")).into();
        let authority = authority.filter(|authority| !authority.as_str().contains('@'));
        let (Some(scheme), Some(authority)) = (scheme, authority) else {
            return Err(TransportError::new(
                TransportErrorKind::Configuration,
                Delivery::NeverSent,
                "the request has no absolute URI without credentials",
            ));
        };
        Ok(Self { tls: scheme == Scheme::HTTPS, authority })
    }

    pub(super) fn is_tls(&self) -> bool {
        self.tls
    }

    /// The value of `Host`.
    pub(super) fn host_field(&self) -> Result<HeaderValue, TransportError> {
        let usual = self.port() == self.usual_port();
        let host = if usual { self.authority.host() } else { self.authority.as_str() };
        HeaderValue::from_str(host).map_err(|_| {
            TransportError::new(
                TransportErrorKind::Configuration,
                Delivery::NeverSent,
                "the host of the URL cannot stand in a header field",
            )
        })
    }

    pub(super) fn port(&self) -> u16 {
        self.authority.port_u16().unwrap_or(self.usual_port())
    }

    fn usual_port(&self) -> u16 {
        if self.tls { 443 } else { 80 }
    }

    /// The host without the brackets of an IPv6 address.
    pub(super) fn bare_host(&self) -> &str {
        let host = self.authority.host();
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    /// Host and port, also where that is the usual one.
    #[cfg(feature = "proxy")]
    pub(super) fn host_and_port(&self) -> String {
        format!("{}:{}", self.authority.host(), self.port())
    }

    /// Where it is, as a URI.
    #[cfg(feature = "proxy")]
    pub(super) fn uri(&self) -> Uri {
        self.absolute(&Uri::from_static("/")).unwrap_or_default()
    }

    /// `path`, with its query, as a whole URI.
    #[cfg(any(feature = "http2", feature = "proxy"))]
    pub(super) fn absolute(&self, path: &Uri) -> Result<Uri, TransportError> {
        let mut parts = path.clone().into_parts();
        parts.scheme = Some(if self.tls { Scheme::HTTPS } else { Scheme::HTTP });
        parts.authority = Some(self.authority.clone());
        Uri::from_parts(parts).map_err(|error| {
            let what = "the URL of the request cannot be sent";
            TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, what)
                .with_source(error)
        })
    }

    pub(super) fn error(&self, kind: TransportErrorKind, what: &str) -> TransportError {
        let message = format!("cannot connect to {}: {what}", self.authority);
        TransportError::new(kind, Delivery::NeverSent, message)
    }
}

/// Which requests may share a connection: those to one place, on behalf of one principal.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) target: Target,
    pub(super) authorization: Option<HeaderValue>,
}

impl Key {
    pub(super) fn is(&self, target: &Target, authorization: Option<&HeaderValue>) -> bool {
        let (ours, theirs) = (&self.target.authority, &target.authority);
        // Nearly always the same text; names are compared regardless of case.
        self.target.tls == target.tls
            && (ours.as_str() == theirs.as_str() || ours == theirs)
            && self.authorization.as_ref() == authorization
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_off_the_uri() {
        let target = |uri: &str| Target::take(&mut uri.parse().unwrap()).unwrap();
        assert_eq!(target("http://a.example/x").host_field().unwrap(), "a.example");
        assert_eq!(target("https://a.example:443/x").host_field().unwrap(), "a.example");
        assert_eq!(target("http://a.example:443/x").host_field().unwrap(), "a.example:443");
        assert_eq!(target("https://[::1]:8443/").host_field().unwrap(), "[::1]:8443");
        assert_eq!(target("https://[::1]:8443/").bare_host(), "::1");
        for uri in ["/x", "http://user:secret@a.example/"] {
            assert!(Target::take(&mut uri.parse().unwrap()).is_err());
        }
    }
}
