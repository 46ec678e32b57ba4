use std::{future::Future, pin::Pin};

use tokio::task::JoinHandle;

/// Starts a task of a transport, or of what drives one, on the runtime of the caller: [`tokio::spawn`], compiled once.
/// By that alone each crate compiles the machinery of a task again, for each kind of runtime.
///
/// # Panics
/// Outside a tokio runtime.
pub fn spawn(task: Pin<Box<dyn Future<Output = ()> + Send>>) -> JoinHandle<()> {
    tokio::spawn(task)
}
