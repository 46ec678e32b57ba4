//! What differs from system to system, each with the same items: `isolate`, `enlarge`, `GroupId`.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{GroupId, enlarge, isolate};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{GroupId, enlarge, isolate};
