//! A server that a test plays line by line.
//!
//! ```
//! # use mcp_transport::{Link, Outbound, RawMessage, Sender};
//! # async fn client(link: Link) {
//! #     let mut parts = link.into_parts();
//! #     let discover = RawMessage::request(1, "server/discover", None);
//! #     let init = RawMessage::request(2, "initialize", Some("{}".into()));
//! #     let ready = RawMessage::notification("notifications/initialized", None);
//! #     let mut batch = [discover.into(), init.into(), ready.into(), Outbound::Close].into();
//! #     parts.sender.send(&mut batch).await.unwrap();
//! # }
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use mcp_testkit::script;
//!
//! let (link, mut peer) = script::peer();
//! let client = tokio::spawn(client(link));
//!
//! peer.expect("server/discover").await.reply_error(-32601, "no");
//! let init = peer.expect("initialize").await;
//! init.reply(r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#);
//! peer.expect_notification("notifications/initialized").await;
//! peer.expect_end().await;
//! # client.await.unwrap();
//! # });
//! ```
//!
//! Bodies are JSON text and go out untouched, so that malformed ones can be sent too. Whatever is said is queued and
//! goes out in order without being awaited; what is awaited, is awaited for at most
//! [`REAL_LIMIT`](mcp_transport::contract::REAL_LIMIT), then the test panics with what was expected and what went to and
//! fro before.
//!
//! A peer stands on messages ([`peer`], [`Peer::over`]) or on bytes ([`Peer::over_bytes`]), where it can also write half
//! a line, one byte at a time, invalid UTF-8 and text between frames.

mod accept;
mod connect;
mod message;
mod peer;
mod wire;

pub use connect::{Peers, Scripted, connector};
pub use message::{Notification, Request, Response};
pub use peer::{Peer, peer};
