//! What the checks have in common: bounded steps on either side of a link, and comparison of messages.

use std::{collections::VecDeque, fmt::Display};

use bytes::Bytes;
use mcp_types::jsonrpc::{self, Incoming};

use super::{Clause, FarEnd, Rig, Violation, patiently};
use crate::{
    BoxCloser, BoxReceiver, BoxSender, Inbound, Outbound, RawMessage, Receiver, Sender, TransportError,
};

/// The client's side of a link.
pub(super) struct Near {
    pub(super) sender: BoxSender,
    pub(super) receiver: Listener,
    pub(super) closer: Option<BoxCloser>,
}

/// A receiver, and what it appended that nobody took yet.
pub(super) struct Listener {
    receiver: BoxReceiver,
    waiting: VecDeque<Inbound>,
}

/// The output of `future`, unless it hangs.
pub(super) async fn bounded<T>(
    clause: Clause,
    what: &str,
    future: impl Future<Output = T>,
) -> Result<T, Violation> {
    patiently(future).await.ok_or_else(|| Violation::new(clause, format!("hangs: {what}")))
}

pub(super) async fn open<R: Rig>(rig: &R) -> Result<(Near, R::Far), Violation> {
    let opened = bounded(Clause::Connect, "opening a link", rig.open()).await?;
    let (link, far) =
        opened.map_err(|error| Violation::new(Clause::Connect, format!("no link was made: {error:?}")))?;
    let parts = link.into_parts();
    if parts.exchanges.is_some() {
        return Err(Violation::new(Clause::Connect, "the link is no pipe"));
    }
    let near = Near { sender: parts.sender, receiver: Listener::new(parts.receiver), closer: parts.closer };
    Ok((near, far))
}

impl Near {
    /// Sends `batch`, which must work.
    pub(super) async fn send(&mut self, batch: impl Into<VecDeque<Outbound>>) -> Result<(), Violation> {
        let mut batch = batch.into();
        let outcome =
            bounded(Clause::Send, "a send to a peer that reads", self.sender.send(&mut batch)).await?;
        sent(&outcome, &batch)
    }
}

/// A send that must have worked, and so left nothing in its batch.
pub(super) fn sent(
    outcome: &Result<(), TransportError>,
    batch: &VecDeque<Outbound>,
) -> Result<(), Violation> {
    if let Err(error) = outcome {
        return Err(Violation::new(
            Clause::Send,
            format!("a send to a peer that is there failed: {error:?}"),
        ));
    }
    if !batch.is_empty() {
        let left = batch.len();
        return Err(Violation::new(
            Clause::Send,
            format!("a send succeeded and left {left} entries in its batch"),
        ));
    }
    Ok(())
}

impl Listener {
    pub(super) fn new(receiver: BoxReceiver) -> Self {
        Self { receiver, waiting: VecDeque::new() }
    }

    /// The next entry; `None` at the end, in order or by an error. Unbounded.
    pub(super) async fn entry(&mut self) -> Result<Option<Inbound>, Violation> {
        if let Some(entry) = self.waiting.pop_front() {
            return Ok(Some(entry));
        }
        let mut into = Vec::new();
        let outcome = self.receiver.recv(&mut into).await;
        self.waiting.extend(into);
        match (outcome, self.waiting.pop_front()) {
            (_, Some(entry)) => Ok(Some(entry)),
            (Ok(true), None) => {
                Err(Violation::new(Clause::Receive, "`recv` said `true` and appended nothing"))
            }
            (Ok(false) | Err(_), None) => Ok(None),
        }
    }

    /// The next message, which must come; elements of a batch one by one. Unbounded.
    pub(super) async fn message(&mut self, clause: Clause) -> Result<RawMessage, Violation> {
        match self.entry().await? {
            Some(Inbound::Message { message, .. }) => Ok(message),
            Some(Inbound::Batch { origin, messages }) => {
                for message in messages.into_iter().rev() {
                    let origin = origin.clone();
                    self.waiting.push_front(Inbound::Message { origin, message });
                }
                Box::pin(self.message(clause)).await
            }
            Some(other) => Err(Violation::new(clause, format!("expected a message, received {other:?}"))),
            None => Err(Violation::new(clause, "expected a message, but the link ended")),
        }
    }

    /// The messages that the peer sent in `frames`, in order.
    pub(super) async fn expect(&mut self, clause: Clause, frames: &[Bytes]) -> Result<(), Violation> {
        for frame in frames {
            let message = bounded(clause, "receiving what the peer sent", self.message(clause)).await??;
            same(clause, frame, &message.to_vec())?;
        }
        Ok(())
    }

    /// The end of the link, said three times.
    pub(super) async fn expect_end(&mut self) -> Result<(), Violation> {
        for time in ["the first", "the second", "the third"] {
            let what = format!("`recv` after the end of the link, {time} time");
            if let Some(entry) = bounded(Clause::Ended, &what, self.entry()).await?? {
                return Err(Violation::new(Clause::Ended, format!("{what}, appended {entry:?}")));
            }
        }
        Ok(())
    }
}

/// The frames that the far end reads must be `messages`, in order.
pub(super) async fn arrive(
    clause: Clause,
    far: &mut impl FarEnd,
    messages: &[RawMessage],
) -> Result<(), Violation> {
    for message in messages {
        let frame = bounded(clause, "the peer receiving what was sent", far.recv()).await?;
        let expected = message.to_vec();
        let Some(frame) = frame else {
            let what = format!("the peer saw the end before {}", shown(&expected));
            return Err(Violation::new(clause, what));
        };
        same(clause, &expected, &frame)?;
    }
    Ok(())
}

