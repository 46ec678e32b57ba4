//! Model Context Protocol types of all published revisions, and JSON-RPC envelopes over raw JSON.
//!
//! One superset struct a concept, one module a page of the specification. What the protocol leaves open stays open:
//! unknown enum values, unknown kinds of content and open JSON survive a round trip as they came.
//!
//! Deliberately absent: I/O, async, clocks, policy. See `mcp-protocol` for what a connection does with these types.

mod json;
pub mod jsonrpc;
mod method;
mod revision;

pub use json::{Json, JsonObject};
pub use jsonrpc::{ErrorCode, JsonRpcError, ProgressToken, RequestId};
pub use method::{Direction, Empty, MethodInfo, MethodKind, Notification, Request, method};
pub use revision::{Era, ProtocolVersion, Revision};
