//! `cargo +nightly fuzz run --features libfuzzer stamp`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::stamp::TARGET.run)(data));
