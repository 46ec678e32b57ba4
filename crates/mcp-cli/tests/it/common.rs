use std::{
    ffi::OsStr,
    fmt, fs,
    io::Write,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// Reached only when something hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const MCP: &str = env!("CARGO_BIN_EXE_mcp");

/// What a run came to.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) bytes: Vec<u8>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {}\n--- out\n{}\n--- err\n{}", self.status, self.out, self.err)
    }
}

impl Run {
    /// Standard output, which must be one JSON document.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

pub(crate) fn command(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(MCP);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("NO_COLOR").env("TERM", "xterm");
    command
}

/// `mcp` with these words; a test that needs words with spaces uses [`mcp_args`].
pub(crate) fn mcp(line: &str) -> Run {
    mcp_args(line.split_whitespace())
}

pub(crate) fn mcp_args(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Run {
    finish(command(args).spawn().unwrap())
}

pub(crate) fn mcp_with_input(args: &[&str], input: &str) -> Run {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    finish(child)
}

/// Waits for the end, but not for ever.
pub(crate) fn finish(child: Child) -> Run {
    let id = child.id();
    let waiting = thread::spawn(move || child.wait_with_output().unwrap());
    let begun = Instant::now();
    while !waiting.is_finished() {
        if begun.elapsed() > PATIENCE {
            kill(id, nix::sys::signal::Signal::SIGKILL);
            panic!("hangs: {:?}", of(waiting.join().unwrap()));
        }
        thread::sleep(Duration::from_millis(5));
    }
    of(waiting.join().unwrap())
}

fn of(output: Output) -> Run {
    Run {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        bytes: output.stdout,
    }
}

pub(crate) fn kill(id: u32, signal: nix::sys::signal::Signal) {
    let id = nix::unistd::Pid::from_raw(i32::try_from(id).unwrap());
    nix::sys::signal::kill(id, signal).unwrap();
}

/// A folder of this test run that no other test uses.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `-- sh -c SCRIPT` behind the words: a server that is a shell script. `$mcp` is the binary; `id` sets `$id` to that of
/// the request in `$line`, `reply RESULT` and `refuse CODE MESSAGE` answer it.
pub(crate) fn scripted(line: &str, script: &str) -> Run {
    mcp_args(scripted_args(line, script))
}

pub(crate) fn scripted_args(line: &str, script: &str) -> Vec<String> {
    let prelude = format!(
        r#"mcp='{MCP}'
id() {{ id=${{line#*\"id\":}}; id=${{id%%[,\}}]*}}; }}
reply() {{ id; printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$1"; }}
refuse() {{ id; printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":%s,"message":"%s"}}}}\n' "$id" "$1" "$2"; }}
"#
    );
    let mut args: Vec<String> = line.split_whitespace().map(String::from).collect();
    args.extend(["--".into(), "sh".into(), "-c".into(), prelude + script]);
    args
}

/// A legacy server with these capabilities, and these arms of a `case` over the line of a request.
pub(crate) fn legacy(capabilities: &str, arms: &str) -> String {
    format!(
        r#"while read -r line; do case $line in
*'"server/discover"'*) refuse -32601 no;;
*'"initialize"'*) reply '{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"scripted","version":"1"}}}}';;
*'"notifications/'*) ;;
{arms}
*) refuse -32601 "Method not found";;
esac; done"#
    )
}
