use std::{future::Future, pin::pin, time::Duration};

use tokio::time::Instant;

/// How long [`patiently`] waits on a real clock.
pub const REAL_LIMIT: Duration = Duration::from_secs(10);

/// How long [`patiently`] waits on a paused clock, in virtual time.
pub const VIRTUAL_LIMIT: Duration = Duration::from_secs(3600);

/// Waits for `future`, but not for ever: `None` after [`REAL_LIMIT`], or [`VIRTUAL_LIMIT`] on a paused clock.
///
/// A paused clock jumps over every wait of the code under test, so its limit has to be longer than any deadline of
/// that code, while a test on a real clock should fail soon. Needs a tokio runtime with time.
pub async fn patiently<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let began = Instant::now();
    loop {
        if let Ok(output) = tokio::time::timeout(REAL_LIMIT, future.as_mut()).await {
            return Some(output);
        }
        if !clock_is_paused() || began.elapsed() >= VIRTUAL_LIMIT {
            return None;
        }
    }
}

/// A paused clock stands still while code runs.
fn clock_is_paused() -> bool {
    let before = Instant::now();
    std::thread::sleep(Duration::from_micros(50));
    before.elapsed().is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn on_a_paused_clock_it_outlasts_the_deadlines_of_the_code_under_test() {
        let slow = tokio::time::sleep(Duration::from_secs(600));
        assert_eq!(patiently(slow).await, Some(()));
        assert_eq!(patiently(std::future::pending::<()>()).await, None);
    }

    #[tokio::test]
    async fn a_clock_that_runs_is_told_from_a_paused_one() {
        assert!(!clock_is_paused());
        tokio::time::pause();
        assert!(clock_is_paused());
    }
}
