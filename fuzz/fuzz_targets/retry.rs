//! `cargo +nightly fuzz run --features libfuzzer retry`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::retry::TARGET.run)(data));
