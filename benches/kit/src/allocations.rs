//! Counts what a driver allocates.
//!
//! It stands in every driver, and in benches of the parts, and is off unless asked for, so that what is timed and what is counted is one program: off, it
//! costs one load of a constant a call, for all drivers alike.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

#[global_allocator]
static COUNTING: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

/// Allocations so far, and their bytes. A reallocation is one, of its new size.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocations {
    /// How many.
    pub count: u64,
    /// How many bytes.
    pub bytes: u64,
    /// How many bytes were given back.
    pub freed: u64,
}

impl Allocations {
    /// From here on.
    pub fn start_counting() {
        ON.store(true, Relaxed);
    }

    /// Since counting began.
    pub fn now() -> Self {
        Self { count: COUNT.load(Relaxed), bytes: BYTES.load(Relaxed), freed: FREED.load(Relaxed) }
    }

    /// Since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            count: self.count - before.count,
            bytes: self.bytes - before.bytes,
            freed: self.freed - before.freed,
        }
    }

    /// What is left of the bytes. Counted from when counting began: what was allocated before may be freed after.
    pub fn kept(self) -> u64 {
        self.bytes.saturating_sub(self.freed)
    }
}

struct Counting;

fn count(bytes: usize) {
    if ON.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

fn freed(bytes: usize) {
    if ON.load(Relaxed) {
        FREED.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: every method hands its arguments to the system's allocator as they came, and its answer back.
#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without; this crate is not part of the product"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        freed(layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }
}
