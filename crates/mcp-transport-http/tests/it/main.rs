//! The transport against a raw server: bytes, pieces and silence are the test's own.

mod beside;
mod bounds;
mod client;
mod common;
mod connections;
mod contract;
mod http_sse;
mod modern;
mod refusals;
mod requests;
mod service;
mod sessions;
mod streams;
mod tls;
