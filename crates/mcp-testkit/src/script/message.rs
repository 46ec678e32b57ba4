use bytes::Bytes;
use mcp_transport::RawMessage;
use mcp_types::{
    ErrorCode, JsonRpcError, RequestId,
    jsonrpc::{JsonRpcRequest, JsonRpcResponse},
};
use serde_json::Value;

use super::wire::{Mouth, text};

/// A request of the client, to be answered; or never.
pub struct Request {
    id: RequestId,
    method: String,
    params: Option<Bytes>,
    mouth: Mouth,
}

/// A notification of the client.
#[derive(Debug, Clone)]
pub struct Notification {
    pub(super) method: String,
    pub(super) params: Option<Bytes>,
}

/// A reply of the client to a request of the peer.
#[derive(Debug, Clone)]
pub struct Response {
    pub(super) response: JsonRpcResponse<Bytes>,
}

impl Request {
    pub(super) fn new(request: JsonRpcRequest<Bytes>, mouth: &Mouth) -> Self {
        Self {
            id: request.id,
            method: request.method.into_owned(),
            params: request.params,
            mouth: mouth.clone(),
        }
    }

    /// The id, as the client wrote it.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The raw JSON of `params`; `null` when there are none.
    pub fn params(&self) -> &str {
        raw(self.params.as_ref())
    }

    /// The value of `params`.
    pub fn params_value(&self) -> Value {
        value(self.params())
    }

    /// Asserts that `params` holds at least the members of `expected`, at any depth of objects.
    ///
    /// # Panics
    /// When it does not.
    pub fn with_params(self, expected: &str) -> Self {
        assert_holds(&self.method, self.params(), expected);
        self
    }

    /// Raw JSON of the progress token, if the client asked for progress.
    pub fn progress_token(&self) -> Option<String> {
        self.params_value().pointer("/_meta/progressToken").map(Value::to_string)
    }

    /// Sends progress on this request.
    ///
    /// # Panics
    /// When the client asked for none.
    pub fn progress(&self, progress: f64, total: Option<f64>) {
        let token = self.progress_token().expect("the client asked for no progress on this request");
        let total = total.map_or(String::new(), |total| format!(r#","total":{total}"#));
        self.mouth.frame(
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}{total}}}}}"#
            )
            .into(),
        );
    }

    /// Replies with `result`, JSON text that goes out as it is.
    pub fn reply(&self, result: impl AsRef<str>) {
        self.reply_as(&self.id.to_string(), result);
    }

    /// Replies with `result` under another id, raw JSON: `"7"` for `7`, an id never seen.
    pub fn reply_as(&self, id: &str, result: impl AsRef<str>) {
        let result = result.as_ref();
        self.mouth.frame(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into());
    }

    /// Replies with an error.
    pub fn reply_error(&self, code: i64, message: &str) {
        self.reply_error_object(&JsonRpcError::new(ErrorCode(code), message));
    }

    /// Replies with an error and its `data`, JSON text.
    ///
    /// # Panics
    /// When `data` is no JSON.
    pub fn reply_error_data(&self, code: i64, message: &str, data: &str) {
        let data = mcp_types::Json::from_text(data).expect("`data` is JSON");
        self.reply_error_object(&JsonRpcError::new(ErrorCode(code), message).with_data(data));
    }

    fn reply_error_object(&self, error: &JsonRpcError) {
        let error = serde_json::to_vec(error).expect("an error object is JSON");
        let reply = RawMessage::error(Some(self.id.clone()), error.into());
        self.mouth.frame(reply.to_vec().into());
    }

    /// Sends `frame` in place of a reply, as it is.
    pub fn reply_frame(&self, frame: impl Into<Bytes>) {
        self.mouth.frame(frame.into());
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "request `{}` (id {}) with {}", self.method, self.id, self.params())
    }
}

impl Notification {
    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The raw JSON of `params`; `null` when there are none.
    pub fn params(&self) -> &str {
        raw(self.params.as_ref())
    }

    /// The value of `params`.
    pub fn params_value(&self) -> Value {
        value(self.params())
    }

    /// As [`Request::with_params`].
    ///
    /// # Panics
    /// When `params` does not hold the members of `expected`.
    pub fn with_params(self, expected: &str) -> Self {
        assert_holds(&self.method, self.params(), expected);
        self
    }
}

impl Response {
    /// The id, as the client wrote it.
    pub fn id(&self) -> Option<&RequestId> {
        self.response.id.as_ref()
    }

    /// The value of `result`.
    ///
    /// # Panics
    /// When it is an error.
    pub fn result(&self) -> Value {
        match &self.response.outcome {
            Ok(result) => value(raw(Some(result))),
            Err(error) => panic!("expected a result, got the error {}", text(error)),
        }
    }

    /// The error.
    ///
    /// # Panics
    /// When it is a result, or no error object.
    pub fn error(&self) -> JsonRpcError {
        match &self.response.outcome {
            Err(error) => serde_json::from_slice(error).expect("an error object"),
            Ok(result) => panic!("expected an error, got the result {}", text(result)),
        }
    }
}

fn raw(body: Option<&Bytes>) -> &str {
    body.map_or("null", |body| std::str::from_utf8(body).expect("the client sends UTF-8"))
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the client sent no JSON: {error}: {text}"))
}

fn assert_holds(method: &str, params: &str, expected: &str) {
    let expected: Value = serde_json::from_str(expected).expect("the expected params are JSON");
    assert!(holds(&value(params), &expected), "expected `{method}` with at least {expected}, got {params}");
}

fn holds(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => {
            expected.iter().all(|(key, expected)| value.get(key).is_some_and(|value| holds(value, expected)))
        }
        _ => value == expected,
    }
}
