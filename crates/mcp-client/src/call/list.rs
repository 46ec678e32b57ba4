use std::{
    collections::VecDeque,
    fmt,
    future::{Future, IntoFuture, poll_fn},
    ops::Deref,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use mcp_types::{Cursor, List, PaginatedRequestParams, Rejected, Request, extensions::skills};

use super::{Call, CallFuture, Reply};
use crate::{
    Client, Error, Result,
    builder::defaults,
    error::{Cause, Limit},
};

/// A request that lists something page by page: those of the specification, and your own with [`Client::list`].
///
/// Section: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
pub trait Paged: Request<Params = PaginatedRequestParams> {
    /// What is listed.
    type Item: Send + Unpin + 'static;
    /// Takes a page apart: its items, and where the next page begins.
    fn take(page: Self::Result) -> (List<Self::Item>, Option<Cursor>);
}

macro_rules! paged {
    ($($request:ident: $items:ident of $item:ident;)*) => {$(
        impl Paged for mcp_types::$request {
            type Item = mcp_types::$item;

            fn take(page: Self::Result) -> (List<Self::Item>, Option<Cursor>) {
                (page.$items, page.next_cursor)
            }
        }
    )*};
}

paged! {
    ListToolsRequest: tools of Tool;
    ListResourcesRequest: resources of Resource;
    ListResourceTemplatesRequest: resource_templates of ResourceTemplate;
    ListPromptsRequest: prompts of Prompt;
}

impl Paged for skills::ListSkillsRequest {
    type Item = skills::Skill;

    fn take(page: Self::Result) -> (List<Self::Item>, Option<Cursor>) {
        (page.skills, page.next_cursor)
    }
}

/// A listing to be read: one page, as a stream, or all of it.
#[must_use = "nothing is listed before `page`, `stream` or `all`"]
pub struct ListCall<R> {
    client: Client,
    timeout: Option<Duration>,
    total: Option<Duration>,
    max_pages: usize,
    method: std::marker::PhantomData<fn() -> R>,
}

impl<R: Paged> ListCall<R> {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            timeout: None,
            total: None,
            max_pages: defaults::MAX_PAGES,
            method: std::marker::PhantomData,
        }
    }

    /// How long each page may take. Default: the metadata limit of the client.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// How long [`all`](Self::all) may take, over all pages. Default: the total limit of the client.
    pub fn total(mut self, limit: Duration) -> Self {
        self.total = Some(limit);
        self
    }

    /// How many pages are read before the walk fails. Default: [`defaults::MAX_PAGES`].
    pub fn max_pages(mut self, limit: usize) -> Self {
        self.max_pages = limit;
        self
    }

    /// One page: the first, or the one at `cursor`. Cursors are opaque; an empty one is one too.
    pub fn page(&self, cursor: Option<Cursor>) -> Call<R> {
        let mut params = PaginatedRequestParams::new();
        params.cursor = cursor;
        let call = Call::new(self.client.clone(), params);
        match self.timeout {
            Some(limit) => call.timeout(limit),
            None => call,
        }
    }

    /// The items, page after page, as they are asked for.
    pub fn stream(self) -> PageStream<R> {
        PageStream {
            state: PageState::Next(None),
            list: self,
            pages: 0,
            items: VecDeque::new(),
            rejected: Vec::new(),
        }
    }

    /// Every item. A server that never ends its list ends at the page limit.
    ///
    /// Cancel-safe: dropping the future cancels the page that is read.
    ///
    /// # Errors
    /// When a page fails, the page limit or the deadline is reached. Items read before are lost then: to have those,
    /// use [`stream`](Self::stream).
    pub async fn all(self) -> Result<Listing<R::Item>> {
        let limit = self.total.unwrap_or(self.client.0.options.total_timeout);
        let mut stream = self.stream();
        let walk = async {
            let mut items = Vec::new();
            while let Some(item) = stream.next().await {
                items.push(item?);
            }
            Ok(items)
        };
        let items = match tokio::time::timeout(limit, walk).await {
            Ok(items) => items?,
            Err(_) => {
                return Err(Error::new(Cause::Timeout(Limit::Total(limit)))
                    .of_method(&R::METHOD.into())
                    .sent(true));
            }
        };
        Ok(Listing { items, rejected: stream.rejected })
    }
}

/// Awaiting a listing reads [`all`](ListCall::all) of it.
impl<R: Paged> IntoFuture for ListCall<R> {
    type Output = Result<Listing<R::Item>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.all())
    }
}

/// A complete listing. Reads like a slice of its items.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The items, in the server's order.
    pub items: Vec<T>,
    /// Items that could not be decoded, and tools that cannot be called here: see [`Client::list_tools`]. The index is that
    /// in their page.
    pub rejected: Vec<Rejected>,
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<'a, T> IntoIterator for &'a Listing<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// The items of a list, read page by page. After an error it ends.
pub struct PageStream<R: Paged> {
    list: ListCall<R>,
    state: PageState<R>,
    pages: usize,
    items: VecDeque<R::Item>,
    rejected: Vec<Rejected>,
}

enum PageState<R: Paged> {
    /// The page at this cursor is to be asked for.
    Next(Option<Cursor>),
    Reading(Box<CallFuture<R>>),
    End,
}

impl<R: Paged> PageStream<R> {
    /// The next item; `None` at the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<R::Item>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Items so far that are left out, as in [`Listing::rejected`].
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<R::Item>>> {
        loop {
            if let Some(item) = self.items.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            match &mut self.state {
                PageState::End => return Poll::Ready(None),
                PageState::Next(_) if self.pages >= self.list.max_pages => {
                    self.state = PageState::End;
                    let error = Error::new(Cause::TooManyPages(self.list.max_pages));
                    return Poll::Ready(Some(Err(error.of_method(&R::METHOD.into()))));
                }
                PageState::Next(cursor) => {
                    self.pages += 1;
                    let cursor = cursor.take();
                    self.state = PageState::Reading(Box::new(self.list.page(cursor).into_future()));
                }
                PageState::Reading(page) => {
                    let page = match Pin::new(page).poll(cx) {
                        Poll::Pending => return Poll::Pending,
                        Poll::Ready(Ok(page)) => page,
                        Poll::Ready(Err(error)) => {
                            self.state = PageState::End;
                            return Poll::Ready(Some(Err(error)));
                        }
                    };
                    let (items, next) = R::take(Reply::into_inner(page));
                    let (items, rejected) = items.into_parts();
                    self.items = items.into();
                    self.rejected.extend(rejected);
                    self.state = next.map_or(PageState::End, |cursor| PageState::Next(Some(cursor)));
                }
            }
        }
    }
}

impl<R: Paged> Stream for PageStream<R> {
    type Item = Result<R::Item>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl<R: Paged> fmt::Debug for ListCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ListCall({})", R::METHOD)
    }
}

impl<R: Paged> fmt::Debug for PageStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageStream")
            .field("method", &R::METHOD)
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}
