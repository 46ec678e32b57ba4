//! What ends a verb from outside: its deadline, Ctrl-C, SIGTERM.

use std::{future::pending, io, time::Duration};

use tokio::{sync::watch, time::Instant};

use crate::failure::{Failure, Status};

/// The deadline and the interrupts of one run.
#[derive(Debug)]
pub(crate) struct Stop {
    limit: Option<(Duration, Instant)>,
    /// How many interrupts there were.
    interrupts: watch::Receiver<u32>,
    /// How many of them have been told.
    told: u32,
}

impl Stop {
    /// Begins to listen, and starts the clock.
    pub(crate) fn new(limit: Option<Duration>) -> Result<Self, Failure> {
        let (sender, interrupts) = watch::channel(0);
        listen(sender).map_err(|error| {
            Failure::new(Status::Transport, format!("signals cannot be listened to: {error}"))
        })?;
        Ok(Self { limit: limit.map(|limit| (limit, Instant::now() + limit)), interrupts, told: 0 })
    }

    /// The deadline or the next interrupt. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> Failure {
        let limit = self.limit;
        tokio::select! {
            () = self.interrupted() => Failure::new(Status::Deadline, "interrupted"),
            failure = deadline(limit) => failure,
        }
    }

    /// The next interrupt. Cancel-safe.
    pub(crate) async fn interrupted(&mut self) {
        let told = self.told;
        match self.interrupts.wait_for(|count| *count > told).await {
            Ok(count) => self.told = *count,
            Err(_) => pending().await,
        }
    }
}

async fn deadline(limit: Option<(Duration, Instant)>) -> Failure {
    match limit {
        Some((limit, at)) => {
            tokio::time::sleep_until(at).await;
            Failure::new(Status::Deadline, format!("not finished within {limit:?} (--timeout)"))
        }
        None => pending().await,
    }
}

#[cfg(unix)]
fn listen(sender: watch::Sender<u32>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            sender.send_modify(|count| *count += 1);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn listen(sender: watch::Sender<u32>) -> io::Result<()> {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            sender.send_modify(|count| *count += 1);
        }
    });
    Ok(())
}
