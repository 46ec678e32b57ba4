//! The URL of a server.

use http::{Uri, uri::Scheme};
use mcp_transport::{Delivery, TransportError, TransportErrorKind};

/// A URL that can be connected to: http or https, with a host, without credentials.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    uri: Uri,
    origin: String,
}

impl Endpoint {
    pub(crate) fn parse(url: &str) -> Result<Self, TransportError> {
        let uri: Uri = url.parse().map_err(|error| invalid(&format!("no URL: {error}")))?;
        let scheme = uri.scheme().filter(|scheme| **scheme == Scheme::HTTP || **scheme == Scheme::HTTPS);
        let (Some(scheme), Some(authority)) = (scheme, uri.authority()) else {
            return Err(invalid("it does not begin with `http://` or `https://`"));
        };
        if authority.as_str().contains('@') {
            return Err(invalid("it holds credentials; set a header instead"));
        }
        if authority.host().is_empty() {
            return Err(invalid("it names no host"));
        }
        let origin = format!("{scheme}://{authority}");
        Ok(Self { uri, origin })
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Origin and path. The query stays out: some servers take secrets in it.
    pub(crate) fn label(&self) -> String {
        format!("{}{}", self.origin, self.uri.path())
    }
}

fn invalid(why: &str) -> TransportError {
    let message = format!("the URL of the server cannot be used: {why}");
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_holds_no_query() {
        let endpoint = Endpoint::parse("https://host.example:8443/mcp?key=secret").unwrap();
        assert_eq!(endpoint.label(), "https://host.example:8443/mcp");
        assert_eq!(endpoint.uri().query(), Some("key=secret"));
        assert_eq!(Endpoint::parse("http://[::1]:9").unwrap().label(), "http://[::1]:9/");
    }

    #[test]
    fn what_cannot_be_connected_to_is_refused_without_being_repeated() {
        for url in
            ["", "/mcp", "host/mcp", "ftp://host/", "https://user:secret@host/", "http://", "http:///x"]
        {
            let error = Endpoint::parse(url).unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Configuration, "{url}");
            assert!(!format!("{error:?}").contains("secret"));
        }
    }
}
