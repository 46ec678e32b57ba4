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

    /// The URL that `reference` names here, if it is one of the same origin.
    ///
    /// # Errors
    /// When it is of another origin, or no URL.
    pub(crate) fn join(&self, reference: &str) -> Result<Self, TransportError> {
        let reference = reference.split('#').next().unwrap_or_default();
        let path = self.uri.path();
        let url = if reference.is_empty() {
            return Ok(self.clone());
        } else if has_scheme(reference) {
            reference.to_owned()
        } else if let Some(rest) = reference.strip_prefix("//") {
            format!("{}://{rest}", self.uri.scheme_str().unwrap_or_default())
        } else if reference.starts_with('/') {
            format!("{}{reference}", self.origin)
        } else if reference.starts_with('?') {
            format!("{}{path}{reference}", self.origin)
        } else {
            let folder = &path[..=path.rfind('/').unwrap_or(0)];
            format!("{}{folder}{reference}", self.origin)
        };
        let joined = Self::parse(&without_dots(&url))?;
        if joined.origin() != self.origin() {
            return Err(invalid(&format!("it is of another origin than {}", self.origin)));
        }
        Ok(joined)
    }

    /// The origin as it is compared: in small letters, with its port, also where that is the usual one.
    pub(crate) fn origin(&self) -> String {
        let https = self.uri.scheme() == Some(&Scheme::HTTPS);
        let (scheme, usual) = if https { ("https", 443) } else { ("http", 80) };
        let host = self.uri.host().unwrap_or_default().to_ascii_lowercase();
        format!("{scheme}://{host}:{}", self.uri.port_u16().unwrap_or(usual))
    }

    /// Origin and path. The query stays out: some servers take secrets in it.
    pub(crate) fn label(&self) -> String {
        format!("{}{}", self.origin, self.uri.path())
    }
}

/// Whether `reference` is a whole URL: `a:` comes before any other part. Its query may hold another URL.
fn has_scheme(reference: &str) -> bool {
    let end = reference.find(['/', '?']).unwrap_or(reference.len());
    reference[..end].contains(':')
}

/// `url` without the segments `.` and `..` in its path.
///
/// Section: [RFC 3986, Remove Dot Segments](https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4).
fn without_dots(url: &str) -> String {
    let (before, query) = url.find('?').map_or((url, ""), |at| url.split_at(at));
    let authority = before.find("://").map_or(0, |at| at + 3);
    let Some(at) = before[authority..].find('/') else { return url.to_owned() };
    let (origin, path) = before.split_at(authority + at);
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path[1..].split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_dots = matches!(segment, "." | "..");
        if segment == ".." {
            kept.pop();
        }
        if !is_dots {
            kept.push(segment);
        } else if segments.peek().is_none() {
            // A folder, as `a/..` is.
            kept.push("");
        }
    }
    format!("{origin}/{}{query}", kept.join("/"))
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
    fn origins_can_be_compared() {
        let origin = |url| Endpoint::parse(url).unwrap().origin();
        assert_eq!(origin("https://Host.example/mcp?key=secret"), "https://host.example:443");
        assert_eq!(origin("HTTP://host.example:80/a"), origin("http://host.example/b"));
        assert_ne!(origin("https://host.example/"), origin("http://host.example:443/"));
    }

    #[test]
    fn references_stay_on_their_origin() {
        let base = Endpoint::parse("http://Host.example/a/sse?x=1").unwrap();
        let joined = |reference: &str| base.join(reference).map(|endpoint| endpoint.uri().to_string());
        for (reference, url) in [
            ("/messages?s=1", "http://host.example/messages?s=1"),
            ("messages/?s=1", "http://host.example/a/messages/?s=1"),
            ("?s=1", "http://host.example/a/sse?s=1"),
            ("../m?u=a/../b", "http://host.example/m?u=a/../b"),
            ("/a/b/./../../../c/..", "http://host.example/"),
            ("./x/.", "http://host.example/a/x/"),
            ("/m?to=http://other.example/", "http://host.example/m?to=http://other.example/"),
            ("m#a/../b", "http://host.example/a/m"),
            ("", "http://host.example/a/sse?x=1"),
            ("//host.example:80/m", "http://host.example:80/m"),
            ("http://host.example/m", "http://host.example/m"),
        ] {
            assert_eq!(joined(reference).unwrap().to_ascii_lowercase(), url);
        }
        for foreign in [
            "https://host.example/m",
            "//other.example/m",
            "http://host.example:81/m",
            "ftp://host.example/",
            "javascript:x",
        ] {
            assert!(joined(foreign).is_err(), "{foreign}");
        }
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
