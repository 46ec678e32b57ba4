//! The driver of `mcp-client` over `mcp-transport-stdio` and `mcp-transport-http`. Everything is a default of the SDK, but the revision is pinned
//! where the era is given.

use std::process::ExitCode;

use bench_kit::{
    Driver, Era, Failure, Options,
    expected::{self, check},
};
use mcp_client::{Client, Versions};
use mcp_transport_http::Http;
use mcp_transport_stdio::Stdio;
use mcp_types::{CallToolResult, ContentBlock, Revision};
use serde::Serialize;

struct Ours(Client);

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

impl Driver for Ours {
    const NAME: &'static str = "ours";

    async fn connect(options: &Options) -> Result<Self, Failure> {
        let builder = Client::builder("bench", "1");
        let builder = match options.era {
            Era::Legacy => builder.versions(Versions::exactly(Revision::V2025_11_25)),
            Era::Modern => builder.versions(Versions::exactly(Revision::V2026_07_28)),
            Era::Default => builder,
        };
        if let Some(url) = &options.url {
            return Ok(Self(builder.connect(Http::new(url)?).await?));
        }
        let server = Stdio::command(&options.server).args(options.server_arguments());
        Ok(Self(builder.connect(server).await?))
    }

    async fn echo(&self, index: u64) -> Result<(), Failure> {
        let message = expected::message(index);
        let result = self.0.call_tool("echo").args(&Echo { message: &message })?.await?;
        check(text(&result)?, message.as_str())
    }

    async fn payload(&self, size: usize) -> Result<(), Failure> {
        let result = self.0.call_tool("payload").args(&Payload { size })?.await?;
        expected::check_payload(text(&result)?, size)
    }

    async fn progress(&self, count: u64) -> Result<u64, Failure> {
        let mut call = self.0.call_tool("progress").args(&Count { count })?.with_progress();
        let (mut seen, mut last) = (0, 0.0);
        while let Some(progress) = call.progress().next().await {
            if progress.progress > last && progress.message.is_some() {
                last = progress.progress;
                seen += 1;
            }
        }
        check(text(&call.await?.into_inner())?, "done")?;
        Ok(count - seen)
    }

    async fn list(&self, count: usize) -> Result<(), Failure> {
        let tools = self.0.list_tools().all().await?;
        check(&tools.len(), &count)?;
        for (index, tool) in tools.iter().enumerate() {
            if index % expected::SAMPLE == 0 {
                check(&tool.name, &expected::tool_name(index))?;
                check(tool.input_schema.as_json().as_str(), expected::input_schema(index).as_str())?;
            }
            let complete = tool.title.is_some() && tool.description.is_some();
            let read_only = tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint == Some(true));
            check(&(complete && read_only), &true)?;
        }
        Ok(())
    }

    async fn flood(&self, count: u64) -> Result<(), Failure> {
        let call = self.0.call_tool("flood").args(&Count { count })?.with_progress();
        check(text(&call.await?.into_inner())?, "done")
    }

    async fn hang(&self) -> Result<(), Failure> {
        self.0.call_tool("hang").await?;
        Ok(())
    }

    async fn close(self) {
        self.0.close().await;
    }
}

fn text(result: &CallToolResult) -> Result<&str, Failure> {
    match &result.content[..] {
        [ContentBlock::Text(block)] if !result.is_error() => Ok(&block.text),
        other => Err(format!("{} blocks", other.len()).into()),
    }
}

fn main() -> ExitCode {
    bench_kit::main::<Ours>()
}
