//! The client against scripted peers: a pipe, exchanges, real processes.

mod calls;
mod closing;
mod common;
mod connect;
mod deadlines;
mod exchanges;
mod lists;
mod progress;
mod serving;
