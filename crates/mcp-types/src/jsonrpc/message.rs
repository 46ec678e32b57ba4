use std::{borrow::Cow, sync::Arc};

use super::RequestId;

/// The name of a method: borrowed for methods of the specification, owned for others.
pub type MethodName = Cow<'static, str>;

/// Envelope members that the specification does not name, in the order they came. `None` when there are none.
///
/// Shared, for the sake of everybody who holds a message: nearly none has any, and each has to be able to drop them.
pub type Extra<B> = Option<Arc<Vec<(String, B)>>>;

/// One JSON-RPC message. `B` holds raw JSON text as UTF-8 bytes: `&[u8]`, `Vec<u8>`, `bytes::Bytes`, …
///
/// Bodies are checked for matching brackets and quotes only; decoding them is the receiver's job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonRpcMessage<B> {
    /// A message with a method and an id, which wants a response.
    Request(JsonRpcRequest<B>),
    /// A message with a method and no id.
    Notification(JsonRpcNotification<B>),
    /// A message with a result or an error.
    Response(JsonRpcResponse<B>),
}

/// A request. Section: [Requests](https://modelcontextprotocol.io/specification/2026-07-28/basic#requests).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRpcRequest<B> {
    /// Chosen by the sender, unique among its open requests.
    pub id: RequestId,
    /// The method.
    pub method: MethodName,
    /// Raw JSON of `params`; absent and `null` are the same.
    pub params: Option<B>,
    /// Unknown envelope members.
    pub extra: Extra<B>,
}

/// A notification. Section: [Notifications](https://modelcontextprotocol.io/specification/2026-07-28/basic#notifications).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRpcNotification<B> {
    /// The method.
    pub method: MethodName,
    /// Raw JSON of `params`; absent and `null` are the same.
    pub params: Option<B>,
    /// Unknown envelope members.
    pub extra: Extra<B>,
}

/// A response. Section: [Responses](https://modelcontextprotocol.io/specification/2026-07-28/basic#responses).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRpcResponse<B> {
    /// The id of the request; `None` in an error reply to a message whose id could not be read.
    pub id: Option<RequestId>,
    /// Raw JSON of `result`, or of the `error` object.
    pub outcome: Result<B, B>,
    /// Unknown envelope members.
    pub extra: Extra<B>,
}

impl<B> JsonRpcMessage<B> {
    /// A request without unknown members.
    pub fn request(id: impl Into<RequestId>, method: impl Into<MethodName>, params: Option<B>) -> Self {
        Self::Request(JsonRpcRequest { id: id.into(), method: method.into(), params, extra: None })
    }

    /// A notification without unknown members.
    pub fn notification(method: impl Into<MethodName>, params: Option<B>) -> Self {
        Self::Notification(JsonRpcNotification { method: method.into(), params, extra: None })
    }

    /// A successful response without unknown members.
    pub fn result(id: impl Into<RequestId>, result: B) -> Self {
        Self::Response(JsonRpcResponse { id: Some(id.into()), outcome: Ok(result), extra: None })
    }

    /// An error response without unknown members; `error` is the raw error object.
    pub fn error(id: Option<RequestId>, error: B) -> Self {
        Self::Response(JsonRpcResponse { id, outcome: Err(error), extra: None })
    }

    /// The id, if the message has one.
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Request(request) => Some(&request.id),
            Self::Notification(_) => None,
            Self::Response(response) => response.id.as_ref(),
        }
    }

    /// The method, unless the message is a response.
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request(request) => Some(&request.method),
            Self::Notification(notification) => Some(&notification.method),
            Self::Response(_) => None,
        }
    }

    /// The raw `params`, `result` or `error`.
    pub fn body(&self) -> Option<&B> {
        match self {
            Self::Request(request) => request.params.as_ref(),
            Self::Notification(notification) => notification.params.as_ref(),
            Self::Response(response) => match &response.outcome {
                Ok(body) | Err(body) => Some(body),
            },
        }
    }

    /// The same message with every raw body converted.
    pub fn map<C>(self, mut convert: impl FnMut(B) -> C) -> JsonRpcMessage<C>
    where
        B: Clone,
    {
        fn extras<B: Clone, C>(extra: Extra<B>, convert: &mut impl FnMut(B) -> C) -> Extra<C> {
            extra.map(|members| {
                Arc::new(members.iter().map(|(key, value)| (key.clone(), convert(value.clone()))).collect())
            })
        }
        match self {
            Self::Request(request) => JsonRpcMessage::Request(JsonRpcRequest {
                id: request.id,
                method: request.method,
                params: request.params.map(&mut convert),
                extra: extras(request.extra, &mut convert),
            }),
            Self::Notification(notification) => JsonRpcMessage::Notification(JsonRpcNotification {
                method: notification.method,
                params: notification.params.map(&mut convert),
                extra: extras(notification.extra, &mut convert),
            }),
            Self::Response(response) => JsonRpcMessage::Response(JsonRpcResponse {
                id: response.id,
                outcome: match response.outcome {
                    Ok(body) => Ok(convert(body)),
                    Err(body) => Err(convert(body)),
                },
                extra: extras(response.extra, &mut convert),
            }),
        }
    }
}
