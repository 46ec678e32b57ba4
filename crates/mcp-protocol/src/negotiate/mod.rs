//! Which era and which revision a server speaks.
//!
//! Sections: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning),
//! [stdio, Backward Compatibility](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility).

mod answer;
#[cfg(test)]
mod tests;

use std::fmt;

use mcp_types::{Era, JsonRpcError, ProtocolVersion, Revision};

pub use answer::{HandshakeAnswer, ProbeAnswer};

/// Which revisions a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Versions {
    pin: Option<Revision>,
    floor: Option<Revision>,
}

impl Versions {
    /// Every known revision: the newest that both sides know is used.
    pub fn auto() -> Self {
        Self::default()
    }

    /// This revision only. A pin to a legacy revision does not probe.
    pub fn exactly(revision: Revision) -> Self {
        Self { pin: Some(revision), floor: None }
    }

    /// This revision or a newer one.
    pub fn at_least(revision: Revision) -> Self {
        Self { pin: None, floor: Some(revision) }
    }

    /// Whether `revision` is accepted.
    pub fn accepts(&self, revision: Revision) -> bool {
        self.pin.is_none_or(|pin| pin == revision) && self.floor.is_none_or(|floor| floor <= revision)
    }

    /// The newest accepted revision of `era`.
    pub fn newest(&self, era: Era) -> Option<Revision> {
        Revision::ALL.into_iter().rev().find(|revision| revision.era() == era && self.accepts(*revision))
    }

    fn newest_of(self, era: Era, offered: &[ProtocolVersion]) -> Option<Revision> {
        let acceptable = |revision: &Revision| revision.era() == era && self.accepts(*revision);
        offered.iter().filter_map(ProtocolVersion::known).filter(acceptable).max()
    }
}

/// What an earlier connection to the same server found out: starting from it saves the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The server answers `initialize`.
    Legacy,
    /// The server is modern and speaks this revision.
    Modern(Revision),
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send `server/discover` with this revision.
    Probe {
        /// For `_meta`.
        revision: Revision,
        /// On which link.
        on: On,
    },
    /// Send `initialize` asking for this revision.
    Handshake {
        /// For `protocolVersion`.
        revision: Revision,
        /// On which link.
        on: On,
    },
    /// The revision is settled. In the legacy era, send `notifications/initialized` now.
    Ready(Revision),
    /// There is no common ground, or the server refuses.
    Failed(NegotiationError),
}

/// On which link a step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The one at hand.
    Current,
    /// A fresh one, if another can be made: the present one is dead, or may be poisoned. Otherwise the one at hand.
    Fresh,
}

/// Why negotiation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    /// Client and server have no acceptable revision in common.
    NoCommonRevision {
        /// What the server offers, as far as it said so.
        offered: Vec<ProtocolVersion>,
    },
    /// The server answered the probe, or the handshake, with this error.
    Refused(JsonRpcError),
    /// The server did not answer the probe within its limit, and an older era is not accepted.
    Silent,
    /// The link ended during the probe, and an older era is not accepted.
    Died,
}

impl fmt::Display for NegotiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommonRevision { offered } if offered.is_empty() => {
                f.write_str("no acceptable protocol revision in common with the server")
            }
            Self::NoCommonRevision { offered } => {
                f.write_str("no acceptable protocol revision in common; the server offers ")?;
                for (index, version) in offered.iter().enumerate() {
                    write!(f, "{}{version}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Refused(error) => write!(f, "the server refused: {error}"),
            Self::Silent => f.write_str("the server did not answer `server/discover` in time"),
            Self::Died => f.write_str("the server ended the connection on `server/discover`"),
        }
    }
}

impl std::error::Error for NegotiationError {}

/// The state of a negotiation. Take a [`Step`], do it, and hand in the answer, until it is ready or has failed.
#[derive(Debug)]
pub struct Negotiation {
    versions: Versions,
    /// The revision of the step at hand.
    asked: Revision,
    probes: u32,
    /// The probe was not answered, or not made, because of a verdict: the server may be a modern one.
    unsure: bool,
    offered: Vec<ProtocolVersion>,
}

impl Negotiation {
    /// A first probe, one after a version mismatch, one after a refused handshake; beyond that a server contradicts
    /// itself.
    const MAX_PROBES: u32 = 3;

    /// Starts a negotiation, on a link at hand.
    pub fn start(versions: Versions, remembered: Option<Verdict>) -> (Self, Step) {
        let mut negotiation =
            Self { versions, asked: Revision::LATEST, probes: 0, unsure: false, offered: Vec::new() };
        let step = match remembered {
            Some(Verdict::Modern(revision)) if versions.accepts(revision) => Step::Ready(revision),
            Some(Verdict::Legacy) if versions.newest(Era::Legacy).is_some() => {
                negotiation.unsure = true;
                negotiation.handshake(On::Current)
            }
            _ => match versions.newest(Era::Modern) {
                Some(revision) => negotiation.probe(revision, On::Current),
                None => negotiation.handshake(On::Current),
            },
        };
        (negotiation, step)
    }

