//! JSON-RPC 2.0 envelopes, with `params`, `result` and `error` left as the raw JSON they came in.
//!
//! Section: [Base protocol, Messages](https://modelcontextprotocol.io/specification/2026-07-28/basic#messages).

mod encode;
mod error;
mod id;
mod message;
mod parse;
pub mod scan;

pub use error::{ErrorCode, JsonRpcError, Shown};
pub use id::{ProgressToken, RequestId};
pub use message::{Extra, JsonRpcMessage, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, MethodName};
pub use parse::{Incoming, ParseError, parse};
