#![doc = include_str!("../README.md")]

mod answer;
mod beside;
mod body;
mod client;
mod closer;
mod endpoint;
mod exchange;
mod headers;
mod http;
mod http_sse;
mod link;
mod listen;
mod param_headers;
mod redirect;
mod refusal;
mod request;
mod retry_after;
mod service;
mod session;
mod sse;
mod stream;
mod turns;

#[cfg(feature = "proxy")]
pub use client::Proxy;
pub use client::{HttpClient, HttpVersion, ResponseBody};
pub use http::Http;
pub use param_headers::McpParam;
pub use service::{BoxError, RequestBody};
/// For [`HttpClient::tls_config`], and to choose the cryptography of the process.
#[cfg(feature = "tls")]
pub use tokio_rustls::rustls;
