//! The contract of `mcp-transport`, over every kind of stream that this crate carries messages on.

use std::io;

use mcp_transport::{
    Bytes, Link, TransportError,
    contract::{FarEnd, Rig, check_pipe},
};
use mcp_transport_stdio::pipe;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The far end of a byte stream.
struct Far {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Far {
    fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: BufReader::new(Box::new(reader)), writer: Box::new(writer) }
    }
}

impl FarEnd for Far {
    async fn recv(&mut self) -> Option<Bytes> {
        let mut line = Vec::new();
        let _ = self.reader.read_until(b'\n', &mut line).await;
        // A rest without its line end is a message that was given up half-way.
        (line.pop() == Some(b'\n')).then(|| line.into())
    }

    async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.writer.write_all(&frame).await?;
        self.writer.write_all(b"\n").await?;
        self.writer.flush().await
    }

    async fn close(&mut self) {
        let _ = self.writer.shutdown().await;
        self.writer = Box::new(tokio::io::sink());
    }
}

struct Duplex;

impl Rig for Duplex {
    type Far = Far;

    async fn open(&self) -> Result<(Link, Far), TransportError> {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let ((reader, writer), (far_reader, far_writer)) = (tokio::io::split(near), tokio::io::split(far));
        Ok((pipe(reader, writer), Far::new(far_reader, far_writer)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_pipe_within_the_process_keeps_the_contract() {
    check_pipe(&Duplex).await.unwrap();
}

#[cfg(unix)]
mod unix {
    use std::{
        path::PathBuf,
        process::Command,
        sync::atomic::{AtomicU32, Ordering},
        time::Duration,
    };

    use mcp_transport::Connect;
    use mcp_transport_stdio::{Stderr, Stdio};
    use tokio::net::{UnixStream, unix};

    use super::{Far, Link, Rig, TransportError, check_pipe, pipe};

    struct Socket;

    impl Rig for Socket {
        type Far = Far;

        async fn open(&self) -> Result<(Link, Far), TransportError> {
            let (near, far) = UnixStream::pair().unwrap();
            let ((reader, writer), (far_reader, far_writer)) = (near.into_split(), far.into_split());
            Ok((pipe(reader, writer), Far::new(far_reader, far_writer)))
        }
    }

    #[tokio::test]
    async fn a_unix_socket_keeps_the_contract() {
        check_pipe(&Socket).await.unwrap();
    }

    /// A process whose standard streams are led on to named pipes.
    struct Process {
        folder: PathBuf,
        next: AtomicU32,
    }

    /// Opens the pipe from it before the pipe to it, for which we wait.
    const SCRIPT: &str = r#"exec 3> "$2"; cat "$1" 3>&- & exec cat >&3 3>&-"#;

    impl Rig for Process {
        type Far = Far;

        async fn open(&self) -> Result<(Link, Far), TransportError> {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let [to_us, from_us] = ["to", "from"].map(|way| self.folder.join(format!("{way}-{number}")));
            let made = Command::new("mkfifo").args([&to_us, &from_us]).status();
            assert!(made.unwrap().success());
            // Opened for both directions, so that neither side waits for the other one.
            let reader = unix::pipe::OpenOptions::new().open_receiver(&from_us).unwrap();
            let server = Stdio::command("sh")
                .args(["-c", SCRIPT, "server"])
                .args([&to_us, &from_us])
                .stderr(Stderr::Capture)
                .exit_wait(Duration::from_millis(100))
                .term_wait(Duration::from_millis(100));
            let link = server.connect().await?;
            let writer = loop {
                match unix::pipe::OpenOptions::new().open_sender(&to_us) {
                    Ok(writer) => break writer,
                    // Not opened there yet.
                    Err(_) => tokio::time::sleep(Duration::from_millis(2)).await,
                }
            };
            Ok((link, Far::new(reader, writer)))
        }
    }

    #[tokio::test]
    async fn a_process_keeps_the_contract() {
        let folder = std::env::temp_dir().join(format!("mcp-stdio-contract-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let rig = Process { folder: folder.clone(), next: AtomicU32::new(0) };
        let checked = check_pipe(&rig).await;
        std::fs::remove_dir_all(folder).unwrap();
        checked.unwrap();
    }
}
