//! x
mod client;
mod endpoint;
mod service;
mod sse;
pub use client::{HttpClient, ResponseBody};
pub use service::{BoxError, RequestBody};
