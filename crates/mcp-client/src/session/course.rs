use std::time::Duration;

use tokio::sync::watch;

use super::Failure;
use crate::task::Later;

/// How far a session has come towards its end. It only goes on.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// `Some`: closing, and how long calls in flight may take to finish.
    pub(super) closing: Option<Duration>,
    /// Why calls end that have no request open just now.
    pub(super) given_up: Option<Failure>,
    /// Nothing is left: no link, no task.
    pub(super) over: bool,
}

impl Course {
    pub(super) fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.is_some()
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_closing() || self.is_given_up()
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }
}

/// Waits until `course` has come so far. Its sender lives as long as the session.
pub(super) fn reached(
    mut course: watch::Receiver<Course>,
    so_far: fn(&Course) -> bool,
) -> Later<'static, ()> {
    Box::pin(async move {
        while !so_far(&course.borrow_and_update()) {
            if course.changed().await.is_err() {
                return;
            }
        }
    })
}
