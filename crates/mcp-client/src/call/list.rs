use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt,
    future::{Future, IntoFuture, poll_fn},
    marker::PhantomData,
    ops::Deref,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_core::Stream;
use mcp_types::{Cursor, List, PaginatedRequestParams, Rejected, Request, extensions::skills};

use super::{
    Call, CallOptions, RawCall, Reply, encode,
    perform::{RawFuture, reply_to},
};
use crate::{
    Client, Error, Result,
    builder::defaults,
    catalogue::ToolPages,
    error::{Cause, Limit},
    task::{Later, within},
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
    method: PhantomData<fn() -> R>,
}

impl<R: Paged> ListCall<R> {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, timeout: None, total: None, max_pages: defaults::MAX_PAGES, method: PhantomData }
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
        let call = Call::new(self.client.clone(), at(cursor));
        match self.timeout {
            Some(limit) => call.timeout(limit),
            None => call,
        }
    }

    /// The items, page after page, as they are asked for.
    pub fn stream(self) -> PageStream<R> {
        PageStream { pages: self.pages(), items: VecDeque::new(), rejected: Vec::new(), method: PhantomData }
    }

    fn pages(self) -> Pages {
        let mut options = CallOptions::of(self.client, R::METHOD);
        options.idle = self.timeout.unwrap_or(options.idle);
        Pages { options, method: R::METHOD, state: PageState::Next(None), read: 0, most: self.max_pages }
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
        let mut listing = Listing { items: Vec::new(), rejected: Vec::new() };
        let mut take = |pages: &mut Pages, page| {
            let (items, rejected) = pages.take::<R>(page)?;
            if listing.items.is_empty() {
                listing.items = items;
            } else {
                listing.items.extend(items);
            }
            listing.rejected.extend(rejected);
            Ok(())
        };
        self.pages().walk(limit, &mut take).await?;
        Ok(listing)
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
    pages: Pages,
    items: VecDeque<R::Item>,
    rejected: Vec<Rejected>,
    method: PhantomData<fn() -> R>,
}

/// The pages of a list as they come. Not generic, so that it is compiled once.
struct Pages {
    options: CallOptions,
    method: &'static str,
    state: PageState,
    read: usize,
    most: usize,
}

enum PageState {
    /// The page at this cursor is to be asked for.
    Next(Option<Cursor>),
    Reading(Box<RawFuture>),
    End,
}

impl Pages {
    /// The next page; `None` behind the last one. Who takes a page says where the next one begins, by `state`.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        if let PageState::Next(cursor) = &mut self.state {
            if self.read >= self.most {
                self.state = PageState::End;
                return Poll::Ready(Some(Err(Error::new(Cause::TooManyPages(self.most)))));
            }
            self.read += 1;
            let params = encode(&at(cursor.take()));
            let call = RawCall { method: Cow::Borrowed(self.method), params, options: self.options.clone() };
            self.state = PageState::Reading(Box::new(RawFuture::plain(call)));
        }
        let PageState::Reading(page) = &mut self.state else { return Poll::Ready(None) };
        let Poll::Ready(page) = page.poll(cx) else { return Poll::Pending };
        self.state = PageState::End;
        Poll::Ready(Some(page))
    }

    /// Decodes a page, and goes on to the next one.
    fn take<R: Paged>(&mut self, page: Bytes) -> Result<(Vec<R::Item>, Vec<Rejected>)> {
        let tools = ToolPages::on::<R>(&self.options.client, self.read == 1);
        let page = reply_to::<R>(page, tools.as_ref())?;
        let (items, next) = R::take(Reply::into_inner(page));
        self.state = next.map_or(PageState::End, |cursor| PageState::Next(Some(cursor)));
        Ok(items.into_parts())
    }

    /// Gives every page to `take`, within `limit`.
    fn walk(mut self, limit: Duration, take: TakePage<'_>) -> Later<'_, Result<()>> {
        Box::pin(async move {
            let mut failure = Some(Error::new(Cause::Timeout(Limit::Total(limit))).sent(true));
            let method = Cow::Borrowed(self.method);
            let walk = async {
                failure = loop {
                    let page = poll_fn(|cx| self.poll(cx)).await;
                    match page.map(|page| page.and_then(|page| take(&mut self, page))) {
                        Some(Ok(())) => {}
                        Some(Err(error)) => break Some(error),
                        None => break None,
                    }
                };
            };
            within(limit, pin!(walk)).await;
            failure.map_or(Ok(()), |error| Err(error.of_method(&method)))
        })
    }
}

type TakePage<'a> = &'a mut (dyn FnMut(&mut Pages, Bytes) -> Result<()> + Send);

fn at(cursor: Option<Cursor>) -> PaginatedRequestParams {
    let mut params = PaginatedRequestParams::new();
    params.cursor = cursor;
    params
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
            let page = match self.pages.poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(page)) => page,
            };
            let (items, rejected) = match page.and_then(|page| self.pages.take::<R>(page)) {
                Ok(taken) => taken,
                Err(error) => return Poll::Ready(Some(Err(error.of_method(&Cow::Borrowed(R::METHOD))))),
            };
            self.items = items.into();
            self.rejected.extend(rejected);
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
            .field("pages", &self.pages.read)
            .finish_non_exhaustive()
    }
}
