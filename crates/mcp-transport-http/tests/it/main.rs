//! The transport against a raw server, where bytes, pieces and silence are the test's own; and against the demo server.

mod beside;
mod bounds;
mod certificates;
mod client;
mod common;
mod connections;
mod contract;
mod demo;
mod hostile;
mod http_sse;
mod in_child;
mod mismatch;
mod modern;
mod param_headers;
mod proxy;
mod quirks;
mod redirects;
mod refusals;
mod renewal;
mod requests;
mod service;
mod sessions;
mod streams;
mod tls;
#[cfg(unix)]
mod unix;
mod verdicts;
mod wire;

const WIRE: wire::Wire = wire::Wire::Http1;
