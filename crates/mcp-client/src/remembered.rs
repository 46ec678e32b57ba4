use mcp_types::{
    Era, Json,
    read::{self, Read, Reader},
};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

use crate::Client;

/// What a connection found out about a server, to be kept: with
/// [`ClientBuilder::remembered`](crate::ClientBuilder::remembered) a later connection to the same server needs no probe, in the
/// modern era no round trip at all.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// `2025-11-25`, say.
    pub(crate) revision: String,
    /// The `DiscoverResult`, in the modern era.
    pub(crate) discover: Option<Json>,
}

impl Client {
    /// What to keep for a later connection to the same server.
    pub fn remember(&self) -> Remembered {
        let negotiated = &self.0.negotiated;
        Remembered {
            revision: negotiated.revision.to_string(),
            discover: (negotiated.era() == Era::Modern).then(|| negotiated.raw.clone()),
        }
    }
}

impl Serialize for Remembered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("revision", &self.revision)?;
        if let Some(discover) = &self.discover {
            map.serialize_entry("discover", discover)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Remembered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::deserialize(deserializer)
    }
}

impl Read for Remembered {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let (mut revision, mut discover) = (None, None);
        reader.entries("what is remembered of a server", &mut |name, reader| {
            match &*name {
                "revision" => revision = Some(String::read(reader)?),
                "discover" => discover = Read::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let revision = revision.ok_or_else(|| reader.error("missing field `revision`"))?;
        Ok(Self { revision, discover })
    }
}
