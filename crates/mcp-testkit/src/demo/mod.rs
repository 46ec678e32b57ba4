//! A demo server of every revision: small tools, resources and prompts, over any link, standard streams, or HTTP.
//!
//! It stands on the protocol core that the client stands on, and holds itself to the revision that it speaks: no client
//! is sent a member, a kind of content or a method that its revision does not have.
//!
//! | | |
//! |---|---|
//! | tools | `echo`, `add`, `slow` (progress, log messages, cancellation), `greet` (asks the user), `bump` (changes a resource), `disconnect` (ends the connection in mid-call), `contents` (every kind of content), `fail`, `fail_protocol` |
//! | resources | `demo:///readme.md` (text), `demo:///pixel.png` (bytes), `demo:///counter` (changes), the template `demo:///squares/{number}` |
//! | prompts | `hello`, `review` |
//! | besides | completion, pagination, log levels, subscriptions to the counter in the way of each era |
//!
//! A request that carries the metadata of a modern request is served by itself; `initialize` opens a session of the
//! legacy era. One process serves both. Section:
//! [Backward Compatibility](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions).
//!
//! ```
//! // For `Client::connect`: each connection gets a server of its own, in this process.
//! let server = mcp_testkit::demo::in_process();
//! ```
//!
//! Over HTTP it listens on loopback alone, and refuses requests that a page of another machine sent:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let server = mcp_testkit::demo::bind_http("127.0.0.1:0").await?;
//! println!("{}", server.url());
//! server.shutdown().await;
//! # std::io::Result::Ok(()) }).unwrap();
//! ```
//!
//! Deliberately absent: input that is no message is ignored, not answered; tasks, sampling and roots; lists that change; over HTTP,
//! authorization.

mod caller;
mod completion;
mod counter;
mod era;
mod http;
mod methods;
mod page;
mod prompts;
mod resources;
mod server;
#[cfg(test)]
mod tests;
mod tools;

use std::io;

use mcp_transport::{Connect, Link, TransportError, connect_fn, memory};
use mcp_types::{Era, ErrorCode, Revision};
use tokio::net::ToSocketAddrs;

pub use http::DemoHttp;

/// Serves one client over `link`, until the client ends it. See [`Demo::serve`].
///
/// # Errors
/// When reading or writing fails.
pub async fn serve(link: Link) -> Result<(), TransportError> {
    Demo::new().serve(link).await
}

/// Connects to demo servers in this process, each connection to one of its own. See [`Demo::in_process`].
pub fn in_process() -> impl Connect {
    Demo::new().in_process()
}

/// Serves one client over the standard streams of this process. See [`Demo::serve_stdio`].
///
/// # Errors
/// When reading or writing fails.
pub async fn serve_stdio() -> Result<(), TransportError> {
    Demo::new().serve_stdio().await
}

/// Listens on `address`. See [`Demo::bind_http`].
///
/// # Errors
/// As [`Demo::bind_http`].
pub async fn bind_http(address: impl ToSocketAddrs) -> io::Result<DemoHttp> {
    Demo::new().bind_http(address).await
}

/// A demo server that is not yet running, with what tests may want otherwise.
#[derive(Debug, Clone)]
pub struct Demo {
    /// Newest first.
    revisions: Vec<Revision>,
    discover: Discover,
    page_size: usize,
    streamed: bool,
}

/// What becomes of `server/discover`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Discover {
    /// It is answered as the revisions say: with a result, or by a server of the legacy era alone with -32601.
    Answered,
    /// It is refused with this code.
    Refused(ErrorCode),
    /// It is never answered.
    Ignored,
}

impl Demo {
    /// How many elements a page of a list has, unless it is set: few, so that clients must turn pages.
    pub const DEFAULT_PAGE_SIZE: usize = 3;

    /// A server of every revision.
    pub fn new() -> Self {
        Self::of_revisions(Revision::ALL)
    }

    /// A server of these revisions alone, of one era or of both.
    pub fn of_revisions(revisions: impl IntoIterator<Item = Revision>) -> Self {
        let mut revisions: Vec<_> = revisions.into_iter().collect();
        revisions.sort_unstable_by(|a, b| b.cmp(a));
        Self { revisions, discover: Discover::Answered, page_size: Self::DEFAULT_PAGE_SIZE, streamed: false }
    }

    /// A server of the modern era alone.
    pub fn modern() -> Self {
        Self::of_era(Era::Modern)
    }

    /// A server of the legacy era alone.
    pub fn legacy() -> Self {
        Self::of_era(Era::Legacy)
    }

    fn of_era(era: Era) -> Self {
        Self::of_revisions(Revision::ALL.into_iter().filter(|revision| revision.era() == era))
    }

    /// What becomes of `server/discover`.
    pub fn discover(mut self, discover: Discover) -> Self {
        self.discover = discover;
        self
    }

    /// How many elements a page of a list has. At least 1.
    pub fn page_size(mut self, size: usize) -> Self {
        self.page_size = size.max(1);
        self
    }

    /// Over HTTP, answers every request with a stream of events: otherwise only those do that have more to say than a
    /// reply.
    pub fn streamed(mut self, streamed: bool) -> Self {
        self.streamed = streamed;
        self
    }

    /// Serves one client over `link`, until the client ends it. Calls that are still open then are given up; replies
    /// that wait to be sent are sent, if the client takes them within a second.
    ///
    /// Dropping the future ends everything at once.
    ///
    /// # Errors
    /// When reading or writing fails.
    pub async fn serve(self, link: Link) -> Result<(), TransportError> {
        server::run(self, server::Surroundings::default(), link).await
    }

    /// Connects to servers like this in this process, each connection to one of its own. Needs a tokio runtime.
    pub fn in_process(self) -> impl Connect {
        connect_fn(move || {
            let demo = self.clone();
            async move {
                let (near, far) = memory::pair();
                tokio::spawn(demo.serve(far));
                Ok(near)
            }
        })
    }

    /// Serves one client over the standard streams of this process, until its standard input ends.
    ///
    /// After an error the runtime may not shut down before standard input ends: reading it cannot be interrupted.
    ///
    /// # Errors
    /// When reading or writing fails.
    pub async fn serve_stdio(self) -> Result<(), TransportError> {
        self.serve(mcp_transport_stdio::pipe(tokio::io::stdin(), tokio::io::stdout())).await
    }

    /// Serves clients over Streamable HTTP, and over HTTP+SSE, on `address`, which must be of the loopback interface; port 0 is a free one.
    /// Needs a tokio runtime, on which the server runs until it is shut down or dropped.
    ///
    /// Requests whose `Host` or `Origin` is not this machine are refused with 403; nobody is asked who they are.
    ///
    /// # Errors
    /// When it cannot listen there; of the kind `InvalidInput`, when other machines could reach it.
    pub async fn bind_http(self, address: impl ToSocketAddrs) -> io::Result<DemoHttp> {
        DemoHttp::bind(self, address).await
    }

    /// The newest revision of `era` that is served.
    fn newest(&self, era: Era) -> Option<Revision> {
        self.revisions.iter().copied().find(|revision| revision.era() == era)
    }
}

impl Default for Demo {
    fn default() -> Self {
        Self::new()
    }
}
