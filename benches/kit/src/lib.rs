//! What every driver shares: the command line, the workloads and their checks, measuring, and the report.
//!
//! A driver is a program: `fn main() -> ExitCode { bench_kit::main::<MyDriver>() }`. It runs one workload once, and writes
//! one line of JSON.

mod allocations;
mod driver;
pub mod expected;
mod measure;
mod options;
mod report;
mod run;

pub use allocations::Allocations;
pub use driver::{Driver, Failure};
pub use options::{Era, Options, Workload};
pub use run::main;
