//! The kit checks its own scripted transport.

use std::io;

use bytes::Bytes;

use super::{FarExchange, FarServer};
use crate::{
    Delivery, Outbound, TransportError, TransportErrorKind,
    contract::{FakeExchange, FakeServer},
};

impl FarServer for FakeServer {
    type Exchange = FakeExchange;

    async fn next_exchange(&mut self) -> Option<FakeExchange> {
        self.recv().await
    }

    async fn next_beside(&mut self) -> Option<Bytes> {
        loop {
            if let Outbound::Message(out) = self.beside.recv().await? {
                return Some(out.message.to_vec().into());
            }
        }
    }
}

impl FarExchange for FakeExchange {
    fn request(&self) -> Bytes {
        self.out().message.to_vec().into()
    }

    fn header(&self, name: &str) -> Option<String> {
        Self::header(self, name).map(str::to_owned)
    }

    async fn accept(&mut self) {
        Self::accept(self);
    }

    async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.send_frame(frame);
        Ok(())
    }

    async fn end(mut self) {
        self.complete();
    }

    async fn refuse(mut self) {
        self.fail(TransportError::new(
            TransportErrorKind::Http,
            Delivery::Refused,
            "the scripted server refused the request",
        ));
    }

    async fn abandoned(&mut self) {
        self.dropped().await;
    }
}
