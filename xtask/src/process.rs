//! Running other programs: printed as they can be repeated, with a time limit.

use std::{
    env,
    fs::File,
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::command::Failure;

/// How often a running program is looked at. Short against the shortest step, long against the cost of a look.
const POLL: Duration = Duration::from_millis(20);

/// A program that is to run at the root of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invocation {
    words: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
    /// Variables whose names begin so are not handed on.
    without: Vec<&'static str>,
    limit: Option<Duration>,
    log: Option<PathBuf>,
}

impl Invocation {
    /// `line` is the program and its arguments, separated by spaces; no argument may contain one.
    pub(crate) fn new(line: &str) -> Self {
        Self::of(line.split_whitespace().map(str::to_string))
    }

    /// The program and its arguments. There is a program.
    pub(crate) fn of(words: impl IntoIterator<Item = String>) -> Self {
        // What cargo told this program about its own package is no business of the programs that it starts.
        let without = vec!["CARGO_PKG_", "CARGO_MANIFEST_"];
        let words = words.into_iter().collect();
        Self { words, environment: Vec::new(), without, limit: None, log: None }
    }

    pub(crate) fn environment(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// Keeps variables whose names begin with `prefix` from it.
    pub(crate) fn without(mut self, prefix: &'static str) -> Self {
        self.without.push(prefix);
        self
    }

    /// What it writes goes into this file when it is [`run`](Self::run).
    pub(crate) fn log(mut self, file: PathBuf) -> Self {
        self.log = Some(file);
        self
    }

    /// After this long it is killed, with what it started, and has failed.
    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// As a shell takes it: environment, program, arguments.
    pub(crate) fn line(&self) -> String {
        let mut parts: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
        parts.extend(self.words.iter().map(|word| quoted(word)));
        parts.join(" ")
    }

    /// Runs it with our standard output and error, unless it has a log, and no standard input.
    ///
    /// # Errors
    /// It did not start, did not end in time, or did not end with success.
    pub(crate) fn run(&self, root: &Path, settings: &[(&'static str, &'static str)]) -> Result<(), String> {
        let mut command = self.command(root, settings);
        // Without a terminal a group of its own lets everything in it be killed. With one, a person's Ctrl-C must
        // reach the child, so it stays in our group, and a limit kills the child alone.
        let grouped = !io::stdin().is_terminal();
        if grouped {
            own_group(&mut command);
        }
        if let Some(file) = &self.log {
            log(&mut command, file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let mut child =
            command.spawn().map_err(|error| format!("cannot start `{}`: {error}", self.words[0]))?;
        match wait(&mut child, self.limit) {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(status.to_string()),
            Ok(None) => {
                kill(&mut child, grouped);
                Err(format!("not done after {:?}", self.limit.unwrap_or_default()))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs it and returns what it wrote to its standard output; its standard error is ours.
    pub(crate) fn output(&self, root: &Path) -> Result<String, Failure> {
        self.answer(root, &[], "")
    }

    /// As [`Invocation::output`], with `input` as its standard input.
    pub(crate) fn answer(
        &self,
        root: &Path,
        settings: &[(&'static str, &'static str)],
        input: &str,
    ) -> Result<String, Failure> {
        let failed = |why: String| Failure::failed(format!("`{}`: {why}", self.line()));
        let mut command = self.command(root, settings);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let stdin = child.stdin.take();
        // Written from a thread of its own: a program may answer before it has read everything.
        let (output, written) = thread::scope(|scope| {
            let writing =
                scope.spawn(move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes())));
            (child.wait_with_output(), writing.join())
        });
        let output = output.map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
        if !matches!(written, Ok(Ok(()))) {
            return Err(failed("it did not read all of its input".to_string()));
        }
        String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
    }

    fn command(&self, root: &Path, settings: &[(&'static str, &'static str)]) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).current_dir(root).stdin(Stdio::null());
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(|name| self.without.iter().any(|prefix| name.starts_with(prefix))) {
                command.env_remove(&name);
            }
        }
        command.envs(settings.iter().copied()).envs(self.environment.iter().copied());
        command
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `None`: the limit was reached, and it still runs.
fn wait(child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let Some(limit) = limit else { return child.wait().map(Some) };
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit {
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn log(command: &mut Command, file: &Path) -> io::Result<()> {
    let file = File::create(file)?;
    command.stdout(file.try_clone()?).stderr(file);
    Ok(())
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Best effort: whatever fails here, the limit is reported.
fn kill(child: &mut Child, grouped: bool) {
    if grouped {
        let id = child.id();
        // The standard library signals one process only; the shell's own `kill` and `taskkill` take all of them.
        let _ = if cfg!(windows) {
            Command::new("taskkill").args(["/T", "/F", "/PID", &id.to_string()]).status()
        } else {
            Command::new("sh").args(["-c", &format!("kill -KILL -{id}")]).status()
        };
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_given_to_a_shell() {
        let invocation = Invocation::new("cargo doc --no-deps").environment("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(invocation.line(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_failure_tells_why() {
        let root = env::temp_dir();
        let missing = Invocation::new("no-such-program-of-xtask").run(&root, &[]).unwrap_err();
        assert!(missing.contains("no-such-program-of-xtask"), "{missing}");
        let missing =
            Invocation::new("no-such-program-of-xtask --flag").output(&root).unwrap_err().to_string();
        assert!(missing.contains("`no-such-program-of-xtask --flag`"), "{missing}");
        assert!(Invocation::new("cargo --version").output(&root).unwrap().starts_with("cargo "));
    }

    #[test]
    fn its_own_environment_wins_over_the_settings() {
        let invocation = Invocation::new("cargo doc").environment("RUSTDOCFLAGS", "-D warnings");
        let command =
            invocation.command(Path::new("."), &[("RUSTDOCFLAGS", "none"), ("CARGO_INCREMENTAL", "0")]);
        let set: Vec<_> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?))).collect();
        assert_eq!(set, [("CARGO_INCREMENTAL", "0"), ("RUSTDOCFLAGS", "-D warnings")]);
        assert!(command.get_envs().any(|(name, value)| name == "CARGO_PKG_NAME" && value.is_none()));
    }

    #[cfg(unix)]
    #[test]
    fn the_exit_status_decides() {
        let root = env::temp_dir();
        assert_eq!(Invocation::new("true").run(&root, &[]), Ok(()));
        assert!(Invocation::new("false").run(&root, &[]).unwrap_err().contains("exit status: 1"));
        assert!(Invocation::new("false").output(&root).unwrap_err().to_string().contains("exit status: 1"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_asked_and_answers() {
        let (root, long) = (env::temp_dir(), "line\n".repeat(100_000));
        assert_eq!(Invocation::new("cat").answer(&root, &[], &long).as_deref(), Ok(long.as_str()));
        let failure = Invocation::new("true").answer(&root, &[], &long).unwrap_err().to_string();
        assert!(failure.contains("input"), "{failure}");
        assert!(Invocation::new("false").answer(&root, &[], "").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_writes_goes_into_its_log() {
        let file = env::temp_dir().join(format!("xtask-log-{}", std::process::id()));
        let words = ["sh", "-c", "echo out; echo err >&2; echo $CARGO_PKG_NAME$PATH"].map(str::to_string);
        Invocation::of(words).without("PATH").log(file.clone()).run(&env::temp_dir(), &[]).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(text.starts_with("out\nerr\n") && !text.contains("xtask"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn a_limit_ends_a_program_that_does_not_end_by_itself() {
        let hanging = Invocation::new("sleep 600").limit(Duration::from_millis(50));
        assert!(hanging.run(&env::temp_dir(), &[]).unwrap_err().contains("50ms"));
    }
}
