//! What is written to the terminal, and how: one writer for each stream, control characters shown and not obeyed.

mod bar;
mod pretty;
mod safe;
mod table;

use std::{
    env,
    io::{self, IsTerminal, Write},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

pub(crate) use bar::Bar;
pub(crate) use pretty::pretty;
pub(crate) use safe::{safe, safe_json, safe_line};
pub(crate) use table::Table;

/// How text on one stream may look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    color: bool,
}

impl Style {
    fn of(is_terminal: bool) -> Self {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { color: is_terminal && !set("NO_COLOR") && !dumb }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn warn(self, text: &str) -> String {
        self.paint("33", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The style of standard output.
pub(crate) fn out() -> Style {
    static STYLE: OnceLock<Style> = OnceLock::new();
    *STYLE.get_or_init(|| Style::of(stdout_is_terminal()))
}

/// The style of standard error.
pub(crate) fn err() -> Style {
    static STYLE: OnceLock<Style> = OnceLock::new();
    *STYLE.get_or_init(|| Style::of(stderr_is_terminal()))
}

pub(crate) fn stdout_is_terminal() -> bool {
    static IS: OnceLock<bool> = OnceLock::new();
    *IS.get_or_init(|| io::stdout().is_terminal())
}

pub(crate) fn stderr_is_terminal() -> bool {
    static IS: OnceLock<bool> = OnceLock::new();
    *IS.get_or_init(|| io::stderr().is_terminal())
}

/// Whether a person can be asked: what is asked is seen, and what is typed is read.
pub(crate) fn can_ask() -> bool {
    stderr_is_terminal() && io::stdin().is_terminal()
}

/// Columns of the terminal that standard output is, or `COLUMNS`. `None`: as wide as it likes.
pub(crate) fn width() -> Option<usize> {
    if !stdout_is_terminal() {
        return None;
    }
    terminal_size::terminal_size()
        .map(|(width, _)| usize::from(width.0))
        .or_else(|| env::var("COLUMNS").ok()?.parse().ok())
        .filter(|width| *width > 0)
}

/// The line that stands below everything on standard error, and is drawn again after each other line.
static PINNED: Mutex<String> = Mutex::new(String::new());

fn pinned() -> MutexGuard<'static, String> {
    PINNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to standard error. Text of a server must have gone through [`safe()`] before.
///
/// That nobody reads standard error stops nothing.
pub(crate) fn note(line: &str) {
    let pinned = pinned();
    let mut stderr = io::stderr().lock();
    let _ = if pinned.is_empty() {
        writeln!(stderr, "{line}")
    } else {
        write!(stderr, "\r\x1b[K{line}\n{pinned}").and_then(|()| stderr.flush())
    };
}

/// Writes a question to standard error, and stays on the line. What stood below everything goes.
pub(crate) fn ask(question: &str) {
    let mut pinned = pinned();
    let clear = if pinned.is_empty() { "" } else { "\r\x1b[K" };
    let mut stderr = io::stderr().lock();
    // Nobody sees it: then nobody answers either.
    let _ = write!(stderr, "{clear}{question}").and_then(|()| stderr.flush());
    pinned.clear();
}

/// Sets the line that stands below everything; empty takes it away.
fn pin(line: String) {
    let mut pinned = pinned();
    let mut stderr = io::stderr().lock();
    if !pinned.is_empty() || !line.is_empty() {
        let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
    }
    *pinned = line;
}

/// What became of standard output.
static READER_GONE: AtomicBool = AtomicBool::new(false);
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output went away (`| head`). That is no failure: what it wanted it has.
pub(crate) fn reader_is_gone() -> bool {
    READER_GONE.load(Ordering::Relaxed)
}

/// Whether something could not be written to standard output: a full disk, say.
pub(crate) fn output_is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes to standard output.
pub(crate) fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// As [`print()`], for bytes.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => READER_GONE.store(true, Ordering::Relaxed),
        Err(error) => {
            if !LOST.swap(true, Ordering::Relaxed) {
                note(&format!("error: standard output: {error}"));
            }
        }
    }
}

/// Writes a line to standard output.
pub(crate) fn print_line(line: &str) {
    print(&format!("{line}\n"));
}

/// Writes text of a server to standard output, with a line end: safe on a terminal, as it came elsewhere.
pub(crate) fn print_text(text: &str) {
    let mut line = if stdout_is_terminal() { safe(text) } else { text.to_owned() };
    if !line.ends_with('\n') {
        line.push('\n');
    }
    print(&line);
}

/// Writes the one JSON document of a verb to standard output.
pub(crate) fn print_json(json: &str) {
    if stdout_is_terminal() { print_line(&safe_json(&pretty(json))) } else { print_line(json) }
}