/// The far end must see the end of the client, after frames that do not matter any more.
pub(super) async fn far_sees_end(clause: Clause, what: &str, far: &mut impl FarEnd) -> Result<(), Violation> {
    let what = format!("the peer waiting for the end after {what}");
    bounded(clause, &what, async { while far.recv().await.is_some() {} }).await
}

/// The far end sends `frames`, which must work while the client reads. Unbounded.
pub(super) async fn speak(far: &mut impl FarEnd, frames: &[Bytes]) -> Result<(), Violation> {
    for frame in frames {
        far.send(frame.clone()).await.map_err(|error| {
            Violation::new(Clause::Receive, format!("the peer could not send to the client: {error}"))
        })?;
    }
    Ok(())
}

/// Waits for both; the first violation counts, at once.
pub(super) async fn both(
    left: impl Future<Output = Result<(), Violation>>,
    right: impl Future<Output = Result<(), Violation>>,
) -> Result<(), Violation> {
    tokio::try_join!(left, right).map(|((), ())| ())
}

/// A body with line breaks between its tokens.
pub(super) const PRETTY: &str = "{\n  \"a\": 1,\r\n\t\"b\": [\n]\n}";

const TEXTS: [&str; 14] = [
    r#"{"jsonrpc":"2.0","id":-1,"method":"tools/call","params":{"name":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{"big":9223372036854775808,"bigger":18446744073709551616}}"#,
    r#"{"jsonrpc":"2.0","id":"a\"b\\","result":{"number":1.50,"exponent":1E400}}"#,
    r#"{"jsonrpc":"2.0","id":"7","error":{"code":0,"message":"","data":[null]}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#,
    r#"{"jsonrpc":"2.0","method":"a/b\u0063","params":{"z":1,"a":{"z":1,"a":2}},"trace":{"id":[1,2]}}"#,
    "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"raw\":\"\u{2028}\u{2029}\u{85}\u{feff}\"}}",
    r#"{"jsonrpc":"2.0","method":"n","params":{"escaped":"\u2028\r\n\t\u0000\b\f\/\ud83d\ude00"}}"#,
    "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\"\u{1f600}\":\"\u{e9}e\u{301}\"}}",
    r#"{"jsonrpc":"2.0","method":"n","params":{"sse":"data: x\n\ndata: y","header":"\r\n\r\n"}}"#,
    r#"{"jsonrpc":"2.0","method":"n","params":{"nested":"{\"jsonrpc\":\"2.0\"}","brackets":"]}[{"}}"#,
    r#"{"jsonrpc":"2.0","method":"n","params":[]}"#,
    r#"{"jsonrpc":"2.0","method":"n"}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
];

/// Every kind of message, odd ids, members that no specification names, and text that transports stumble over.
pub(super) fn odd_messages() -> Vec<RawMessage> {
    TEXTS
        .into_iter()
        .map(|text| match jsonrpc::parse(text.as_bytes()) {
            Ok(Incoming::Single(message)) => message.map(Bytes::copy_from_slice),
            other => unreachable!("every text is a message: {other:?}"),
        })
        .collect()
}

pub(super) fn note(number: usize, padding: usize) -> RawMessage {
    let params = format!(r#"{{"n":{number},"p":"{}"}}"#, "x".repeat(padding));
    RawMessage::notification("notifications/check", Some(params.into()))
}

pub(super) fn notes(count: usize, padding: usize) -> Vec<RawMessage> {
    (0..count).map(|number| note(number, padding)).collect()
}

pub(super) fn outbound(messages: &[RawMessage]) -> VecDeque<Outbound> {
    messages.iter().cloned().map(Outbound::from).collect()
}

pub(super) fn frames(messages: &[RawMessage]) -> Vec<Bytes> {
    messages.iter().map(|message| message.to_vec().into()).collect()
}

/// The same message: white space between tokens and the order of envelope members do not matter, all else does.
pub(super) fn same(clause: Clause, expected: &[u8], got: &[u8]) -> Result<(), Violation> {
    if expected == got || canonical(expected).is_some_and(|expected| canonical(got) == Some(expected)) {
        return Ok(());
    }
    let what = format!("expected {}, received {}", shown(expected), shown(got));
    Err(Violation::new(clause, what))
}

fn canonical(frame: &[u8]) -> Option<jsonrpc::JsonRpcMessage<Vec<u8>>> {
    match jsonrpc::parse(frame) {
        Ok(Incoming::Single(message)) => Some(message.map(without_space)),
        _ => None,
    }
}

fn without_space(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for &byte in json {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            continue;
        } else {
            in_string = byte == b'"';
        }
        out.push(byte);
    }
    out
}

pub(super) fn shown(bytes: &[u8]) -> impl Display {
    const SHOWN: usize = 200;
    struct Shown<'a>(&'a [u8]);
    impl Display for Shown<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&String::from_utf8_lossy(&self.0[..self.0.len().min(SHOWN)]))?;
            match self.0.len().checked_sub(SHOWN + 1) {
                Some(more) => write!(f, "… ({} bytes more)", more + 1),
                None => Ok(()),
            }
        }
    }
    Shown(bytes)
}
