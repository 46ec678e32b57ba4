use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use super::lock;

/// The task that several [`Branch`]es belong to.
#[derive(Default)]
pub(super) struct Task(Arc<Mutex<Option<Waker>>>);

/// One of several futures of a task, which is polled only when it was woken itself: `select!` polls all of them whenever
/// one is.
pub(super) struct Branch {
    flag: Arc<Flag>,
    waker: Waker,
}

struct Flag {
    woken: AtomicBool,
    task: Arc<Mutex<Option<Waker>>>,
}

impl Task {
    pub(super) fn branch(&self) -> Branch {
        let flag = Arc::new(Flag { woken: AtomicBool::new(true), task: Arc::clone(&self.0) });
        Branch { waker: Waker::from(Arc::clone(&flag)), flag }
    }

    /// Says who is to be woken. At the start of each poll of the task.
    pub(super) fn polled(&self, cx: &Context<'_>) {
        let mut task = lock(&self.0);
        match &mut *task {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
    }
}

impl Branch {
    pub(super) fn poll<T>(&self, future: Pin<&mut (dyn Future<Output = T> + Send + '_)>) -> Poll<T> {
        if !self.flag.woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        future.poll(&mut Context::from_waker(&self.waker))
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::AcqRel)
            && let Some(task) = &*lock(&self.task)
        {
            task.wake_by_ref();
        }
    }
}
