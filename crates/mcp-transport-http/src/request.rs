//! From a message to an HTTP request.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, header};
use mcp_param_headers::{encode_value, is_param_field};
use mcp_transport::{OutboundMessage, TransportError};

use crate::{
    RequestBody,
    client::Last,
    headers::{self, Mirrored},
    link::Shared,
    service::Fetch,
    session::{SessionId, Stamp},
};

/// How many fields the transport and its client add at most.
const OWN_FIELDS: usize = 8;

/// A request that is ready to go.
pub(crate) struct Prepared {
    pub(crate) request: Request<RequestBody>,
    /// The session that it names, which the server may have lost.
    pub(crate) session: Option<SessionId>,
    pub(crate) modern: bool,
}

impl Shared {
    /// The POST of one message.
    pub(crate) fn post(&self, out: &OutboundMessage) -> Result<Prepared, TransportError> {
        let message = &out.message;
        let body = message.to_vec().into();
        if let Some((mut fields, session)) = self.session.legacy_fields(message.method()) {
            add(&mut fields, &out.headers, |_| true)?;
            return Ok(self.with_fields(Method::POST, fields, session, false, body));
        }
        let mirrored = Mirrored::of(message);
        let stamp = self.session.stamp(message.method(), &mirrored);
        let mut fields = extended(self.session.fields(), out.headers.len());
        add(&mut fields, &out.headers, |_| true)?;
        if stamp.modern {
            if let Some(value) = message.method().and_then(mirrored_value) {
                fields.insert(headers::METHOD, value);
            }
            if let Some(value) = mirrored.name.as_deref().and_then(mirrored_value) {
                fields.insert(headers::NAME, value);
            }
        }
        Ok(self.prepared(Method::POST, fields, stamp, body))
    }

    /// The GET that opens a stream of the server, or goes on with one behind the event `last`.
    pub(crate) fn get(&self, last: Option<&HeaderValue>) -> Prepared {
        self.get_with(last, self.fields.clone(), self.session.stamp(None, &Mirrored::default()))
    }

    /// The GET that goes on with the stream of the request `out`, of the session `session`, behind the event `last`.
    pub(crate) fn resume(
        &self,
        last: Option<&HeaderValue>,
        out: &OutboundMessage,
        session: Option<&SessionId>,
    ) -> Result<Prepared, TransportError> {
        let mut fields = extended(&self.fields, out.headers.len());
        add(&mut fields, &out.headers, |name| !is_param_field(name))?;
        let mut stamp = self.session.stamp(None, &Mirrored::default());
        // Another session may have begun since.
        stamp.session = session.cloned().or(stamp.session);
        Ok(self.get_with(last, fields, stamp))
    }

    fn get_with(&self, last: Option<&HeaderValue>, mut fields: HeaderMap, stamp: Stamp) -> Prepared {
        fields.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(last) = last {
            fields.insert(headers::LAST_EVENT_ID, last.clone());
        }
        let mut prepared = self.prepared(Method::GET, fields, stamp, Bytes::new());
        prepared.request.extensions_mut().insert(Last);
        prepared
    }

    /// The DELETE that ends the session `id`.
    pub(crate) fn delete(&self, id: SessionId) -> Prepared {
        let mut stamp = self.session.stamp(None, &Mirrored::default());
        stamp.session = Some(id);
        self.prepared(Method::DELETE, self.fields.clone(), stamp, Bytes::new())
    }

    fn prepared(&self, method: Method, mut fields: HeaderMap, stamp: Stamp, body: Bytes) -> Prepared {
        if let Some(version) = stamp.version {
            fields.insert(headers::PROTOCOL_VERSION, version);
        }
        if let Some(session) = &stamp.session {
            fields.insert(headers::SESSION_ID, session.value());
        }
        self.with_fields(method, fields, stamp.session, stamp.modern, body)
    }

    fn with_fields(
        &self,
        method: Method,
        fields: HeaderMap,
        session: Option<SessionId>,
        modern: bool,
        body: Bytes,
    ) -> Prepared {
        let mut request = Request::new(RequestBody::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.endpoint.uri().clone();
        *request.headers_mut() = fields;
        Prepared { request, session, modern }
    }
}

/// What goes with every POST of a link whose user sends `fields` with every request.
pub(crate) fn post_fields(fields: &HeaderMap, service: &dyn Fetch) -> HeaderMap {
    let mut fields = extended(fields, 0);
    service.make_room(&mut fields);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    fields.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    fields
}

/// The same fields with room for `more`, and for those that the transport and its client add.
fn extended(fields: &HeaderMap, more: usize) -> HeaderMap {
    // A clone would have to grow.
    let mut all = HeaderMap::with_capacity(fields.len() + more + OWN_FIELDS);
    for (name, value) in fields {
        all.append(name.clone(), value.clone());
    }
    all
}

/// Adds those fields that come with a message whose name is `wanted`.
fn add(
    fields: &mut HeaderMap,
    more: &[(Cow<'static, str>, String)],
    wanted: impl Fn(&str) -> bool,
) -> Result<(), TransportError> {
    for (name, value) in more {
        let (name, value) = headers::field(name, value)?;
        if wanted(name.as_str()) {
            fields.insert(name, value);
        }
    }
    Ok(())
}

fn mirrored_value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&encode_value(text)).ok()
}
