//! A Model Context Protocol client of every revision, over any transport.
//!
//! [`Client::builder`] connects: it finds the era and the revision of the server, and returns when calls may be made.
//! A [`Client`] is one cloneable handle without type parameters; every call on it is a builder that is awaited.
//!
//! ```no_run
//! use mcp_client::Client;
//! use mcp_transport_stdio::Stdio;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("my-agent", "1.0.0").connect(Stdio::command("my-server")).await?;
//! for tool in client.list_tools().all().await? {
//!     println!("{}", tool.display_name());
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Everything needs a tokio runtime with its time driver enabled.
//!
//! # Where to find what
//!
//! - Connecting, limits, handlers: [`ClientBuilder`]. What a server asks its client for: [`ClientBuilder::on_elicit`]
//!   (elicitation), [`ClientBuilder::on_sample`] (sampling), [`ClientBuilder::roots`] (roots).
//! - Calls: the methods of [`Client`]; options of each: [`Call`]. Progress and cancellation: [`Call::with_progress`].
//! - What went wrong: [`Error::kind`], and what stands beside it.
//! - Changes at the server: [`Client::listen`], [`Client::notifications`].
//! - Every message that passes: [`transport::Tap`].
//!
//! Deliberately absent: transports (see `mcp-transport-stdio`), several servers, and any decision on which tool to call.

mod builder;
mod call;
mod catalogue;
mod client;
mod connect;
mod diagnostic;
mod error;
mod handlers;
mod input;
mod listen;
mod methods;
mod output;
mod permitted;
mod remembered;
mod retry;
mod session;
mod similar;
mod state;
mod task;
mod verdicts;

pub use builder::{ClientBuilder, defaults};
pub use call::{
    Call, CallFuture, CancelHandle, InputRequired, ListCall, Listing, Once, PageStream, Paged, Progress,
    ProgressCall, Progresses, Reply, Round, TakesInput,
};
pub use client::{Client, Negotiated};
pub use diagnostic::Diagnostic;
pub use error::{Error, ErrorKind, Result};
pub use handlers::{CallInfo, NotificationContext, RawNotification, RequestContext};
pub use input::check_form_member;
pub use listen::{Change, Listen, Notifications, Received, Subscription};
pub use mcp_protocol::{
    connection::Dropped,
    negotiate::{NegotiationError, Versions},
};
pub use mcp_transport as transport;
pub use mcp_types as types;
pub use output::OnInvalidOutput;
pub use remembered::Remembered;
pub use retry::Retry;
pub use similar::similar_names;
pub use state::{State, StateWatch};
pub use verdicts::Verdicts;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
