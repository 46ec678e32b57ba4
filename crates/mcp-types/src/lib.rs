//! Model Context Protocol types of all published revisions, and JSON-RPC envelopes over raw JSON.
//!
//! One superset struct a concept, one module a page of the specification. What the protocol leaves open stays open:
//! unknown enum values, unknown kinds of content and open JSON survive a round trip as they came.
//!
//! - A request or a notification is a marker type, such as [`CallToolRequest`], that ties the method to its parameters
//!   and its result through [`Request`] or [`Notification`]. [`method`] says which revision has it.
//! - An optional member is an `Option`: absent and `null` read as `None`, and `None` is not written.
//! - A [`List`] keeps its good elements when others are bad.
//! - Structs do not keep members that they do not know; keep the raw message beside the struct to forward it.
//!
//! Feature `schemars`, off by default: the schema of a Rust type for a tool or a form.
//!
//! Deliberately absent: I/O, async, clocks, policy, JSON Schema validation, base64, dates. See `mcp-protocol` for what a
//! connection does with these types.

#[macro_use]
mod macros;

mod caching;
mod cancellation;
mod capabilities;
mod common;
mod completion;
mod content;
mod discover;
mod elicitation;
mod elicitation_schema;
mod errors;
pub mod extensions;
mod float;
#[cfg(feature = "schemars")]
mod generate;
#[doc(hidden)]
pub mod inventory;
mod json;
pub mod jsonrpc;
mod lifecycle;
mod list;
mod logging;
mod map;
pub mod meta;
mod method;
mod mrtr;
mod number;
mod pagination;
mod progress;
mod prompts;
pub mod read;
mod resources;
mod revision;
mod roots;
mod sampling;
mod schema;
mod subscriptions;
mod tasks;
mod tools;
mod union;
mod write;

pub use caching::*;
pub use cancellation::*;
pub use capabilities::*;
pub use common::*;
pub use completion::*;
pub use content::*;
pub use discover::*;
pub use elicitation::*;
pub use elicitation_schema::*;
pub use errors::*;
#[cfg(feature = "schemars")]
pub use generate::UnfitType;
pub use json::{Json, JsonObject};
pub use jsonrpc::{ErrorCode, JsonRpcError, ProgressToken, RequestId};
pub use lifecycle::*;
pub use list::{List, Rejected, TooManyRejected};
pub use logging::*;
pub use map::Map;
pub use meta::Meta;
pub use method::{Direction, Empty, MethodInfo, MethodKind, Notification, Request, method, methods};
pub use mrtr::*;
pub use number::Number;
pub use pagination::*;
pub use progress::*;
pub use prompts::*;
pub use read::decode;
pub use resources::*;
pub use revision::{Era, ProtocolVersion, Revision};
pub use roots::*;
pub use sampling::*;
pub use schema::{JsonSchema, NotAnObject};
pub use subscriptions::*;
pub use tasks::*;
pub use tools::*;
pub use union::UnknownObject;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
