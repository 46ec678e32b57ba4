use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bench_kit::{Era, Failure, Options};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    http::Http,
    pipe::Pipe,
    wire::{
        CallParams, CallResult, Capabilities, Implementation, InitializeParams, ListParams, Meta, Progress,
    },
};

/// Called for every report of progress of one call.
pub(crate) type Handler = Box<dyn FnMut(Progress) + Send>;

pub(crate) struct Connection {
    link: Link,
    last: AtomicU64,
    legacy: bool,
}

enum Link {
    Pipe(Pipe),
    Http(Http),
}

const CLIENT: Implementation = Implementation { name: "bench", version: "1" };

impl Connection {
    pub(crate) fn start(options: &Options) -> Result<Self, Failure> {
        let legacy = options.era == Era::Legacy;
        let link = match &options.url {
            Some(url) => Link::Http(Http::new(url, legacy)?),
            None => Link::Pipe(Pipe::start(options)?),
        };
        Ok(Self { link, last: AtomicU64::new(0), legacy })
    }

    pub(crate) async fn initialize(&self) -> Result<(), Failure> {
        let params = InitializeParams {
            protocol_version: "2025-11-25",
            capabilities: Capabilities {},
            client_info: CLIENT,
        };
        self.request("initialize", &params).await?;
        let (method, params) = ("notifications/initialized", Capabilities {});
        match &self.link {
            Link::Pipe(pipe) => pipe.send(None, method, &params),
            Link::Http(http) => http.notify(method, &params).await,
        }
    }

    pub(crate) async fn discover(&self) -> Result<(), Failure> {
        let params = ListParams { cursor: None, meta: self.meta(None) };
        self.request("server/discover", &params).await.map(drop)
    }

    pub(crate) fn meta(&self, progress_token: Option<u64>) -> Option<Meta> {
        let modern = !self.legacy;
        (modern || progress_token.is_some()).then_some(Meta {
            progress_token,
            version: modern.then_some("2026-07-28"),
            client_info: modern.then_some(CLIENT),
            capabilities: modern.then_some(Capabilities {}),
        })
    }

    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: &impl Serialize,
    ) -> Result<CallResult, Failure> {
        let id = self.id();
        let params = CallParams { name, arguments, meta: self.meta(None) };
        decode(&self.exchange(id, "tools/call", Some(name), &params, None).await?)
    }

    pub(crate) async fn call_with_progress(
        &self,
        name: &str,
        arguments: &impl Serialize,
        handler: Handler,
    ) -> Result<CallResult, Failure> {
        let id = self.id();
        let params = CallParams { name, arguments, meta: self.meta(Some(id)) };
        decode(&self.exchange(id, "tools/call", Some(name), &params, Some(handler)).await?)
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Box<RawValue>, Failure> {
        self.exchange(self.id(), method, None, params, None).await
    }

    pub(crate) async fn close(self) {
        if let Link::Pipe(pipe) = self.link {
            pipe.close().await;
        }
    }

    fn id(&self) -> u64 {
        self.last.fetch_add(1, Relaxed) + 1
    }

    /// `name`: what the request is about, for header fields.
    async fn exchange(
        &self,
        id: u64,
        method: &str,
        name: Option<&str>,
        params: &impl Serialize,
        handler: Option<Handler>,
    ) -> Result<Box<RawValue>, Failure> {
        match &self.link {
            Link::Pipe(pipe) => pipe.exchange(id, method, params, handler).await,
            Link::Http(http) => http.exchange(id, method, name, params, handler).await,
        }
    }
}

fn decode(raw: &RawValue) -> Result<CallResult, Failure> {
    let result: CallResult = serde_json::from_str(raw.get())?;
    if result.is_error { Err("the tool failed".into()) } else { Ok(result) }
}
