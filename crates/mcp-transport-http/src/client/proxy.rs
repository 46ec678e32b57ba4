//! Proxies: when one is asked, and how.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body::Body;
use hyper::{
    client::conn::http1,
    rt,
    upgrade::{self, Upgraded},
};
use hyper_util::{client::proxy::matcher::Matcher, rt::TokioIo};
use mcp_transport::{Delivery, HttpFailure, TransportError, TransportErrorKind};

use super::{abort::AbortOnDrop, target::Target};
use crate::{RequestBody, body};

/// How much is read of what a proxy says with its refusal, and for how long.
const EXCERPT: usize = 1024;
const EXCERPT_WITHIN: Duration = Duration::from_secs(2);

/// Which proxy an [`HttpClient`](super::HttpClient) asks: none for hosts of the loopback, unless that is asked for.
///
/// Over TLS and for HTTP/2 it is asked for a tunnel (`CONNECT`), else to forward requests. Credentials in the URL of a proxy
/// go to that proxy alone, and are shown nowhere.
#[derive(Clone)]
pub struct Proxy {
    /// `None`: no proxy at all.
    matcher: Option<Arc<Matcher>>,
    loopback: bool,
}

impl Proxy {
    /// What the environment says: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, or the same in lower case, as
    /// curl reads them. A value that is no URL of a proxy is passed over.
    pub fn environment() -> Self {
        Self { matcher: Some(Arc::new(Matcher::from_env())), loopback: false }
    }

    /// No proxy, whatever the environment says.
    pub fn none() -> Self {
        Self { matcher: None, loopback: false }
    }

    /// The proxy at `url` for everything: http or https, with credentials if it wants some (`http://user:password@host:3128`).
    ///
    /// # Errors
    /// As [`all_except`](Self::all_except).
    pub fn all(url: &str) -> Result<Self, TransportError> {
        Self::all_except(url, "")
    }

    /// As [`all`](Self::all), except for the hosts in `hosts`, which has the form of `NO_PROXY`: names with their
    /// subdomains, addresses and networks, with commas between.
    ///
    /// # Errors
    /// [`TransportErrorKind::Configuration`] when `url` is no URL of such a proxy.
    pub fn all_except(url: &str, hosts: &str) -> Result<Self, TransportError> {
        let any = Uri::from_static("https://host.example");
        let all = Matcher::builder().all(url).build().intercept(&any);
        all.filter(|found| is_http(found.uri()))
            .ok_or_else(|| unusable("its URL is not one of http or https"))?;
        let matcher = Matcher::builder().all(url).no(hosts).build();
        Ok(Self { matcher: Some(Arc::new(matcher)), loopback: false })
    }

    /// Asks the proxy for hosts of the loopback too.
    pub fn loopback_too(mut self) -> Self {
        self.loopback = true;
        self
    }

    /// The proxy on the way to `target`.
    pub(super) fn hop(&self, target: &Target) -> Result<Option<Hop>, TransportError> {
        let Some(matcher) = &self.matcher else { return Ok(None) };
        if !self.loopback && is_loopback(target.bare_host()) {
            return Ok(None);
        }
        let Some(found) = matcher.intercept(&target.uri()) else { return Ok(None) };
        if !is_http(found.uri()) {
            return Err(unusable("it is not one of http or https"));
        }
        Ok(Some(Hop {
            target: Target::take(&mut found.uri().clone())?,
            authorization: found.basic_auth().cloned(),
        }))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The matcher shows no credentials.
        f.debug_struct("Proxy").field("rules", &self.matcher).field("loopback", &self.loopback).finish()
    }
}

/// A proxy on the way to a target.
pub(super) struct Hop {
    pub(super) target: Target,
    pub(super) authorization: Option<HeaderValue>,
}

impl Hop {
    /// Makes `stream`, which leads to the proxy, one that leads to `target`.
    pub(super) async fn tunnel<S>(
        &self,
        stream: S,
        target: &Target,
    ) -> Result<TokioIo<Upgraded>, TransportError>
    where
        TokioIo<S>: rt::Read + rt::Write + Unpin + Send + 'static,
    {
        let broken = |error: hyper::Error| {
            let what = if error.is_parse() { "does not answer in HTTP" } else { "closed the connection" };
            self.error(target, what).with_source(error)
        };
        let (mut sender, connection) =
            http1::handshake::<_, RequestBody>(TokioIo::new(stream)).await.map_err(broken)?;
        let task = tokio::spawn(async move { drop(connection.with_upgrades().await) });
        let _task = AbortOnDrop::from(task);
        let answer = sender.send_request(self.connect(target)?).await.map_err(broken)?;
        if !answer.status().is_success() {
            return Err(self.refused(target, answer).await);
        }
        upgrade::on(answer).await.map(TokioIo::new).map_err(broken)
    }

