//! A server that listens on a port: started before the client connects, ended after it closed, and in between ended and
//! started again where a step says so.

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::{sleep, timeout},
};

use crate::{
    lines::Lines,
    processes::Marker,
    scenario::{Places, Server},
};

/// Until it accepts a connection.
const START_LIMIT: Duration = Duration::from_secs(40);
/// Until it ends, when it is asked to.
const STOP_LIMIT: Duration = Duration::from_secs(3);

/// A port of loopback that nobody listens on. Somebody may before the server does, which then fails to start.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A server that can be started again, as it was.
pub(crate) struct Host<'a> {
    server: &'a Server,
    places: &'a Places,
    marker: &'a Marker,
    lines: &'a Lines,
    listening: Option<Listening>,
}

impl<'a> Host<'a> {
    /// Starts the server, and waits until it listens.
    pub(crate) async fn start(
        server: &'a Server,
        places: &'a Places,
        marker: &'a Marker,
        lines: &'a Lines,
    ) -> Result<Self, String> {
        let listening = Some(Listening::start(server, places, marker, lines).await?);
        Ok(Self { server, places, marker, lines, listening })
    }

    /// Ends the process as a crash does: it closes nothing itself, and learns of nothing.
    pub(crate) async fn crash(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.kill().await;
        }
    }

    /// Starts it again, on the same port.
    pub(crate) async fn start_again(&mut self) -> Result<(), String> {
        self.stop().await;
        let listening = Listening::start(self.server, self.places, self.marker, self.lines).await;
        self.listening = Some(listening.map_err(|why| format!("start again: {why}"))?);
        Ok(())
    }

    /// Asks it to end, and ends what does not.
    pub(crate) async fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.stop().await;
        }
    }
}

/// The process. Dropped, it is killed with all of its group.
struct Listening {
    child: Child,
    group: Option<Pid>,
}

impl Listening {
    async fn start(server: &Server, places: &Places, marker: &Marker, lines: &Lines) -> Result<Self, String> {
        let (program, arguments) = server.command.split_first().ok_or("an empty command")?;
        let child = Command::new(program)
            .args(arguments)
            .envs(&server.environment)
            .env(Marker::NAME, marker.value())
            .current_dir(&places.work)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn();
        let mut child = child.map_err(|error| format!("`{program}`: {error}"))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        if let Some(stderr) = child.stderr.take() {
            let lines = lines.clone();
            tokio::spawn(async move {
                let mut stderr = BufReader::new(stderr).lines();
                while let Ok(Some(line)) = stderr.next_line().await {
                    lines.push(&line);
                }
            });
        }
        let mut listening = Self { child, group };
        match timeout(START_LIMIT, listening.ready(places.port)).await {
            Ok(Ok(())) => Ok(listening),
            Ok(Err(status)) => Err(format!("the server ended before it listened: {status}")),
            Err(_) => Err(format!("the server does not listen after {START_LIMIT:?}")),
        }
    }

    async fn ready(&mut self, port: u16) -> Result<(), ExitStatus> {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(status);
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn stop(mut self) {
        self.signal(Signal::SIGTERM);
        let _ = timeout(STOP_LIMIT, self.child.wait()).await;
        self.kill().await;
    }

    async fn kill(mut self) {
        self.signal(Signal::SIGKILL);
        // It is gone, or will be.
        let _ = timeout(STOP_LIMIT, self.child.wait()).await;
        self.group = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // Of a group that is gone, nothing is left to be ended.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn server(script: &str) -> Server {
        let json = serde_json::json!({
            "name": "s", "about": "", "install": [], "command": ["sh", "-c", script], "limit": 1, "runs": [],
        });
        serde_json::from_value(json).unwrap()
    }

    async fn start(script: &str, marker: &Marker) -> (Result<Listening, String>, Lines) {
        let places = Places { home: "/".into(), work: "/".into(), port: free_port().unwrap() };
        let lines = Lines::default();
        (Listening::start(&server(script), &places, marker, &lines).await, lines)
    }

    #[tokio::test]
    async fn a_server_that_ends_at_once_is_told_of() {
        let (started, _) = start("echo last words >&2; exit 3", &Marker::new()).await;
        assert!(started.err().unwrap().contains("exit status: 3"));
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_group() {
        let marker = Marker::new();
        let waiting =
            timeout(Duration::from_secs(1), start("sleep 60 & trap '' TERM; sleep 60", &marker)).await;
        assert!(waiting.is_err());
        for _ in 0..50 {
            if marker.processes().unwrap().is_empty() {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("left: {:?}", marker.processes());
    }
}
