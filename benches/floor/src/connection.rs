use std::{
    collections::HashMap,
    process::Stdio,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use bench_kit::{Era, Failure, Options};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{mpsc, oneshot},
};

use crate::wire::{
    CallParams, CallResult, Capabilities, Implementation, InitializeParams, ListParams, Message, Meta,
    Progress, Request,
};

pub(crate) type Handler = Box<dyn FnMut(Progress) + Send>;

pub(crate) struct Connection {
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    table: Arc<Table>,
    last: AtomicU64,
    legacy: bool,
    server: Child,
}

/// The calls that wait, by their ids.
type Table = Mutex<HashMap<u64, Waiting>>;

struct Waiting {
    reply: oneshot::Sender<Result<Box<RawValue>, Failure>>,
    handler: Option<Handler>,
}

const CHUNK: usize = 64 * 1024;

const CLIENT: Implementation = Implementation { name: "bench", version: "1" };

impl Connection {
    pub(crate) fn start(options: &Options) -> Result<Self, Failure> {
        let mut server = Command::new(&options.server)
            .args(options.server_arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = server.stdin.take().zip(server.stdout.take()).ok_or("no pipes")?;
        let (outbox, messages) = mpsc::unbounded_channel();
        let table = Arc::new(Table::default());
        tokio::spawn(write(messages, input));
        tokio::spawn(read(output, Arc::clone(&table)));
        Ok(Self { outbox, table, last: AtomicU64::new(0), legacy: options.era == Era::Legacy, server })
    }

    pub(crate) async fn initialize(&self) -> Result<(), Failure> {
        let params = InitializeParams {
            protocol_version: "2025-11-25",
            capabilities: Capabilities {},
            client_info: CLIENT,
        };
        self.request("initialize", &params).await?;
        self.send(None, "notifications/initialized", &Capabilities {})
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
        decode(&self.exchange(id, "tools/call", &params, None).await?)
    }

    pub(crate) async fn call_with_progress(
        &self,
        name: &str,
        arguments: &impl Serialize,
        handler: Handler,
    ) -> Result<CallResult, Failure> {
        let id = self.id();
        let params = CallParams { name, arguments, meta: self.meta(Some(id)) };
        decode(&self.exchange(id, "tools/call", &params, Some(handler)).await?)
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Box<RawValue>, Failure> {
        self.exchange(self.id(), method, params, None).await
    }

    pub(crate) async fn close(self) {
        let Self { outbox, mut server, .. } = self;
        drop(outbox);
        let _ = server.wait().await;
    }

    fn id(&self) -> u64 {
        self.last.fetch_add(1, Relaxed) + 1
    }

    async fn exchange(
        &self,
        id: u64,
        method: &str,
        params: &impl Serialize,
        handler: Option<Handler>,
    ) -> Result<Box<RawValue>, Failure> {
        let (reply, replied) = oneshot::channel();
        lock(&self.table).insert(id, Waiting { reply, handler });
        self.send(Some(id), method, params)?;
        replied.await?
    }

    fn send(&self, id: Option<u64>, method: &str, params: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(&Request { jsonrpc: "2.0", id, method, params })?;
        line.push(b'\n');
        self.outbox.send(line)?;
        Ok(())
    }
}

fn decode(raw: &RawValue) -> Result<CallResult, Failure> {
    let result: CallResult = serde_json::from_str(raw.get())?;
    if result.is_error { Err("the tool failed".into()) } else { Ok(result) }
}

/// All that waits goes out in one write.
async fn write(mut messages: mpsc::UnboundedReceiver<Vec<u8>>, mut input: ChildStdin) -> std::io::Result<()> {
    let mut batch = Vec::new();
    let mut buffer = Vec::new();
    while messages.recv_many(&mut batch, 256).await > 0 {
        buffer.clear();
        for line in batch.drain(..) {
            buffer.extend_from_slice(&line);
        }
        input.write_all(&buffer).await?;
    }
    Ok(())
}

async fn read(output: ChildStdout, table: Arc<Table>) -> std::io::Result<()> {
    let mut output = BufReader::with_capacity(CHUNK, output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).await? > 0 {
        if let Ok(message) = serde_json::from_slice(&line) {
            take(&message, &table);
        }
        line.clear();
    }
    lock(&table).clear();
    Ok(())
}

fn take(message: &Message<'_>, table: &Table) {
    if message.method.as_deref() == Some("notifications/progress") {
        let progress = message.params.and_then(|params| serde_json::from_str::<Progress>(params.get()).ok());
        if let Some(progress) = progress
            && let Some(Waiting { handler: Some(handler), .. }) = lock(table).get_mut(&progress.token)
        {
            handler(progress);
        }
        return;
    }
    let Some(waiting) = message.id.and_then(|id| lock(table).remove(&id)) else { return };
    let outcome = match (message.result, message.error) {
        (Some(result), None) => Ok(result.to_owned()),
        (_, Some(error)) => Err(error.get().into()),
        (None, None) => Err("neither a result nor an error".into()),
    };
    let _ = waiting.reply.send(outcome);
}

fn lock(table: &Table) -> MutexGuard<'_, HashMap<u64, Waiting>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
