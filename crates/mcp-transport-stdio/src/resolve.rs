use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

/// The rules of which system. A value, so that the rules of one can be tested on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Os {
    #[cfg_attr(windows, allow(dead_code, reason = "its rules are compiled everywhere"))]
    Unix,
    #[cfg_attr(not(windows), allow(dead_code, reason = "its rules are compiled everywhere"))]
    Windows,
}

impl Os {
    pub(crate) const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    /// Whether the rules of Windows count. Known when it is compiled, but for tests: a program for another system does
    /// not carry them.
    #[inline]
    pub(crate) fn is_windows(self) -> bool {
        cfg!(any(windows, test)) && matches!(self, Self::Windows)
    }
}

/// Where a command is looked for.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) os: Os,
    pub(crate) program: &'a OsStr,
    /// The entries of the child's `PATH`.
    pub(crate) directories: &'a [PathBuf],
    /// The child's `PATHEXT`, on Windows.
    pub(crate) extensions: Option<&'a str>,
    /// The child's working directory.
    pub(crate) base: &'a Path,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    NotExecutable,
    Executable,
}

/// Why a command cannot be run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResolveError {
    Empty,
    /// With what was searched: directories for a bare name, the paths tried otherwise.
    NotFound(Vec<PathBuf>),
    NotExecutable(PathBuf),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the command is empty"),
            Self::NotFound(searched) if searched.is_empty() => {
                f.write_str("it was not found: the PATH it was given is empty")
            }
            Self::NotFound(searched) => {
                f.write_str("it was not found; searched: ")?;
                for (at, path) in searched.iter().enumerate() {
                    write!(f, "{}{}", if at == 0 { "" } else { ", " }, path.display())?;
                }
                Ok(())
            }
            Self::NotExecutable(path) => write!(f, "{} is not an executable file", path.display()),
        }
    }
}

/// Finds the file to run for a command, as the child would find it.
///
/// - With a directory in it, a command is a path, from the child's working directory if relative.
/// - Otherwise the directories of the child's `PATH` are searched, in order. The working directory is never searched
///   unasked, neither for an empty entry of `PATH` nor, on Windows, first: it may belong to somebody else.
/// - On Windows, names are completed by `PATHEXT`, as far as such files can be started without a shell: `npx` is
///   `npx.cmd`, and never the file `npx` beside it, which is a script for other systems.
pub(crate) fn resolve(search: &Search<'_>, look: &dyn Fn(&Path) -> Found) -> Result<PathBuf, ResolveError> {
    if search.program.is_empty() {
        return Err(ResolveError::Empty);
    }
    let is_path = has_directory(search.os, search.program);
    let names = names(search, is_path);
    let mut directories = Vec::new();
    if is_path {
        directories.push(search.base.to_owned());
    } else {
        for entry in search.directories {
            if !entry.as_os_str().is_empty() {
                directories.push(search.base.join(entry));
            }
        }
    }

    let mut not_executable = None;
    let mut tried = Vec::new();
    for directory in &directories {
        for name in &names {
            let path = directory.join(name);
            match look(&path) {
                Found::Executable => return Ok(path),
                Found::NotExecutable => not_executable = not_executable.or(Some(path)),
                Found::Nothing if is_path => tried.push(path),
                Found::Nothing => {}
            }
        }
    }
    Err(match not_executable {
        Some(path) => ResolveError::NotExecutable(path),
        None if is_path => ResolveError::NotFound(tried),
        None => ResolveError::NotFound(directories),
    })
}

fn has_directory(os: Os, program: &OsStr) -> bool {
    let bytes = program.as_encoded_bytes();
    bytes.contains(&b'/') || (os.is_windows() && bytes.iter().any(|byte| matches!(byte, b'\\' | b':')))
}

/// What Windows can start by itself.
const STARTABLE: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

fn names(search: &Search<'_>, is_path: bool) -> Vec<OsString> {
    let program = search.program.to_owned();
    if !search.os.is_windows() {
        return vec![program];
    }
    let startable = |extension: &str| STARTABLE.iter().any(|known| known.eq_ignore_ascii_case(extension));
    let listed = search.extensions.unwrap_or(".COM;.EXE;.BAT;.CMD");
    let completed =
        listed.split(';').map(str::trim).filter(|extension| startable(extension)).map(|extension| {
            let mut name = program.clone();
            name.push(extension.to_ascii_lowercase());
            name
        });
    let complete = STARTABLE.iter().any(|extension| ends_with_ignoring_case(&program, extension));
    if complete {
        std::iter::once(program.clone()).chain(completed).collect()
    } else if is_path {
        completed.chain(std::iter::once(program.clone())).collect()
    } else {
        completed.collect()
    }
}

fn ends_with_ignoring_case(text: &OsStr, end: &str) -> bool {
    let (text, end) = (text.as_encoded_bytes(), end.as_bytes());
    text.len() >= end.len() && text[text.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Which argument, if any, must not be handed to the batch file `program` (`BatBadBut`, CVE-2024-24576).
///
/// The standard library quotes arguments for `cmd.exe` from Rust 1.77.2 on, and knows names with dots and spaces at
/// their end from 1.81 on (CVE-2024-43402). What cannot be quoted it refuses; this says so first, and which one it is.
pub(crate) fn unsafe_batch_argument(os: Os, program: &Path, arguments: &[OsString]) -> Option<usize> {
    if !os.is_windows() || !is_batch_file(program) {
        return None;
    }
    arguments.iter().position(|argument| {
        argument.as_encoded_bytes().iter().any(|byte| matches!(byte, b'\0' | b'\r' | b'\n'))
    })
}

fn is_batch_file(program: &Path) -> bool {
    // Windows ignores dots and spaces at the end of a name.
    let name = program.as_os_str().to_string_lossy();
    let name = name.trim_end_matches(['.', ' ']);
    [".bat", ".cmd"].iter().any(|extension| ends_with_ignoring_case(OsStr::new(name), extension))
}

/// What stands at `path` on this system.
pub(crate) fn look(path: &Path) -> Found {
    match path.metadata() {
        Err(_) => Found::Nothing,
        Ok(metadata) if metadata.is_file() && is_executable(&metadata) => Found::Executable,
        Ok(_) => Found::NotExecutable,
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests;
