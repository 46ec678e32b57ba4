//! Stands between a host and the command of a server: a server to the one, a client to the other.

use std::{collections::VecDeque, time::Duration};

use mcp_transport::{
    BoxReceiver, BoxSender, Connect, Inbound, LinkParts, Outbound, Receiver, Sender, TransportError,
};
use tokio::time::timeout;

use crate::{
    args::Proxy,
    console::{self, safe_line},
    failure::{Failure, Status},
    session::{Stop, observed},
    target::{Target, Transport},
};

/// How long a server may go on to write once the host has closed its side, before it is ended in order.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(super) async fn run(verb: Proxy) -> Result<Status, Failure> {
    let target = Target::resolve(&verb.target)?;
    if matches!(target.transport, Transport::Http(_)) {
        return Err(Failure::usage("proxy stands before the command of a server, not before a URL"));
    }
    let mut common = verb.common;
    common.trace = verb.trace;
    let mut stop = Stop::new(None)?;
    let host = mcp_transport_stdio::pipe(tokio::io::stdin(), tokio::io::stdout()).into_parts();
    let LinkParts { sender, receiver, closer, .. } = observed(target, &common)?.connect().await?.into_parts();
    let passed = tokio::select! {
        biased;
        failure = stop.wait() => Err(failure),
        passed = pass(host, sender, receiver) => passed.map_err(Failure::from),
    };
    if let Some(closer) = closer {
        tokio::select! {
            closed = closer.close() => closed?,
            () = stop.interrupted() => {}
        }
    }
    passed.map(|()| Status::Success)
}

/// Passes messages on, both ways, until either side ends.
async fn pass(
    host: LinkParts,
    mut to_server: BoxSender,
    mut from_server: BoxReceiver,
) -> Result<(), TransportError> {
    let LinkParts { sender: mut to_host, receiver: mut from_host, .. } = host;
    let mut down = std::pin::pin!(forward(&mut from_server, &mut to_host));
    tokio::select! {
        ended = &mut down => return ended,
        ended = forward(&mut from_host, &mut to_server) => ended?,
    }
    // The host is done. What the server still says is nobody's loss when it takes too long.
    timeout(LAST_WORDS, down).await.unwrap_or(Ok(()))
}

/// Passes messages on until the one side ends, and then closes the other. A batch goes on as single messages.
async fn forward(from: &mut BoxReceiver, to: &mut BoxSender) -> Result<(), TransportError> {
    let mut inbound = Vec::new();
    let mut batch = VecDeque::new();
    loop {
        let more = from.recv(&mut inbound).await;
        for entry in inbound.drain(..) {
            match entry {
                Inbound::Message { message, .. } => batch.push_back(message.into()),
                Inbound::Batch { messages, .. } => batch.extend(messages.into_iter().map(Outbound::from)),
                Inbound::Skipped(skipped) => {
                    let excerpt = safe_line(&skipped.excerpt);
                    console::note(&format!("odd: not passed on, for it is no message: {excerpt}"));
                }
                _ => {}
            }
        }
        if !batch.is_empty() {
            to.send(&mut batch).await?;
        }
        if !more? {
            return to.send(&mut VecDeque::from([Outbound::Close])).await;
        }
    }
}
