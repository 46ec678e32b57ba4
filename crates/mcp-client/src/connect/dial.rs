use std::pin::Pin;

use mcp_transport::{Connect, Link, TransportError};

use crate::{
    call::{Mend, mend},
    session::{MakeExchanging, make_exchanging},
};

/// A [`Connect`] without its type.
pub(crate) trait Dial: Send + Sync {
    fn dial(&self) -> Pin<Box<dyn Future<Output = Result<Link, TransportError>> + Send + '_>>;
    fn repeatable(&self) -> bool;
    fn label(&self) -> String;
    fn origin(&self) -> Option<String>;
    /// What runs exchanges, where there are any.
    fn make_exchanging(&self) -> Option<MakeExchanging>;
    /// What mends header fields, where they reach the server.
    fn mend(&self) -> Option<Mend>;
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

    fn make_exchanging(&self) -> Option<MakeExchanging> {
        if T::EXCHANGES { Some(make_exchanging) } else { None }
    }

    fn mend(&self) -> Option<Mend> {
        if T::EXCHANGES { Some(mend) } else { None }
    }
}
