use std::pin::Pin;

/// What every task of a client is, so that the runtime's code for tasks is compiled once.
pub(crate) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(crate) fn boxed(task: impl Future<Output = ()> + Send + 'static) -> Task {
    Box::pin(task)
}
