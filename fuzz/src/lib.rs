//! Fuzz targets of what reads a peer's bytes: the types, the envelopes, the framing, the splicing of `_meta` and of
//! retries, and ids.
//!
//! A target is a plain function of bytes that panics when a property does not hold. `cargo fuzz` drives it with what it
//! learns of the code (`fuzz_targets/`); the program `smoke` drives it on any compiler with generated input: JSON after
//! what the types say of themselves, twisted, and with some bytes changed.

pub mod generate;
pub mod targets;

use generate::Random;

/// A function to fuzz.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, which is that of the module and of the program for cargo-fuzz.
    pub name: &'static str,
    /// Checks one input; panics when something is wrong.
    pub run: fn(&[u8]),
    /// Makes an input that is likely to reach far.
    pub generate: fn(&mut Random) -> Vec<u8>,
    /// How many inputs a smoke run tries: a few seconds' worth.
    pub inputs: u64,
}
