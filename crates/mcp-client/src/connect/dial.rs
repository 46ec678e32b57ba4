use std::pin::Pin;

use mcp_transport::{Connect, Link, TransportError};

use crate::session::{MakeExchanging, exchanging};

/// A [`Connect`] without its type.
pub(crate) trait Dial: Send + Sync {
    fn dial(&self) -> Pin<Box<dyn Future<Output = Result<Link, TransportError>> + Send + '_>>;
    fn repeatable(&self) -> bool;
    fn label(&self) -> String;
    fn origin(&self) -> Option<String>;
    fn exchanging(&self) -> Option<MakeExchanging>;
}

impl<T: Connect> Dial for T {
    fn dial(&self) -> Pin<Box<dyn Future<Output = Result<Link, TransportError>> + Send + '_>> {
        Box::pin(self.connect())
    }

    fn repeatable(&self) -> bool {
        Connect::repeatable(self)
    }

    fn label(&self) -> String {
        Connect::label(self)
    }

    fn origin(&self) -> Option<String> {
        Connect::origin(self)
    }

    fn exchanging(&self) -> Option<MakeExchanging> {
        if T::EXCHANGES { Some(exchanging) } else { None }
    }
}
