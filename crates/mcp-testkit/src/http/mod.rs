//! A raw HTTP server that a test plays byte by byte: what it answers, in which pieces, and when, or not at all.
//!
//! It reads requests, and writes nothing by itself. Each request is an [`HttpExchange`]: answer it whole
//! ([`json`](HttpExchange::json), [`respond`](HttpExchange::respond)), as a stream
//! ([`start_events`](HttpExchange::start_events), [`event`](HttpExchange::event)), with bytes of your own
//! ([`raw`](HttpExchange::raw)), or break off ([`reset`](HttpExchange::reset), or drop it). One that is only kept is a
//! server that never answers.
//!
//! With the features `http2` and `tls` the same server speaks HTTP/2 and TLS.
//!
//! ```
//! use mcp_testkit::http::HttpServer;
//!
//! async fn refuses_the_probe(mut server: HttpServer) {
//!     let probe = server.expect("server/discover").await;
//!     assert_eq!(probe.request.header("mcp-protocol-version"), Some("2026-07-28"));
//!     probe.respond(404, &[("content-type", "text/html")], "<h1>Not here</h1>").await;
//! }
//! ```

mod exchange;
mod http1;
#[cfg(feature = "http2")]
mod http2;
mod request;
mod server;

pub use exchange::HttpExchange;
pub use request::HttpRequest;
pub use server::HttpServer;
