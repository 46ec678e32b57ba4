//! The client against scripted peers: a pipe, exchanges, real processes.

mod calls;
mod closing;
mod common;
mod connect;
mod exchanges;
mod serving;
