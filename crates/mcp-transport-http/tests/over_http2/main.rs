//! The tests of `it` again over HTTP/2, and those of HTTP/2 alone.

#[path = "../it/beside.rs"]
mod beside;
#[path = "../it/certificates.rs"]
mod certificates;
#[path = "../it/client.rs"]
mod client;
#[path = "../it/common.rs"]
mod common;
#[path = "../it/contract.rs"]
mod contract;
mod cuts;
mod ends;
mod far;
#[path = "../it/http_sse.rs"]
mod http_sse;
#[path = "../it/mismatch.rs"]
mod mismatch;
#[path = "../it/modern.rs"]
mod modern;
#[path = "../it/param_headers.rs"]
mod param_headers;
#[path = "../it/quirks.rs"]
mod quirks;
#[path = "../it/redirects.rs"]
mod redirects;
#[path = "../it/refusals.rs"]
mod refusals;
#[path = "../it/renewal.rs"]
mod renewal;
#[path = "../it/requests.rs"]
mod requests;
#[path = "../it/sessions.rs"]
mod sessions;
mod shared;
#[path = "../it/streams.rs"]
mod streams;
#[path = "../it/wire.rs"]
mod wire;

const WIRE: wire::Wire = wire::Wire::Http2;
