#![doc = include_str!("../README.md")]

#[cfg(feature = "codec")]
mod codec;
mod command;
mod environment;
mod label;
mod pipe;
mod process;
mod resolve;

#[cfg(feature = "codec")]
pub use codec::LineCodec;
pub use command::Stdio;
pub use environment::Inherit;
pub use pipe::{pipe, pipe_with_limit};
pub use process::stderr::{LineFn, Stderr};
