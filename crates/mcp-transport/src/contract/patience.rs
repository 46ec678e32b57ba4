use std::{future::Future, pin::pin, time::Duration};

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
    let real = std::time::Instant::now();
    let began = tokio::time::Instant::now();
    loop {
        if let Ok(output) = tokio::time::timeout(REAL_LIMIT, future.as_mut()).await {
            return Some(output);
        }
        // A clock that runs ahead of the real one is a paused one.
        if real.elapsed() >= REAL_LIMIT / 2 || began.elapsed() >= VIRTUAL_LIMIT {
            return None;
        }
    }
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
}
