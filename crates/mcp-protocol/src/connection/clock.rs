use std::time::{Duration, Instant};

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadlines {
    /// The longest time without a sign of life. `None`: no limit.
    pub idle: Option<Duration>,
    /// The longest time in total. `None`: no limit.
    pub total: Option<Duration>,
    /// Whether progress is a sign of life. It never extends `total`.
    pub extend_on_progress: bool,
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expired {
    /// [`Deadlines::idle`].
    Idle(Duration),
    /// [`Deadlines::total`].
    Total(Duration),
}

/// The running deadlines of one call.
#[derive(Debug)]
pub(super) struct Clock {
    deadlines: Deadlines,
    idle_at: Option<Instant>,
    total_at: Option<Instant>,
    paused: Option<Pause>,
}

#[derive(Debug)]
struct Pause {
    since: Instant,
    depth: u32,
}

impl Clock {
    pub(super) fn start(now: Instant, deadlines: Deadlines) -> Self {
        let at = |limit: Option<Duration>| limit.and_then(|limit| now.checked_add(limit));
        Self { deadlines, idle_at: at(deadlines.idle), total_at: at(deadlines.total), paused: None }
    }

    pub(super) fn unlimited() -> Self {
        Self { deadlines: Deadlines::default(), idle_at: None, total_at: None, paused: None }
    }

    /// When the first limit is reached; `None` while paused or without limits.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.paused.is_some() {
            return None;
        }
        match (self.idle_at, self.total_at) {
            (Some(idle), Some(total)) => Some(idle.min(total)),
            (idle, total) => idle.or(total),
        }
    }

    pub(super) fn expired(&self, now: Instant) -> Option<Expired> {
        if self.paused.is_some() {
            return None;
        }
        let passed = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if passed(self.total_at) {
            self.deadlines.total.map(Expired::Total)
        } else if passed(self.idle_at) {
            self.deadlines.idle.map(Expired::Idle)
        } else {
            None
        }
    }

    pub(super) fn progress(&mut self, now: Instant) {
        if self.deadlines.extend_on_progress {
            // While paused the idle limit counts from the pause on: resuming adds the time that it stood still.
            let from = self.paused.as_ref().map_or(now, |pause| pause.since);
            self.idle_at = self.deadlines.idle.and_then(|idle| from.checked_add(idle));
        }
    }

    pub(super) fn pause(&mut self, now: Instant) {
        self.paused.get_or_insert(Pause { since: now, depth: 0 }).depth += 1;
    }

    pub(super) fn resume(&mut self, now: Instant) {
        let Some(pause) = &mut self.paused else { return };
        pause.depth -= 1;
        if pause.depth == 0 {
            let stood = now.saturating_duration_since(pause.since);
            for at in [&mut self.idle_at, &mut self.total_at] {
                *at = at.and_then(|at| at.checked_add(stood));
            }
            self.paused = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn progress_extends_idle_but_never_total() {
        let start = Instant::now();
        let deadlines = Deadlines { idle: Some(secs(3)), total: Some(secs(10)), extend_on_progress: true };
        let mut clock = Clock::start(start, deadlines);
        for second in 1..10 {
            assert_eq!(clock.expired(start + secs(second)), None);
            clock.progress(start + secs(second));
        }
        assert_eq!(clock.due(), Some(start + secs(10)));
        assert_eq!(clock.expired(start + secs(10)), Some(Expired::Total(secs(10))));

        let mut clock = Clock::start(start, Deadlines { extend_on_progress: false, ..deadlines });
        clock.progress(start + secs(2));
        assert_eq!(clock.expired(start + secs(3)), Some(Expired::Idle(secs(3))));
    }

    #[test]
    fn a_paused_clock_stands_still() {
        let start = Instant::now();
        let deadlines = Deadlines { idle: Some(secs(3)), total: Some(secs(10)), extend_on_progress: true };
        let mut clock = Clock::start(start, deadlines);
        clock.pause(start + secs(2));
        clock.pause(start + secs(4));
        clock.resume(start + secs(100));
        assert_eq!((clock.due(), clock.expired(start + secs(500))), (None, None));
        clock.progress(start + secs(101));
        clock.resume(start + secs(102));
        assert_eq!(clock.due(), Some(start + secs(105)));
        assert_eq!(clock.expired(start + secs(105)), Some(Expired::Idle(secs(3))));
        clock.progress(start + secs(104));
        assert_eq!(clock.due(), Some(start + secs(107)));
        clock.progress(start + secs(109));
        assert_eq!(clock.expired(start + secs(110)), Some(Expired::Total(secs(10))));
    }

    #[test]
    fn limits_beyond_the_end_of_time_are_no_limits() {
        let deadlines = Deadlines { idle: Some(Duration::MAX), total: None, extend_on_progress: false };
        assert_eq!(Clock::start(Instant::now(), deadlines).due(), None);
    }
}
