//! `cargo +nightly fuzz run --features libfuzzer frame`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::frame::TARGET.run)(data));
