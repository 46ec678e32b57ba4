//! Which methods a client may send on a connection.

use mcp_types::{Direction, MethodInfo, extensions::extension_of, method, methods};

use crate::{Error, Negotiated, Result, client::Inner, error::Cause};

/// The methods of the specification that may be requested: the answer to most questions, found out once. One bit for each,
/// in the order of [`methods`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permitted(u64);

impl Permitted {
    pub(crate) fn by(negotiated: &Negotiated) -> Self {
        let bits = methods().iter().zip(0..u64::BITS).filter(|(info, _)| negotiated.check(info.name).is_ok());
        Self(bits.map(|(_, bit)| 1 << bit).sum())
    }

    fn has(self, name: &str) -> bool {
        methods()
            .iter()
            .zip(0..u64::BITS)
            .find(|(info, _)| info.name == name)
            .is_some_and(|(_, bit)| self.0 >> bit & 1 == 1)
    }
}

impl Inner {
    /// Whether the server's revision and capabilities have `name`. Methods that the specification does not name pass.
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        if self.permitted.has(name) { Ok(()) } else { self.negotiated.check(name) }
    }
}

impl Negotiated {
    fn check(&self, name: &str) -> Result<()> {
        self.check_revision(name)?;
        let known = method(name).filter(|info| info.exists_in(self.revision));
        match known.and_then(|info: &MethodInfo| info.capability) {
            Some((path, since)) if self.revision >= since && !self.capabilities.has(path) => {
                Err(Error::new(Cause::Capability(path)))
            }
            _ => Ok(()),
        }
    }

    /// Whether the revision has `name`, as something that a client sends.
    pub(crate) fn check_revision(&self, name: &str) -> Result<()> {
        if extension_of(name).is_some_and(|extension| self.capabilities.extension(extension).is_some()) {
            return Ok(());
        }
        let Some(info) = method(name) else { return Ok(()) };
        if info.direction_in(self.revision) == Some(Direction::ToClient)
            || info.direction == Direction::ToClient
        {
            return Err(Error::new(Cause::Direction));
        }
        if info.exists_in(self.revision) { Ok(()) } else { Err(Error::new(Cause::Revision(self.revision))) }
    }
}
