//! What differs from system to system, each with the same items: `isolate`, `GroupId`.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{GroupId, isolate};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{GroupId, isolate};
