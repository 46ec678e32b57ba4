//! The client against scripted peers: a pipe, exchanges, real processes.

mod calls;
mod closing;
mod common;
mod connect;
mod deadlines;
mod demo;
mod exchanges;
mod inputs;
mod listen;
mod lists;
mod methods;
mod process;
mod progress;
mod races;
mod renewal;
mod retries;
mod rounds;
mod serving;
mod stalls;
