//! Against real processes.
#![cfg(unix)]

mod exit;
mod shutdown;
mod spawn;
mod streams;
mod support;
