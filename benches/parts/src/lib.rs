//! Messages for the benches of the parts.

use bytes::Bytes;

/// The reply to a call of `echo`.
pub fn reply(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"message 0000000001, of 35 bytes, ok"}}]}}}}"#
    )
}

/// A reply with a text of `size` bytes.
pub fn large_reply(id: u64, size: usize) -> String {
    let text = "The quick brown fox jumps over the lazy dog, again and again. ".repeat(size / 62);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#)
}

/// A report of progress.
pub fn progress(token: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1,"total":1000,"message":"step 1"}}}}"#
    )
}

/// The params of a call of `echo`.
pub fn params() -> Bytes {
    Bytes::from_static(br#"{"name":"echo","arguments":{"message":"message 0000000001, of 35 bytes, ok"}}"#)
}
