//! What drives a connection of HTTP/1.1: whoever waits for something that comes on it.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
};

/// The I/O of a connection. It has no task of its own: that would cost two changes of tasks a request, often to another
/// thread. So it stands still while nobody waits for it, and its waker is the same whoever waits.
pub(super) struct Driver {
    /// `None`: the connection is over. The lock is never taken: it makes the type `Sync`.
    io: Option<Mutex<Io>>,
    signal: Arc<Signal>,
    waker: Waker,
}

type Io = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

impl Driver {
    pub(super) fn new(io: impl Future<Output = hyper::Result<()>> + Send + 'static) -> Self {
        let signal = Arc::new(Signal::default());
        let waker = Waker::from(Arc::clone(&signal));
        Self { io: Some(Mutex::new(Box::pin(io))), signal, waker }
    }

    pub(super) fn is_over(&self) -> bool {
        self.io.is_none()
    }

    /// Waits for what comes of the connection: drives it, and then asks for it.
    pub(super) fn poll<T>(
        &mut self,
        cx: &Context<'_>,
        wanted: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.signal.awake();
        self.turn();
        let polled = wanted(&mut Context::from_waker(&self.waker));
        if polled.is_pending() {
            self.signal.sleep(cx.waker());
        }
        polled
    }

    /// As [`poll`](Self::poll), for what may be there already.
    pub(super) fn poll_after<T>(
        &mut self,
        cx: &Context<'_>,
        mut wanted: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.signal.awake();
        match wanted(&mut Context::from_waker(&self.waker)) {
            Poll::Pending => self.poll(cx, wanted),
            ready @ Poll::Ready(_) => ready,
        }
    }

    /// Does what can be done now.
    pub(super) fn turn(&mut self) {
        let Some(io) = &mut self.io else { return };
        let io = io.get_mut().unwrap_or_else(PoisonError::into_inner);
        if io.as_mut().poll(&mut Context::from_waker(&self.waker)).is_ready() {
            // Its errors reach the request that they hit. A request that it was given and did not begin to send comes back
            // when it is dropped.
            self.io = None;
        }
    }
}

/// Wakes who waits for a connection. Who drives it just now is not woken by what he does himself.
#[derive(Default)]
struct Signal(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: Option<Waker>,
    /// There was a wake while nobody waited.
    missed: bool,
}

impl Signal {
    fn awake(&self) {
        // Dropped after the lock is given back.
        let _was = std::mem::take(&mut *self.lock());
    }

    fn sleep(&self, waker: &Waker) {
        {
            let mut state = self.lock();
            if !state.missed {
                state.waiting = Some(waker.clone());
                return;
            }
        }
        waker.wake_by_ref();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A clone that panics under the lock leaves nobody waiting.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let waiting = {
            let mut state = self.lock();
            state.missed = state.waiting.is_none();
            state.waiting.take()
        };
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A connection that wakes itself in every turn, who waits for it, and how often he was woken.
    fn restless() -> (Driver, Waker, Arc<Count>) {
        let io = poll_fn(|cx| {
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        let count = Arc::new(Count::default());
        (Driver::new(io), Waker::from(Arc::clone(&count)), count)
    }

    fn woken(count: &Count) -> usize {
        count.0.swap(0, Ordering::Relaxed)
    }

    #[test]
    fn who_gets_what_he_waits_for_is_not_woken() {
        let (mut driver, waker, count) = restless();
        let cx = Context::from_waker(&waker);
        for _ in 0..2 {
            assert!(driver.poll(&cx, |_| Poll::Ready(())).is_ready());
            assert!(driver.poll_after(&cx, |_| Poll::Ready(())).is_ready());
        }
        driver.waker.wake_by_ref();
        assert_eq!(woken(&count), 0);
    }

    #[test]
    fn a_wake_that_came_meanwhile_is_not_lost() {
        let (mut driver, waker, count) = restless();
        let cx = Context::from_waker(&waker);
        assert!(driver.poll(&cx, |_| Poll::<()>::Pending).is_pending());
        assert_eq!(woken(&count), 1);
        assert!(driver.poll_after(&cx, |_| Poll::<()>::Pending).is_pending());
        assert_eq!(woken(&count), 1);
    }

    #[test]
    fn the_last_who_waits_is_woken_once() {
        let mut driver = Driver::new(std::future::pending());
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        for count in &counts {
            let waker = Waker::from(Arc::clone(count));
            assert!(driver.poll(&Context::from_waker(&waker), |_| Poll::<()>::Pending).is_pending());
        }
        driver.waker.wake_by_ref();
        driver.waker.wake_by_ref();
        assert_eq!(counts.map(|count| woken(&count)), [0, 1]);
    }

    #[test]
    fn a_connection_that_is_over_is_not_polled_again() {
        let mut driver = Driver::new(std::future::ready(Ok(())));
        let cx = Context::from_waker(Waker::noop());
        for _ in 0..2 {
            assert!(driver.poll(&cx, |_| Poll::<()>::Pending).is_pending());
            assert!(driver.is_over());
        }
    }
}
