use mcp_types::Era;

use crate::Verdicts;

/// What is kept of the origin of the server.
pub(super) struct Kept<'a> {
    pub(super) verdicts: Option<&'a Verdicts>,
    pub(super) origin: Option<String>,
}

impl Kept<'_> {
    pub(super) fn get(&self) -> Option<Era> {
        self.verdicts?.get(self.origin.as_ref()?)
    }

    pub(super) fn set(&self, era: Option<Era>) {
        if let (Some(verdicts), Some(origin)) = (self.verdicts, &self.origin) {
            match era {
                Some(era) => verdicts.set(origin.clone(), era),
                None => verdicts.forget(origin),
            }
        }
    }
}
