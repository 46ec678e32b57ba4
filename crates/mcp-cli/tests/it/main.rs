//! The binary as a process: its output, its exit status, and what it leaves behind.

mod browser;
mod calls;
mod common;
mod doctor;
mod http;
mod interrupts;
mod json;
mod lists;
mod proxy;
mod recordings;
mod targets;
mod terminal;
mod tls;
mod watch;
