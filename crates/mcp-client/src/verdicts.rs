use std::{
    fmt,
    sync::{Arc, Mutex},
};

use mcp_types::Era;

use crate::session::lock;

/// Of which era the servers of each origin are, as connections found out. Shared by the clients that are given it with
/// [`ClientBuilder::verdicts`](crate::ClientBuilder::verdicts); cheap to clone, all clones are one store.
///
/// An origin is what [`Connect::origin`](crate::transport::Connect::origin) says: `https://host:port` over HTTP; transports
/// without one are not kept. A legacy origin saves later clients the probe. A modern one is asked all the same, since the
/// answer says what the server can do: to save that too, see [`Client::remember`](crate::Client::remember). What proves
/// wrong is asked anew and replaced: a server that refuses `initialize` is probed, one that refuses the probe gets
/// `initialize`, and of an origin that could not be connected to nothing is kept.
///
/// Bounded: beyond [`Verdicts::CAPACITY`] origins, the one that was used longest ago goes.
///
/// Section: [Versioning, Backward Compatibility](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).
#[derive(Clone, Default)]
pub struct Verdicts(Arc<Mutex<Kept>>);

/// Few, and looked at once a connection. The one that was used last stands last.
type Kept = Vec<(String, Era)>;

impl Verdicts {
    /// How many origins are kept.
    pub const CAPACITY: usize = 1024;

    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is known of `origin`.
    pub fn get(&self, origin: &str) -> Option<Era> {
        let mut kept = lock(&self.0);
        let known = remove(&mut kept, origin)?;
        let era = known.1;
        kept.push(known);
        Some(era)
    }

    /// Keeps `era` as what is known of `origin`: from an earlier run of the program, say.
    pub fn set(&self, origin: impl Into<String>, era: Era) {
        self.keep((origin.into(), era));
    }

    fn keep(&self, known: (String, Era)) {
        let mut kept = lock(&self.0);
        if remove(&mut kept, &known.0).is_none() && kept.len() == Self::CAPACITY {
            kept.remove(0);
        }
        kept.push(known);
    }

    /// Forgets what is known of `origin`.
    pub fn forget(&self, origin: &str) {
        remove(&mut lock(&self.0), origin);
    }

    /// All that is known, in no order: to be stored.
    pub fn all(&self) -> Vec<(String, Era)> {
        lock(&self.0).clone()
    }
}

impl fmt::Debug for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verdicts({} origins)", lock(&self.0).len())
    }
}

fn remove(kept: &mut Kept, origin: &str) -> Option<(String, Era)> {
    let place = kept.iter().position(|(known, _)| known == origin)?;
    Some(kept.remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_bounded_and_keeps_what_is_used() {
        let verdicts = Verdicts::new();
        for count in 0..Verdicts::CAPACITY {
            verdicts.set(count.to_string(), Era::Legacy);
        }
        assert_eq!(verdicts.clone().get("0"), Some(Era::Legacy));
        verdicts.set("one more", Era::Modern);
        assert_eq!(verdicts.all().len(), Verdicts::CAPACITY);
        assert_eq!(verdicts.get("0"), Some(Era::Legacy));
        assert_eq!(verdicts.get("1"), None, "used longest ago");
        verdicts.set("0", Era::Modern);
        assert_eq!(verdicts.get("0"), Some(Era::Modern));
        verdicts.forget("0");
        assert_eq!(verdicts.get("0"), None);
    }
}
