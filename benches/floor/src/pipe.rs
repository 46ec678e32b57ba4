use std::{
    collections::HashMap,
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bench_kit::{Failure, Options};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{mpsc, oneshot},
};

use crate::{
    connection::Handler,
    wire::{Message, Progress, Request},
};

/// Lines to and from a child process.
pub(crate) struct Pipe {
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    table: Arc<Table>,
    server: Child,
}

/// The calls that wait, by their ids.
type Table = Mutex<HashMap<u64, Waiting>>;

struct Waiting {
    reply: oneshot::Sender<Result<Box<RawValue>, Failure>>,
    handler: Option<Handler>,
}

const CHUNK: usize = 64 * 1024;

/// What the server can write ahead of us: as much as `mcp-transport-stdio` has, so that code is compared.
#[cfg(target_os = "linux")]
const AHEAD: usize = 256 * 1024;

impl Pipe {
    pub(crate) fn start(options: &Options) -> Result<Self, Failure> {
        let mut server = Command::new(&options.server)
            .args(options.server_arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = server.stdin.take().zip(server.stdout.take()).ok_or("no pipes")?;
        #[cfg(target_os = "linux")]
        rustix::pipe::fcntl_setpipe_size(&output, AHEAD)?;
        let (outbox, messages) = mpsc::unbounded_channel();
        let table = Arc::new(Table::default());
        tokio::spawn(write(messages, input));
        tokio::spawn(read(output, Arc::clone(&table)));
        Ok(Self { outbox, table, server })
    }

    pub(crate) async fn exchange(
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

    pub(crate) fn send(&self, id: Option<u64>, method: &str, params: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(&Request { jsonrpc: "2.0", id, method, params })?;
        line.push(b'\n');
        self.outbox.send(line)?;
        Ok(())
    }

    pub(crate) async fn close(self) {
        let Self { outbox, mut server, .. } = self;
        drop(outbox);
        let _ = server.wait().await;
    }
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
    let _ = waiting.reply.send(message.outcome());
}

fn lock(table: &Table) -> MutexGuard<'_, HashMap<u64, Waiting>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
