//! `cargo +nightly fuzz run --features libfuzzer envelope`
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (mcp_fuzz::targets::envelope::TARGET.run)(data));
