use std::io::Write;

use super::{JsonRpcMessage, RequestId};

impl<B: AsRef<[u8]>> JsonRpcMessage<B> {
    /// Appends the message as JSON text, bodies as they are.
    ///
    /// A body that holds line breaks between its tokens keeps them: a transport that frames by lines must use
    /// `mcp_protocol::frame`, which replaces them.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.usual_length());
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
        let extra = match self {
            Self::Request(request) => {
                write_id(out, Some(&request.id));
                write_method(out, &request.method);
                write_params(out, request.params.as_ref());
                &request.extra
            }
            Self::Notification(notification) => {
                write_method(out, &notification.method);
                write_params(out, notification.params.as_ref());
                &notification.extra
            }
            Self::Response(response) => {
                write_id(out, response.id.as_ref());
                let (name, body) = match &response.outcome {
                    Ok(result) => (&b",\"result\":"[..], result),
                    Err(error) => (&b",\"error\":"[..], error),
                };
                out.extend_from_slice(name);
                out.extend_from_slice(body.as_ref());
                &response.extra
            }
        };
        write_extra(out, extra.as_deref());
        out.push(b'}');
    }

    /// The message as JSON text.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.usual_length());
        self.write_to(&mut out);
        out
    }

    /// The length of most messages; others are longer. What fits exactly becomes shared bytes without another allocation.
    fn usual_length(&self) -> usize {
        const FIXED: usize = b"{\"jsonrpc\":\"2.0\"}".len();
        const METHOD: usize = b",\"method\":\"\"".len();
        let id = self.id().and_then(RequestId::as_i64).map_or(0, |id| b",\"id\":".len() + digits(id));
        let method = self.method().map_or(0, |method| METHOD + method.len());
        let name = if self.method().is_some() { b",\"params\":".len() } else { b",\"result\":".len() };
        FIXED + id + method + self.body().map_or(0, |body| name + body.as_ref().len())
    }
}

/// How many characters `number` takes.
fn digits(number: i64) -> usize {
    let digits = number.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1);
    digits + usize::from(number < 0)
}

fn write_id(out: &mut Vec<u8>, id: Option<&RequestId>) {
    out.extend_from_slice(b",\"id\":");
    match id {
        Some(id) => match id.as_i64() {
            Some(number) => serde_json::to_writer(out, &number).expect("writing a number to memory"),
            None => write!(out, "{id}").expect("writing to memory"),
        },
        None => out.extend_from_slice(b"null"),
    }
}

fn write_method(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(b",\"method\":");
    // Nearly all are of such letters.
    if method.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'_')) {
        out.push(b'"');
        out.extend_from_slice(method.as_bytes());
        out.push(b'"');
    } else {
        write_string(out, method);
    }
}

fn write_params<B: AsRef<[u8]>>(out: &mut Vec<u8>, params: Option<&B>) {
    if let Some(params) = params {
        out.extend_from_slice(b",\"params\":");
        out.extend_from_slice(params.as_ref());
    }
}

fn write_extra<B: AsRef<[u8]>>(out: &mut Vec<u8>, extra: Option<&Vec<(String, B)>>) {
    for (key, value) in extra.into_iter().flatten() {
        out.push(b',');
        write_string(out, key);
        out.push(b':');
        out.extend_from_slice(value.as_ref());
    }
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing a string to memory");
}

#[cfg(test)]
mod tests {
    use crate::jsonrpc::{Incoming, JsonRpcMessage, parse};

    #[test]
    fn what_is_written_parses_back() {
        for text in [
            r#"{"jsonrpc":"2.0","id":-1,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":"a\"b","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","trace":{"a":1}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#,
        ] {
            let Incoming::Single(message) = parse(text.as_bytes()).unwrap() else { panic!() };
            assert_eq!(String::from_utf8(message.to_vec()).unwrap(), text);
        }
    }

    #[test]
    fn the_usual_length_is_that_of_usual_messages() {
        for text in [
            r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#,
        ] {
            let Incoming::Single(message) = parse(text.as_bytes()).unwrap() else { panic!() };
            assert_eq!(message.usual_length(), text.len());
        }
    }

    #[test]
    fn ids_and_methods_are_written_as_serde_writes_them() {
        for number in [0, 7, -1, 10, i64::MAX, i64::MIN] {
            let message = JsonRpcMessage::<&[u8]>::request(number, "a", None);
            let text = format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"a"}}"#);
            assert_eq!(message.usual_length(), text.len());
            assert_eq!(String::from_utf8(message.to_vec()).unwrap(), text);
        }
        for method in ["", "tools/call", "a_B/9", "a\"b", "a\\", "\u{1}", "é", "x-y.z"] {
            let message = JsonRpcMessage::<&[u8]>::notification(method.to_owned(), None);
            let text = format!(r#"{{"jsonrpc":"2.0","method":{}}}"#, serde_json::to_string(method).unwrap());
            assert_eq!(String::from_utf8(message.to_vec()).unwrap(), text);
        }
    }
}
