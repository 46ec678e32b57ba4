use std::{
    collections::VecDeque,
    future::Future,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcp_transport::{
    BoxCloser, BoxReceiver, BoxSender, Connect, Inbound, Link, Outbound, RawMessage, Receiver, Sender,
    TransportError,
};
use mcp_transport_stdio::{Stderr, Stdio};

/// Generous: reached only when something hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A wait that should never run out in the test that sets it.
pub(crate) const NEVER: Duration = Duration::from_secs(300);

/// A wait that is meant to run out.
pub(crate) const SOON: Duration = Duration::from_millis(50);

/// `note NAME VALUE` sends a notification, `announce` one with a process id.
const PRELUDE: &str = r#"
note() { printf '{"jsonrpc":"2.0","method":"%s","params":{"value":"%s"}}\n' "$1" "$2"; }
"#;

/// A server that is a shell script.
pub(crate) fn sh(script: &str) -> Stdio {
    Stdio::command("sh").arg("-c").arg(format!("{PRELUDE}{script}")).stderr(Stderr::Capture)
}

pub(crate) async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what}: hangs"))
}

pub(crate) struct Peer {
    pub(crate) sender: BoxSender,
    pub(crate) receiver: BoxReceiver,
    pub(crate) closer: BoxCloser,
    received: VecDeque<Inbound>,
}

impl Peer {
    pub(crate) async fn connect(server: &Stdio) -> Self {
        Self::of(server.connect().await.unwrap())
    }

    pub(crate) fn of(link: Link) -> Self {
        let parts = link.into_parts();
        Self {
            sender: parts.sender,
            receiver: parts.receiver,
            closer: parts.closer.unwrap(),
            received: VecDeque::new(),
        }
    }

    pub(crate) async fn send(&mut self, out: impl Into<Outbound>) -> Result<(), TransportError> {
        let mut batch = VecDeque::from([out.into()]);
        patiently("send", self.sender.send(&mut batch)).await
    }

    /// The next entry; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Inbound>, TransportError> {
        if self.received.is_empty() {
            let mut into = Vec::new();
            let outcome = patiently("recv", self.receiver.recv(&mut into)).await;
            assert_eq!(matches!(outcome, Ok(true)), !into.is_empty());
            outcome?;
            self.received.extend(into);
        }
        Ok(self.received.pop_front())
    }

    pub(crate) async fn message(&mut self) -> RawMessage {
        match self.next().await.unwrap() {
            Some(Inbound::Message { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    }

    /// The value of a `note`.
    pub(crate) async fn note(&mut self, name: &str) -> String {
        let message = self.message().await;
        assert_eq!(message.method(), Some(name));
        let body = std::str::from_utf8(message.body().unwrap()).unwrap();
        body.strip_prefix(r#"{"value":""#)
            .and_then(|rest| rest.strip_suffix(r#""}"#))
            .unwrap_or_else(|| panic!("{body}"))
            .to_owned()
    }

    pub(crate) async fn pid(&mut self, name: &str) -> u32 {
        self.note(name).await.parse().unwrap()
    }

    /// Closes in order.
    pub(crate) async fn close(mut self) -> Result<(), TransportError> {
        self.send(Outbound::Close).await?;
        drop((self.sender, self.receiver));
        patiently("close", self.closer.close()).await
    }
}

pub(crate) fn ping(id: i64) -> RawMessage {
    RawMessage::request(id, "ping", None)
}

/// Waits until the process is gone (or waits only for its parent to notice).
pub(crate) async fn gone(pid: u32) {
    patiently("the end of a process", async {
        while is_running(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

pub(crate) fn is_running(pid: u32) -> bool {
    let output = if Path::new("/proc/self/stat").exists() {
        std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default()
    } else {
        let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
        output.unwrap().stdout
    };
    // `pid (name) state …`, or the state alone.
    let text = String::from_utf8_lossy(&output);
    let state = text.rsplit(')').next().unwrap().trim();
    !(state.is_empty() || state.starts_with(['Z', 'X']))
}

/// A new folder of our own.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("mcp-stdio-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What a script wrote there.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
