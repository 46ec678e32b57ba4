#![doc = include_str!("../README.md")]

mod codec;
mod command;
mod environment;
mod label;
mod pipe;
mod process;
mod resolve;

pub use codec::LineCodec;
pub use command::Stdio;
pub use environment::Inherit;
pub use pipe::{pipe, pipe_with_limit};
pub use process::stderr::{LineFn, Stderr};