    /// Takes the answer to [`Step::Probe`].
    pub fn probed(&mut self, answer: ProbeAnswer) -> Step {
        match answer {
            ProbeAnswer::Discovered(supported) => {
                match self.versions.newest_of(Era::Modern, &supported) {
                    Some(revision) => Step::Ready(revision),
                    // Quirk: a server that answers `server/discover` but serves legacy revisions only.
                    None => self.fall_back(supported, On::Current),
                }
            }
            ProbeAnswer::Unsupported(supported) => match self.versions.newest_of(Era::Modern, &supported) {
                Some(revision) if self.probes < Self::MAX_PROBES => self.probe(revision, On::Current),
                Some(_) => Step::Failed(NegotiationError::NoCommonRevision { offered: supported }),
                None => self.fall_back(supported, On::Current),
            },
            ProbeAnswer::ModernError(error) => Step::Failed(NegotiationError::Refused(error)),
            ProbeAnswer::OtherError(error) => {
                self.fall_back_or(On::Current, NegotiationError::Refused(error))
            }
            ProbeAnswer::Silent => {
                self.unsure = true;
                self.fall_back_or(On::Fresh, NegotiationError::Silent)
            }
            ProbeAnswer::Died => self.fall_back_or(On::Fresh, NegotiationError::Died),
        }
    }

    /// Takes the answer to [`Step::Handshake`].
    pub fn initialized(&mut self, answer: HandshakeAnswer) -> Step {
        let (offered, error) = match answer {
            HandshakeAnswer::Initialized(version) => match version.known() {
                Some(revision) if revision.era() == Era::Legacy && self.versions.accepts(revision) => {
                    return Step::Ready(revision);
                }
                _ => (vec![version], None),
            },
            HandshakeAnswer::Unsupported { supported, error } => (supported, Some(error)),
            HandshakeAnswer::OtherError(error) => {
                // By now the server answers, and what it answers may be that it is modern.
                return match self.versions.newest(Era::Modern) {
                    Some(revision) if std::mem::take(&mut self.unsure) => {
                        self.probes = Self::MAX_PROBES - 1;
                        self.probe(revision, On::Current)
                    }
                    _ => Step::Failed(NegotiationError::Refused(error)),
                };
            }
        };
        // The server says that it is modern after all. Ask it once, unless that was done.
        let modern = self.versions.newest_of(Era::Modern, &offered).or_else(|| {
            if error.is_some() && offered.is_empty() { self.versions.newest(Era::Modern) } else { None }
        });
        match (modern, error) {
            (Some(revision), _) if self.probes < Self::MAX_PROBES - 1 => {
                self.probes = Self::MAX_PROBES - 1;
                self.probe(revision, On::Current)
            }
            (_, Some(error)) if offered.is_empty() => Step::Failed(NegotiationError::Refused(error)),
            _ => Step::Failed(NegotiationError::NoCommonRevision { offered }),
        }
    }

    /// The revision of the step at hand.
    pub fn asked(&self) -> Revision {
        self.asked
    }

    fn probe(&mut self, revision: Revision, on: On) -> Step {
        self.probes += 1;
        self.asked = revision;
        Step::Probe { revision, on }
    }

    fn handshake(&mut self, on: On) -> Step {
        match self.versions.newest(Era::Legacy) {
            Some(revision) => {
                self.asked = revision;
                Step::Handshake { revision, on }
            }
            None => Step::Failed(NegotiationError::NoCommonRevision {
                offered: std::mem::take(&mut self.offered),
            }),
        }
    }

    fn fall_back(&mut self, offered: Vec<ProtocolVersion>, on: On) -> Step {
        if self.probes >= Self::MAX_PROBES {
            return Step::Failed(NegotiationError::NoCommonRevision { offered });
        }
        // The server named its revisions: ask for the newest of them that is accepted, if it named any known one.
        if let Some(revision) = self.versions.newest_of(Era::Legacy, &offered) {
            self.offered = offered;
            self.asked = revision;
            return Step::Handshake { revision, on };
        }
        self.offered = offered;
        self.handshake(on)
    }

    fn fall_back_or(&mut self, on: On, error: NegotiationError) -> Step {
        if self.versions.newest(Era::Legacy).is_none() || self.probes >= Self::MAX_PROBES {
            return Step::Failed(error);
        }
        self.handshake(on)
    }
}
