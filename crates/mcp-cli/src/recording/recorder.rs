//! Writes what passes to a file, line by line: what was seen before a crash is there after it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use mcp_transport::{Origin, Passed, RawMessage, TransportError};
use mcp_types::Json;

use super::{
    Entry, Header, Side, VERSION,
    redact::{look, redact},
};
use crate::{console, failure::Failure, secrets::Secrets};

/// Writes one recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    started: Instant,
    secrets: Secrets,
    /// `None` once writing failed, which is told once.
    file: Mutex<Option<File>>,
}

impl Recorder {
    /// Begins a recording. Another recording is written over; another file is not.
    ///
    /// # Errors
    /// Usage: the file cannot be written, or is no recording.
    pub(crate) fn create(path: &Path, target: &str, secrets: Secrets) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::usage(format!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        options.write(true);
        // Only for the user: what is recorded may be private.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_recording(path).map_err(failed)? {
                    let why = format!("{} is there already, and is no recording", path.display());
                    return Err(Failure::usage(why));
                }
                options.truncate(true).open(path).map_err(failed)?
            }
            file => file.map_err(failed)?,
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let header = Header {
            mcp_recording: VERSION,
            target: secrets.hide(target),
            started_unix_ms: u64::try_from(since.as_millis()).unwrap_or_default(),
            client: concat!("mcp-cli ", env!("CARGO_PKG_VERSION")).into(),
        };
        writeln!(file, "{}", serde_json::to_string(&header).unwrap_or_default()).map_err(failed)?;
        Ok(Self { started: Instant::now(), secrets, file: Mutex::new(Some(file)) })
    }

    /// Writes what passed. Runs within the I/O of the link: one write of a short line.
    pub(crate) fn record(&self, passed: &Passed<'_>) {
        let entry = Entry { ms: self.milliseconds(), ..Entry::default() };
        let entry = match passed {
            Passed::Connected => Entry { event: Some("connected".into()), ..entry },
            Passed::Sent(message) => Entry { from: Some(Side::Client), frame: self.frame(message), ..entry },
            Passed::Received { origin, message } => {
                let exchange = match origin {
                    Origin::Exchange(id) => Json::encode(id).ok(),
                    Origin::Shared => None,
                };
                Entry { from: Some(Side::Server), exchange, frame: self.frame(message), ..entry }
            }
            Passed::Skipped(skipped) => Entry {
                event: Some("junk".into()),
                text: Some(self.clean(&skipped.excerpt)),
                bytes: Some(skipped.length),
                ..entry
            },
            Passed::Ended(error) => Entry {
                event: Some("ended".into()),
                error: error.map(|error| self.clean(&error.to_string())),
                ..entry
            },
            _ => return,
        };
        self.write(&entry);
    }

    /// Writes that no connection could be made.
    pub(crate) fn failed(&self, error: &TransportError) {
        let error = Some(self.clean(&error.to_string()));
        self.write(&Entry {
            ms: self.milliseconds(),
            event: Some("failed".into()),
            error,
            ..Entry::default()
        });
    }

    fn milliseconds(&self) -> f64 {
        (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e3
    }

    fn frame(&self, message: &RawMessage) -> Option<Json> {
        let text = String::from_utf8_lossy(&message.to_vec()).into_owned();
        Json::from_text(self.secrets.hide(&redact(&text))).ok()
    }

    fn clean(&self, text: &str) -> String {
        self.secrets.hide(&look(text))
    }

    fn write(&self, entry: &Entry) {
        let Ok(mut line) = serde_json::to_vec(entry) else { return };
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = file.as_mut()
            && let Err(error) = open.write_all(&line)
        {
            console::note(&format!("the recording ends here: {error}"));
            *file = None;
        }
    }
}

fn is_recording(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(16).read_to_end(&mut start)?;
    Ok(start.starts_with(b"{\"mcpRecording\""))
}
