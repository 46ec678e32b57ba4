use std::{fmt, io};

use bytes::Bytes;
use mcp_types::jsonrpc::{self, Incoming, JsonRpcMessage};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest head of a request.
const HEAD_LIMIT: usize = 256 * 1024;

/// A request as it came.
#[derive(Clone)]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The path, with its query.
    pub target: String,
    /// Every field (name in lower case, value), in order.
    pub fields: Vec<(String, String)>,
    /// The body, whole.
    pub body: Bytes,
}

impl HttpRequest {
    /// The value of the first field `name`, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC message in the body.
    pub fn message(&self) -> Option<JsonRpcMessage<&[u8]>> {
        match jsonrpc::parse(&self.body) {
            Ok(Incoming::Single(message)) => Some(message),
            _ => None,
        }
    }

    /// The method of the JSON-RPC message in the body.
    pub fn rpc_method(&self) -> Option<String> {
        self.message()?.method().map(str::to_owned)
    }

    /// The id of the JSON-RPC message in the body, as JSON.
    pub fn rpc_id(&self) -> Option<String> {
        self.message()?.id().map(ToString::to_string)
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.method, self.target)?;
        for (name, value) in &self.fields {
            writeln!(f, "{name}: {value}")?;
        }
        write!(f, "\n{}", String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]))
    }
}

/// Reads one request; `None` when the client closed the connection before it.
pub(super) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> io::Result<Option<HttpRequest>> {
    let head_end = loop {
        if let Some(end) = find(buffer, b"\r\n\r\n") {
            break end + 4;
        }
        if buffer.len() > HEAD_LIMIT {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the head of a request is too long"));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head: Vec<u8> = buffer.drain(..head_end).collect();
    let Some(mut request) = parse_head(&String::from_utf8_lossy(&head)) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the head of a request is not HTTP/1.1"));
    };
    let length = match request.header("content-length") {
        Some(length) => length.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?,
        None if request.header("transfer-encoding").is_some() => {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "chunked requests are not read"));
        }
        None => 0,
    };
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    request.body = buffer.drain(..length).collect::<Vec<u8>>().into();
    Ok(Some(request))
}

fn parse_head(head: &str) -> Option<HttpRequest> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if version != "HTTP/1.1" {
        return None;
    }
    let fields = lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect::<Option<_>>()?;
    Some(HttpRequest { method: method.into(), target: target.into(), fields, body: Bytes::new() })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
