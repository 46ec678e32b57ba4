/// The name of HTTP/2 in ALPN.
#[cfg(feature = "tls")]
pub(super) const HTTP2_NAME: &[u8] = b"h2";

/// Which version of HTTP an [`HttpClient`](super::HttpClient) speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HttpVersion {
    /// Over TLS what the server prefers of those that were built in (ALPN), and HTTP/1.1 without TLS.
    #[default]
    Negotiated,
    /// HTTP/1.1, whatever the server prefers.
    Http1,
    /// HTTP/2 from the first byte, because it is known beforehand that the server speaks it; over TLS nothing else is
    /// offered.
    #[cfg(feature = "http2")]
    Http2,
}

impl HttpVersion {
    /// What is offered in ALPN, the best first.
    #[cfg(feature = "tls")]
    pub(super) fn offered(self) -> Vec<Vec<u8>> {
        const HTTP1_NAME: &[u8] = b"http/1.1";
        let names: &[&[u8]] = match self {
            Self::Negotiated if cfg!(feature = "http2") => &[HTTP2_NAME, HTTP1_NAME],
            Self::Negotiated | Self::Http1 => &[HTTP1_NAME],
            #[cfg(feature = "http2")]
            Self::Http2 => &[HTTP2_NAME],
        };
        names.iter().map(|name| name.to_vec()).collect()
    }

    pub(super) fn is_http2_alone(self) -> bool {
        match self {
            Self::Negotiated | Self::Http1 => false,
            #[cfg(feature = "http2")]
            Self::Http2 => true,
        }
    }

    /// Whether a connection, with TLS or without it, may come to be one of HTTP/2.
    #[cfg(feature = "http2")]
    pub(super) fn may_be_http2(self, tls: bool) -> bool {
        match self {
            Self::Negotiated => tls,
            Self::Http1 => false,
            Self::Http2 => true,
        }
    }
}
