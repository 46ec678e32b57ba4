//! The tests of `it` again over TLS and the HTTP/2 agreed on there.

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
#[path = "../it/http_sse.rs"]
mod http_sse;
#[path = "../it/modern.rs"]
mod modern;
#[path = "../it/refusals.rs"]
mod refusals;
#[path = "../it/renewal.rs"]
mod renewal;
#[path = "../it/requests.rs"]
mod requests;
#[path = "../it/sessions.rs"]
mod sessions;
#[path = "../it/streams.rs"]
mod streams;
#[path = "../it/wire.rs"]
mod wire;

const WIRE: wire::Wire = wire::Wire::Tls;