    fn connect(&self, target: &Target) -> Result<Request<RequestBody>, TransportError> {
        let place = target.host_and_port();
        let host = HeaderValue::from_str(&place).ok();
        let (Ok(uri), Some(host)) = (place.parse(), host) else {
            return Err(target.error(TransportErrorKind::Configuration, "the host cannot be asked for"));
        };
        let mut request = Request::new(RequestBody::default());
        *request.method_mut() = Method::CONNECT;
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::HOST, host);
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        Ok(request)
    }

    async fn refused<B>(&self, target: &Target, answer: Response<B>) -> TransportError
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let (head, rest) = answer.into_parts();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let excerpt = body::beginning(rest, EXCERPT, EXCERPT_WITHIN).await;
        let mut failure = HttpFailure::default();
        failure.status = head.status.as_u16();
        failure.content_type = head.headers.get(header::CONTENT_TYPE).map(text);
        failure.www_authenticate =
            head.headers.get_all(header::PROXY_AUTHENTICATE).iter().map(text).collect();
        failure.body_excerpt = String::from_utf8_lossy(&excerpt).into_owned();
        let what = match head.status {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => "wants credentials, or others",
            _ => "refused",
        };
        self.error(target, what).with_proxy(failure)
    }

    pub(super) fn error(&self, target: &Target, what: &str) -> TransportError {
        let what = format!("the proxy {} {what}", self.target.host_and_port());
        target.error(TransportErrorKind::Proxy, &what)
    }
}

/// What a connection to a proxy says that forwards requests for `target`.
pub(super) struct Forward {
    hop: Hop,
    target: Target,
}

impl Forward {
    pub(super) fn new(hop: Hop, target: Target) -> Self {
        Self { hop, target }
    }

    /// The request as the proxy wants it: with the whole URI.
    pub(super) fn address(&self, request: &mut Request<RequestBody>) -> Result<(), TransportError> {
        *request.uri_mut() = self.target.absolute(request.uri())?;
        if let Some(authorization) = &self.hop.authorization {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        Ok(())
    }

    /// An answer of the server; the proxy's own challenge is an error, and nothing left it.
    pub(super) async fn pass<B>(&self, answer: Response<B>) -> Result<Response<B>, TransportError>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        if answer.status() != StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Ok(answer);
        }
        Err(self.hop.refused(&self.target, answer).await)
    }
}

fn is_http(uri: &Uri) -> bool {
    matches!(uri.scheme_str(), Some("http" | "https"))
}

fn is_loopback(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

fn unusable(why: &str) -> TransportError {
    let what = format!("the proxy cannot be used: {why}");
    TransportError::new(TransportErrorKind::Configuration, Delivery::NeverSent, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(proxy: &Proxy, uri: &str) -> Option<String> {
        let target = Target::take(&mut uri.parse().unwrap()).unwrap();
        proxy.hop(&target).unwrap().map(|hop| hop.target.host_and_port())
    }

    #[test]
    fn the_loopback_has_no_proxy_unless_asked() {
        let proxy = Proxy::all("proxy.example:3128").unwrap();
        for host in ["localhost", "LOCALHOST.", "a.localhost", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]"] {
            let uri = format!("http://{host}:8080/");
            assert_eq!(hop(&proxy, &uri), None, "{host}");
            assert!(hop(&proxy.clone().loopback_too(), &uri).is_some(), "{host}");
        }
        assert_eq!(hop(&proxy, "https://localhost.example/").unwrap(), "proxy.example:3128");
        assert_eq!(hop(&Proxy::none(), "https://host.example/"), None);
    }

    #[test]
    fn hosts_are_excepted() {
        let proxy = Proxy::all_except("http://proxy.example", "in.example, 10.0.0.0/8").unwrap();
        for (uri, proxied) in [
            ("https://in.example/", false),
            ("https://a.in.example/", false),
            ("https://10.1.2.3/", false),
            ("https://notin.example/", true),
        ] {
            assert_eq!(hop(&proxy, uri).is_some(), proxied, "{uri}");
        }
        assert_eq!(hop(&proxy, "http://x.example/").unwrap(), "proxy.example:80");
    }

    #[test]
    fn credentials_are_not_shown() {
        let proxy = Proxy::all("http://user:hunter2@proxy.example:3128").unwrap();
        let shown = format!("{proxy:?}");
        assert!(shown.contains("proxy.example") && !shown.contains("hunter2"), "{shown}");
        for url in ["", "socks5://user:hunter2@h", "ftp://h", "http://", "http://user:hunter2@"] {
            let error = Proxy::all(url).unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Configuration, "{url}");
            assert!(!format!("{error:?}").contains("hunter2"));
        }
    }
}
