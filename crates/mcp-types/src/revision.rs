use std::fmt;

use crate::{
    read::{self, Blank, Read, Reader},
    write::{self, Node, Write},
};

/// A published revision of the specification that these crates know.
///
/// Ordered by date of publication. Section: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05: the first revision; HTTP+SSE.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, JSON-RPC batches, audio, tool annotations, completions capability.
    V2025_03_26,
    /// 2025-06-18: structured content, elicitation, resource links; no batches.
    V2025_06_18,
    /// 2025-11-25: tasks (experimental), URL elicitation, tools in sampling, icons.
    V2025_11_25,
    /// 2026-07-28: stateless; per-request metadata, `server/discover`, multi round-trip requests.
    V2026_07_28,
}

/// How a peer opens and keeps a connection: the two families that revisions fall into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize` handshake, sessions, server-initiated requests: 2025-11-25 and earlier.
    Legacy,
    /// Stateless requests that carry their own metadata: 2026-07-28 and later.
    Modern,
}

impl Revision {
    /// Every known revision, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];
    /// The newest known revision.
    pub const LATEST: Self = Self::V2026_07_28;
    /// The newest known revision of the legacy era: what `initialize` asks for.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The revision as it stands on the wire, for example `2025-11-25`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The known revision that `text` names, or `None`.
    pub fn from_wire(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text)
    }

    /// The era this revision belongs to.
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A `protocolVersion` as a peer wrote it: a revision that we know, or another text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProtocolVersion {
    /// A revision that these crates know.
    Known(Revision),
    /// Any other text, kept as it came.
    Other(String),
}

impl ProtocolVersion {
    /// The version as it stands on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(revision) => revision.as_str(),
            Self::Other(text) => text,
        }
    }

    /// The revision, if it is a known one.
    pub fn known(&self) -> Option<Revision> {
        match self {
            Self::Known(revision) => Some(*revision),
            Self::Other(_) => None,
        }
    }
}

impl From<Revision> for ProtocolVersion {
    fn from(revision: Revision) -> Self {
        Self::Known(revision)
    }
}

impl From<&str> for ProtocolVersion {
    fn from(text: &str) -> Self {
        Revision::from_wire(text).map_or_else(|| Self::Other(text.to_owned()), Self::Known)
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Write for ProtocolVersion {
    fn node(&self) -> Node<'_> {
        Node::Text(self.as_str())
    }
}

write::serialize_by_writing!(ProtocolVersion);

impl Read for ProtocolVersion {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        Ok(Self::from(&*reader.string()?))
    }
}

impl Blank for ProtocolVersion {
    const BLANK: Self = Self::Other(String::new());
}

read::deserialize_by_reading!(ProtocolVersion);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_ordered_and_found_by_their_wire_text() {
        assert!(Revision::ALL.is_sorted());
        for revision in Revision::ALL {
            assert_eq!(Revision::from_wire(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::from_wire("2025-1-1"), None);
    }

    #[test]
    fn an_unknown_version_survives() {
        let version: ProtocolVersion = serde_json::from_str("\"DRAFT-2027\"").unwrap();
        assert_eq!(version, ProtocolVersion::Other("DRAFT-2027".into()));
        assert_eq!(serde_json::to_string(&version).unwrap(), "\"DRAFT-2027\"");
    }
}
