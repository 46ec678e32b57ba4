//! `cargo +nightly fuzz run --features libfuzzer types`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::types::TARGET.run)(data));
