use std::{future::Future, sync::Mutex};

use crate::{Connect, Delivery, Link, TransportError, TransportErrorKind};

/// Hands out one link that is there already, once; then [`TransportErrorKind::NotRepeatable`].
pub struct Single {
    link: Mutex<Option<Link>>,
    label: String,
}

impl Single {
    /// Hands out `link`.
    pub fn new(link: Link) -> Self {
        Self { link: Mutex::new(Some(link)), label: String::from("server") }
    }

    /// The same with a label for errors and logs; see [`Connect::label`].
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

impl From<Link> for Single {
    fn from(link: Link) -> Self {
        Self::new(link)
    }
}

impl Connect for Single {
    async fn connect(&self) -> Result<Link, TransportError> {
        // A poisoned lock still holds a link or none: taking it is all that happens under it.
        let mut link = self.link.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        link.take().ok_or_else(|| {
            TransportError::new(
                TransportErrorKind::NotRepeatable,
                Delivery::NeverSent,
                "the only link there is was handed out before",
            )
        })
    }

    fn repeatable(&self) -> bool {
        false
    }

    fn label(&self) -> String {
        self.label.clone()
    }
}

/// Connects by calling `make` each time. Made by [`connect_fn`].
pub struct ConnectFn<F> {
    make: F,
    label: String,
}

/// Connects by calling `make`, each time for a new link.
///
/// ```
/// use mcp_transport::{Link, connect_fn, memory};
///
/// async fn serve(link: Link) { /* a server in the same process */ }
///
/// let connect = connect_fn(|| async {
///     let (client, server) = memory::pair();
///     tokio::spawn(serve(server));
///     Ok(client)
/// });
/// ```
pub fn connect_fn<F, Fut>(make: F) -> ConnectFn<F>
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Link, TransportError>> + Send,
{
    ConnectFn { make, label: String::from("server") }
}

impl<F> ConnectFn<F> {
    /// The same with a label for errors and logs; see [`Connect::label`].
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

impl<F, Fut> Connect for ConnectFn<F>
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Link, TransportError>> + Send,
{
    async fn connect(&self) -> Result<Link, TransportError> {
        (self.make)().await
    }

    fn label(&self) -> String {
        self.label.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory;

    #[tokio::test]
    async fn a_single_link_is_handed_out_once() {
        let single = Single::new(memory::pair().0).with_label("this process");
        assert!(!single.repeatable());
        assert_eq!(single.label(), "this process");
        drop(single.connect());
        single.connect().await.expect("a future never polled took nothing");
        let error = single.connect().await.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::NotRepeatable);
        assert_eq!(error.delivery(), Delivery::NeverSent);
    }

    #[tokio::test]
    async fn a_closure_connects_each_time() {
        let connect = connect_fn(|| async { Ok(memory::pair().0) });
        assert!(connect.repeatable());
        for _ in 0..2 {
            connect.connect().await.unwrap();
        }
    }
}
