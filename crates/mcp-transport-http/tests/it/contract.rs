//! The contract of transports, checked by its own kit.

use std::{collections::VecDeque, io};

use mcp_testkit::http::{HttpExchange, HttpServer};
use mcp_transport::{
    Bytes, Connect, Link, TransportError,
    contract::{ExchangeRig, FarExchange, FarServer, check_exchanges},
};

/// Answers are streams of events.
use crate::WIRE;

struct Rig {
    /// How their lines end.
    crlf: bool,
}

struct Far {
    server: HttpServer,
    crlf: bool,
    beside: VecDeque<HttpExchange>,
    requests: VecDeque<HttpExchange>,
}

struct Answering {
    http: HttpExchange,
    crlf: bool,
    begun: bool,
}

impl ExchangeRig for Rig {
    type Far = Far;

    async fn open(&self) -> Result<(Link, Far), TransportError> {
        let server = WIRE.serve().await;
        let link = WIRE.http(&server).connect().await?;
        Ok((link, Far { server, crlf: self.crlf, beside: VecDeque::new(), requests: VecDeque::new() }))
    }
}

impl Far {
    /// Sorts one more request in.
    async fn sort(&mut self) -> Option<()> {
        let exchange = self.server.recv().await?;
        let is_request = exchange
            .request
            .message()
            .is_some_and(|message| message.method().is_some() && message.id().is_some());
        if is_request { &mut self.requests } else { &mut self.beside }.push_back(exchange);
        Some(())
    }
}

impl FarServer for Far {
    type Exchange = Answering;

    async fn next_exchange(&mut self) -> Option<Answering> {
        loop {
            if let Some(exchange) = self.requests.pop_front() {
                return Some(Answering { http: exchange, crlf: self.crlf, begun: false });
            }
            self.sort().await?;
        }
    }

    async fn next_beside(&mut self) -> Option<Bytes> {
        loop {
            if let Some(exchange) = self.beside.pop_front() {
                let body = exchange.request.body.clone();
                exchange.accept().await;
                return Some(body);
            }
            self.sort().await?;
        }
    }
}

impl FarExchange for Answering {
    fn request(&self) -> Bytes {
        self.http.request.body.clone()
    }

    fn header(&self, name: &str) -> Option<String> {
        self.http.request.header(name).map(str::to_owned)
    }

    async fn accept(&mut self) {
        self.begun = true;
        let _ = self.http.start_events(&[]).await;
    }

    async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        let text = String::from_utf8(frame.to_vec()).map_err(io::Error::other)?;
        if self.crlf {
            let lines: Vec<_> = text.lines().collect();
            self.http.chunk(format!("data: {}\r\n\r\n", lines.join("\r\ndata: "))).await
        } else {
            self.http.event(&text).await
        }
    }

    async fn end(self) {
        if self.begun {
            self.http.end().await;
        }
    }

    async fn refuse(self) {
        self.http.respond(405, &[("allow", "GET")], "").await;
    }

    async fn abandoned(&mut self) {
        self.http.gone().await;
    }
}

#[tokio::test]
async fn the_transport_keeps_the_contract() {
    for crlf in [false, true] {
        check_exchanges(&Rig { crlf }).await.unwrap();
    }
}
