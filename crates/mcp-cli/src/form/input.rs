//! Lines from the terminal, read by a thread of its own: a read of a terminal cannot be interrupted.

use std::{
    io::{self, BufRead},
    sync::OnceLock,
    thread,
};

use tokio::sync::{Mutex, mpsc};

/// The next line; `None` at the end. Cancel-safe.
pub(super) async fn line() -> Option<String> {
    static LINES: OnceLock<Mutex<mpsc::UnboundedReceiver<String>>> = OnceLock::new();
    LINES.get_or_init(|| Mutex::new(start())).lock().await.recv().await
}

fn start() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    // It ends with the process.
    let _detached = thread::Builder::new().name("terminal".into()).spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
