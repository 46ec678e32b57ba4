//! A client loop by hand, without an SDK: what a careful programmer writes in an afternoon for one server. It owes
//! nothing: no deadlines, no limits, no cancellation, no handlers, no negotiation.

mod connection;
mod http;
mod pipe;
mod wire;

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use bench_kit::{
    Driver, Era, Failure, Options,
    expected::{self, check},
};
use connection::Connection;
use serde::Serialize;
use wire::{CallResult, ListParams, ListResult};

struct Floor(Connection);

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

#[derive(Serialize)]
struct Payload {
    size: usize,
}

#[derive(Serialize)]
struct Count {
    count: u64,
}

#[derive(Serialize)]
struct Nothing {}

impl Driver for Floor {
    const NAME: &'static str = "floor";

    async fn connect(options: &Options) -> Result<Self, Failure> {
        let connection = Connection::start(options)?;
        // What is needed in the era, and no more.
        if options.era == Era::Legacy {
            connection.initialize().await?;
        } else {
            connection.discover().await?;
        }
        Ok(Self(connection))
    }

    async fn echo(&self, index: u64) -> Result<(), Failure> {
        let message = expected::message(index);
        let result = self.0.call_tool("echo", &Echo { message: &message }).await?;
        check(text(&result)?, message.as_str())
    }

    async fn payload(&self, size: usize) -> Result<(), Failure> {
        let result = self.0.call_tool("payload", &Payload { size }).await?;
        expected::check_payload(text(&result)?, size)
    }

    async fn progress(&self, count: u64) -> Result<u64, Failure> {
        let seen = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&seen);
        let handler = move |progress: wire::Progress| {
            let right = progress.value == counter.load(Relaxed) + 1 && progress.message.is_some();
            counter.fetch_add(u64::from(right), Relaxed);
        };
        let result = self.0.call_with_progress("progress", &Count { count }, Box::new(handler)).await?;
        check(text(&result)?, "done")?;
        Ok(count - seen.load(Relaxed))
    }

    async fn list(&self, count: usize) -> Result<(), Failure> {
        let mut tools = Vec::new();
        let mut cursor = None;
        loop {
            let params = ListParams { cursor: cursor.as_deref(), meta: self.0.meta(None) };
            let page: ListResult = serde_json::from_str(self.0.request("tools/list", &params).await?.get())?;
            tools.extend(page.tools);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        check(&tools.len(), &count)?;
        for (index, tool) in tools.iter().enumerate() {
            if index % expected::SAMPLE == 0 {
                check(&tool.name, &expected::tool_name(index))?;
                check(tool.input_schema.get(), expected::input_schema(index).as_str())?;
            }
            let complete = tool.title.is_some() && tool.description.is_some();
            check(&(complete && tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint)), &true)?;
        }
        Ok(())
    }

    async fn flood(&self, count: u64) -> Result<(), Failure> {
        let result = self.0.call_with_progress("flood", &Count { count }, Box::new(drop)).await?;
        check(text(&result)?, "done")
    }

    async fn hang(&self) -> Result<(), Failure> {
        self.0.call_tool("hang", &Nothing {}).await.map(drop)
    }

    async fn close(self) {
        self.0.close().await;
    }
}

fn text(result: &CallResult) -> Result<&str, Failure> {
    match result.content.as_slice() {
        [block] if block.kind == "text" => Ok(&block.text),
        other => Err(format!("{} blocks", other.len()).into()),
    }
}

fn main() -> ExitCode {
    bench_kit::main::<Floor>()
}
