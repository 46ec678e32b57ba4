use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// How many lines are kept.
const KEPT: usize = 40;

/// The end of what a server writes to its standard error. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<VecDeque<String>>>);

impl Lines {
    pub(crate) fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(line.to_string());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}
