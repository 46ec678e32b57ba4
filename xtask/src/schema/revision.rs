//! The published revisions, by name.

use std::fmt;

/// Ordered by date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Revision(&'static str);

impl Revision {
    pub(super) const ALL: [Self; 5] =
        [Self("2024-11-05"), Self("2025-03-26"), Self("2025-06-18"), Self("2025-11-25"), Self("2026-07-28")];
    pub(super) const LATEST: Self = Self::ALL[4];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.0 == name)
    }

    pub(super) fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// Some revisions, as docs say them.
pub(super) fn in_words(revisions: impl IntoIterator<Item = Revision>) -> String {
    let names: Vec<_> = revisions.into_iter().map(Revision::name).collect();
    if names.is_empty() { "no revision".to_string() } else { names.join(", ") }
}
