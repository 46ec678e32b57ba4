//! Redirects, where the user asked to follow them.

use std::sync::Arc;

use http::{HeaderMap, Method, Request, StatusCode, Uri, header};

use crate::{
    RequestBody, body,
    endpoint::Endpoint,
    service::{Answer, Fetch, Fetching},
};

/// Follows redirects on the same origin. So nothing that a user sends to a server goes to another one.
pub(crate) struct Redirecting {
    pub(crate) service: Arc<dyn Fetch>,
    /// How many in a row.
    pub(crate) limit: usize,
}

/// Why a redirect was not followed. Goes with the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotFollowed {
    /// It leads to another origin, or to no URL.
    Foreign,
    /// It would turn the request into a GET.
    Method,
    /// Too many were followed before.
    TooMany,
}

impl NotFollowed {
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Foreign => " (it is not of the same origin)",
            Self::Method => " (it would turn the request into a GET)",
            Self::TooMany => " (too many redirects)",
        }
    }
}

impl Fetch for Redirecting {
    fn fetch(&self, mut request: Request<RequestBody>) -> Fetching<'_> {
        Fetching::Other(Box::pin(async move {
            let mut followed = 0;
            loop {
                let mut again = request.clone();
                let mut answer = self.service.fetch(request).await?;
                let why = match target(&again, &answer) {
                    None => return Ok(answer),
                    Some(Ok(uri)) if followed < self.limit => {
                        followed += 1;
                        body::drain(answer.into_body()).await;
                        *again.uri_mut() = uri;
                        request = again;
                        continue;
                    }
                    Some(Ok(_)) => NotFollowed::TooMany,
                    Some(Err(why)) => why,
                };
                answer.extensions_mut().insert(why);
                return Ok(answer);
            }
        }))
    }

    fn make_room(&self, fields: &mut HeaderMap) {
        self.service.make_room(fields);
    }
}

/// Where the answer redirects `request`; `None` when it does not.
fn target(request: &Request<RequestBody>, answer: &Answer) -> Option<Result<Uri, NotFollowed>> {
    let location = answer.headers().get(header::LOCATION)?;
    match answer.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => {}
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => {
            if request.method() != Method::GET {
                return Some(Err(NotFollowed::Method));
            }
        }
        _ => return None,
    }
    let reference = location.to_str().unwrap_or_default().split('#').next().unwrap_or_default();
    let joined = Endpoint::parse(&request.uri().to_string()).and_then(|from| from.join(reference));
    Some(joined.map(|endpoint| endpoint.uri().clone()).map_err(|_| NotFollowed::Foreign))
}
