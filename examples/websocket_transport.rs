//! A transport of your own: MCP over WebSocket, a message in each text frame. The specification has no such transport.
//!
//! Shows [`Sender`], [`Receiver`] and [`Connect`], and at the end the contract test kit run against them.
//!
//! ```sh
//! cargo run --example websocket_transport                      # with a server in the same process
//! cargo run --example websocket_transport -- ws://host:1234    # or with any other
//! cargo test --example websocket_transport                     # the contract
//! ```

use std::{collections::VecDeque, env, error::Error};

use futures_util::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use mcp_client::Client;
use mcp_testkit::demo;
use mcp_transport::{
    Bytes, Connect, Delivery, Inbound, Link, Origin, Outbound, Receiver, Sender, TransportError,
    TransportErrorKind,
};
use mcp_types::ContentBlock;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_tungstenite::{
    WebSocketStream, accept_async, connect_async,
    tungstenite::{self, Message, Utf8Bytes},
};

struct WebSocket {
    url: String,
}

impl Connect for WebSocket {
    // Every message goes over the one socket.
    const EXCHANGES: bool = false;

    async fn connect(&self) -> Result<Link, TransportError> {
        match connect_async(&self.url).await {
            Ok((socket, _)) => Ok(link(socket)),
            Err(error) => Err(failed(TransportErrorKind::Connect, Delivery::NeverSent, error)),
        }
    }

    fn label(&self) -> String {
        self.url.clone()
    }
}

/// Either end of a connection.
fn link<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(socket: WebSocketStream<S>) -> Link {
    let (sink, stream) = socket.split();
    Link::pipe(SocketSender(Some(sink)), SocketReceiver(Some(stream)))
}

/// `None` once closed.
struct SocketSender<S>(Option<SplitSink<WebSocketStream<S>, Message>>);

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Sender for SocketSender<S> {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        let lost = |error| failed(TransportErrorKind::Io, Delivery::MaybeSent, error);
        let Some(sink) = &mut self.0 else {
            let error = tungstenite::Error::AlreadyClosed;
            return Err(failed(TransportErrorKind::Closed, Delivery::NeverSent, error));
        };
        while let Some(entry) = batch.pop_front() {
            match entry {
                Outbound::Message(out) => {
                    let text =
                        Utf8Bytes::try_from(out.message.to_vec()).map_err(|error| lost(error.into()))?;
                    sink.feed(Message::Text(text)).await.map_err(lost)?;
                }
                Outbound::Close => {
                    let outcome = sink.close().await.map_err(lost);
                    self.0 = None;
                    return outcome;
                }
                // Nothing of these goes over the wire.
                _ => {}
            }
        }
        sink.flush().await.map_err(lost)
    }
}

/// `None` once the peer has closed.
struct SocketReceiver<S>(Option<SplitStream<WebSocketStream<S>>>);

impl<S: AsyncRead + AsyncWrite + Send + Unpin + 'static> Receiver for SocketReceiver<S> {
    async fn recv(&mut self, into: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        while let Some(stream) = &mut self.0 {
            let frame = match stream.next().await {
                Some(Ok(Message::Text(text))) => Bytes::from(text),
                Some(Ok(Message::Binary(bytes))) => bytes,
                Some(Ok(Message::Close(_))) | None => {
                    self.0 = None;
                    continue;
                }
                // The library answers a ping by itself.
                Some(Ok(_)) => continue,
                Some(Err(error)) => {
                    self.0 = None;
                    return Err(failed(TransportErrorKind::Io, Delivery::MaybeSent, error));
                }
            };
            Inbound::parse(Origin::Shared, &frame, into);
            return Ok(true);
        }
        Ok(false)
    }
}

fn failed(kind: TransportErrorKind, delivery: Delivery, error: tungstenite::Error) -> TransportError {
    TransportError::new(kind, delivery, "the WebSocket failed").with_source(error)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = match env::args().nth(1) {
        Some(url) => url,
        None => serve().await?,
    };
    let client = Client::builder("websocket-example", "1.0.0").connect(WebSocket { url }).await?;
    println!("connected: {:?}", client.negotiated().server_info.as_ref().map(|server| &server.name));
    let arguments = serde_json::json!({ "message": "Hello over WebSocket" });
    let result = client.call_tool("echo").args(&arguments)?.await?;
    println!("echo says: {:?}", result.content.first().and_then(ContentBlock::as_text));
    client.close().await;
    Ok(())
}

/// The demo server behind a WebSocket on a free port. Gives its address.
async fn serve() -> Result<String, std::io::Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                if let Ok(socket) = accept_async(stream).await {
                    // A client that leaves without a farewell is its own affair.
                    let _ = demo::serve(link(socket)).await;
                }
            });
        }
    });
    Ok(format!("ws://{address}"))
}

#[cfg(test)]
mod tests {
    use std::io;

    use mcp_transport::contract::{self, FarEnd, Rig};
    use tokio::net::TcpStream;

    use super::*;

    struct Loopback;

    struct Far(WebSocketStream<TcpStream>);

    impl Rig for Loopback {
        type Far = Far;

        async fn open(&self) -> Result<(Link, Far), TransportError> {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let client = WebSocket { url: format!("ws://{}", listener.local_addr().expect("it is bound")) };
            let accept = async {
                let (stream, _) = listener.accept().await.expect("the client connects");
                accept_async(stream).await.expect("the client shakes hands")
            };
            let (link, socket) = tokio::join!(client.connect(), accept);
            Ok((link?, Far(socket)))
        }
    }

    impl FarEnd for Far {
        async fn recv(&mut self) -> Option<Bytes> {
            match self.0.next().await? {
                Ok(Message::Text(text)) => Some(text.into()),
                _ => None,
            }
        }

        async fn send(&mut self, frame: Bytes) -> io::Result<()> {
            let text = Utf8Bytes::try_from(frame).map_err(io::Error::other)?;
            self.0.send(Message::Text(text)).await.map_err(io::Error::other)
        }

        async fn close(&mut self) {
            // Fails if the client is gone, which is closed too.
            let _ = self.0.close(None).await;
        }
    }

    #[tokio::test]
    async fn it_keeps_the_contract() {
        Box::pin(contract::check_pipe(&Loopback)).await.unwrap();
    }

    #[tokio::test]
    async fn a_tool_is_called_over_it() {
        let url = serve().await.unwrap();
        let client = Client::builder("test", "1").connect(WebSocket { url }).await.unwrap();
        let arguments = serde_json::json!({ "message": "x" });
        let result = client.call_tool("echo").args(&arguments).unwrap().await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("x"));
        client.close().await;
    }
}
