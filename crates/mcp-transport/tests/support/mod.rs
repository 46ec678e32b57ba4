//! Transports under test, and their far ends.

pub(crate) mod faulty;
#[allow(unreachable_pub, reason = "the same file stands in the crate documentation")]
mod length_prefixed;

use std::{collections::VecDeque, io};

pub(crate) use length_prefixed::length_prefixed;
use mcp_transport::{
    Bytes, Inbound, Link, LinkParts, Origin, Outbound, RawMessage, Receiver, Sender, TransportError,
    contract::{FarEnd, Rig},
    memory,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// The pair of [`memory`].
pub(crate) struct Memory;

/// The other link of a pair.
pub(crate) struct FarLink {
    parts: LinkParts,
    waiting: VecDeque<RawMessage>,
}

impl Rig for Memory {
    type Far = FarLink;

    async fn open(&self) -> Result<(Link, FarLink), TransportError> {
        let (near, far) = memory::pair();
        let far = FarLink { parts: far.into_parts(), waiting: VecDeque::new() };
        Ok((near, far))
    }

    fn carries_text(&self) -> bool {
        false
    }
}

impl FarEnd for FarLink {
    async fn recv(&mut self) -> Option<Bytes> {
        if self.waiting.is_empty() {
            let mut into = Vec::new();
            self.parts.receiver.recv(&mut into).await.unwrap();
            self.waiting.extend(into.into_iter().map(|entry| match entry {
                Inbound::Message { message, .. } => message,
                other => panic!("{other:?}"),
            }));
        }
        Some(self.waiting.pop_front()?.to_vec().into())
    }

    async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        let mut entries = Vec::new();
        Inbound::parse(Origin::Shared, &frame, &mut entries);
        let [Inbound::Message { message, .. }] = &entries[..] else { panic!("{entries:?}") };
        let mut batch = [message.clone().into()].into();
        self.parts.sender.send(&mut batch).await.map_err(io::Error::other)
    }

    async fn close(&mut self) {
        self.parts.sender.send(&mut [Outbound::Close].into()).await.unwrap();
    }
}

/// [`length_prefixed`] over a duplex stream in memory.
pub(crate) struct LengthPrefixed;

/// The other end of the stream.
pub(crate) struct FarStream(DuplexStream);

impl Rig for LengthPrefixed {
    type Far = FarStream;

    async fn open(&self) -> Result<(Link, FarStream), TransportError> {
        let (near, far) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(near);
        Ok((length_prefixed(reader, writer), FarStream(far)))
    }
}

impl FarEnd for FarStream {
    async fn recv(&mut self) -> Option<Bytes> {
        let length = self.0.read_u32().await.ok()?;
        let mut frame = vec![0; length as usize];
        self.0.read_exact(&mut frame).await.ok()?;
        Some(frame.into())
    }

    async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.0.write_u32(frame.len().try_into().unwrap()).await?;
        self.0.write_all(&frame).await
    }

    async fn close(&mut self) {
        self.0.shutdown().await.unwrap();
    }
}
