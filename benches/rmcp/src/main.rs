//! The driver of rmcp. Everything is a default of the SDK, but the lifecycle is chosen where the
//! era is given, and two limits are raised over HTTP ([`AT_ONCE`], [`LARGEST`]).

use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use bench_kit::{
    Driver, Era, Failure, Options,
    expected::{self, check},
};
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
        Implementation, JsonObject, ProgressNotificationParam, ProtocolVersion,
    },
    service::{
        ClientLifecycleMode, NotificationContext, RunningService, serve_client, serve_client_with_lifecycle,
    },
    transport::{
        IntoTransport, StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::{process::Command, sync::Notify, time::timeout};

struct Rmcp {
    client: RunningService<RoleClient, Handler>,
    seen: Arc<Seen>,
}

/// Counts the reports that reach the handler.
struct Handler(Arc<Seen>);

#[derive(Default)]
struct Seen {
    count: AtomicU64,
    more: Notify,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("bench", "1"))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if progress.progress > 0.0 && progress.message.is_some() {
            self.0.count.fetch_add(1, Relaxed);
            self.0.more.notify_one();
        }
    }
}

impl Driver for Rmcp {
    const NAME: &'static str = "rmcp";

    async fn connect(options: &Options) -> Result<Self, Failure> {
        if let Some(url) = &options.url {
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .max_concurrent_requests(AT_ONCE)
                .max_sse_event_size(LARGEST);
            return Self::serve(options.era, StreamableHttpClientTransport::from_config(config)).await;
        }
        let mut command = Command::new(&options.server);
        command.args(options.server_arguments());
        Self::serve(options.era, TokioChildProcess::new(command)?).await
    }

    async fn echo(&self, index: u64) -> Result<(), Failure> {
        let message = expected::message(index);
        let mut arguments = JsonObject::new();
        arguments.insert("message".into(), message.as_str().into());
        let result = self.call("echo", arguments).await?;
        check(text(&result)?, message.as_str())
    }

    async fn payload(&self, size: usize) -> Result<(), Failure> {
        let mut arguments = JsonObject::new();
        arguments.insert("size".into(), size.into());
        expected::check_payload(text(&self.call("payload", arguments).await?)?, size)
    }

    async fn progress(&self, count: u64) -> Result<u64, Failure> {
        // Each report runs in a task of its own, and the reply may overtake them.
        const LATE: Duration = Duration::from_secs(1);
        let wanted = self.seen.count.load(Relaxed) + count;
        let mut arguments = JsonObject::new();
        arguments.insert("count".into(), count.into());
        check(text(&self.call("progress", arguments).await?)?, "done")?;
        let all = async {
            while self.seen.count.load(Relaxed) < wanted {
                self.seen.more.notified().await;
            }
        };
        let _ = timeout(LATE, all).await;
        Ok(wanted.saturating_sub(self.seen.count.load(Relaxed)))
    }

    async fn list(&self, count: usize) -> Result<(), Failure> {
        let tools = self.client.list_all_tools().await?;
        check(&tools.len(), &count)?;
        for (index, tool) in tools.iter().enumerate() {
            if index % expected::SAMPLE == 0 {
                check(tool.name.as_ref(), expected::tool_name(index).as_str())?;
                let schema: JsonObject = serde_json::from_str(&expected::input_schema(index))?;
                check(&*tool.input_schema, &schema)?;
            }
            let complete = tool.title.is_some() && tool.description.is_some();
            let read_only = tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint == Some(true));
            check(&(complete && read_only), &true)?;
        }
        Ok(())
    }

    async fn flood(&self, count: u64) -> Result<(), Failure> {
        let mut arguments = JsonObject::new();
        arguments.insert("count".into(), count.into());
        check(text(&self.call("flood", arguments).await?)?, "done")
    }

    async fn hang(&self) -> Result<(), Failure> {
        self.call("hang", JsonObject::new()).await.map(drop)
    }

    async fn close(self) {
        let _ = self.client.cancel().await;
    }
}

/// By default 16, of 64 that the workloads ask for.
const AT_ONCE: usize = 64;
/// By default less than the largest event of the workloads.
const LARGEST: usize = 64 << 20;

impl Rmcp {
    async fn serve<T, E, A>(era: Era, transport: T) -> Result<Self, Failure>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let seen = Arc::new(Seen::default());
        let handler = Handler(Arc::clone(&seen));
        let client = if era == Era::Modern {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let lifecycle = ClientLifecycleMode::Discover { preferred_versions };
            serve_client_with_lifecycle(handler, transport, lifecycle).await?
        } else {
            serve_client(handler, transport).await?
        };
        Ok(Self { client, seen })
    }

    async fn call(&self, name: &'static str, arguments: JsonObject) -> Result<CallToolResult, Failure> {
        Ok(self.client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await?)
    }
}

fn text(result: &CallToolResult) -> Result<&str, Failure> {
    match result.content.as_slice() {
        [ContentBlock::Text(block)] if result.is_error != Some(true) => Ok(&block.text),
        other => Err(format!("{} blocks", other.len()).into()),
    }
}

fn main() -> ExitCode {
    bench_kit::main::<Rmcp>()
}
