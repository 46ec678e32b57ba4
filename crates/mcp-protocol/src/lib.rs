//! The protocol core of the Model Context Protocol client SDK, **sans I/O**: it reads no clock, owns no channel,
//! spawns nothing. Time and messages are arguments; what is to be done is returned.
//!
//! - [`Connection`] correlates requests with replies in both directions, keeps deadlines, routes what comes in, and
//!   cancels in the way of the era and the binding. It knows no roles: a server can stand on it as well as a client.
//! - [`Negotiation`] finds the era and the revision of a server: probe, fall back, handshake.
//! - [`Stamp`] writes the per-request metadata of the modern era.
//! - [`frame`] cuts a byte stream into messages, one a line.
//!
//! Deliberately absent: tokio, sockets, tasks, retry, typed calls. See `mcp-client` for the pump that drives it.

pub mod connection;
pub mod frame;
pub mod input;
pub mod negotiate;
mod result;
mod stamp;

pub use connection::Connection;
pub use negotiate::Negotiation;
pub use result::{ResultKind, result_kind};
pub use stamp::{Metadata, Stamp};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
