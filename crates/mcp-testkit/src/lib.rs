//! Test peers for the Model Context Protocol client SDK.
//!
//! [`script`] is a server that a test plays line by line: expect this, answer that, stall, cut, flood. [`demo`] is a server
//! of every revision with small tools, resources and prompts, over any link or over stdio. [`http`] is an HTTP server whose
//! answers a test writes byte by byte.
//!
//! Scripts are tools for tests: they panic, with what was expected and what came, where a library would return an error.
//!
//! Deliberately absent: assertions about a client's API; this crate knows the wire only.

pub mod demo;
pub mod http;
pub mod script;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
