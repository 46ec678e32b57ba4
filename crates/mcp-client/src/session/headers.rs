use std::{borrow::Cow, sync::Arc};

/// Extra header fields of a request, for transports that have headers. Shared: the same go with a request wherever it is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Headers(Option<Arc<Vec<Field>>>);

type Field = (Cow<'static, str>, String);

impl Headers {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn push(&mut self, name: Cow<'static, str>, value: String) {
        Arc::make_mut(self.0.get_or_insert_default()).push((name, value));
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|fields| fields.iter()).map(|(name, _)| &**name)
    }

    pub(super) fn to_vec(&self) -> Vec<Field> {
        self.0.as_ref().map_or_else(Vec::new, |fields| fields.to_vec())
    }
}
