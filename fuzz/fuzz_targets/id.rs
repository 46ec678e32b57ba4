//! `cargo +nightly fuzz run --features libfuzzer id`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::id::TARGET.run)(data));
