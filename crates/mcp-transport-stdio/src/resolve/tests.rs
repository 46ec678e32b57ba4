use std::ffi::OsString;

use super::*;

/// Paths as Windows sees them: with either separator, without case, and starting at the last drive that was joined.
fn normal(path: &Path) -> String {
    let path = path.to_string_lossy().replace('/', "\\").to_lowercase();
    let drive = path.rfind(r":\").map_or(0, |colon| colon - 1);
    path[drive..].to_owned()
}

fn windows(program: &str, extensions: Option<&str>, files: &[&str]) -> Result<String, ResolveError> {
    let directories = [PathBuf::from(r"C:\Program Files\nodejs"), PathBuf::from(r"C:\tools")];
    let search = Search {
        os: Os::Windows,
        program: OsStr::new(program),
        directories: &directories,
        extensions,
        base: Path::new(r"C:\work"),
    };
    let look = |path: &Path| {
        if files.iter().any(|file| file.to_lowercase() == normal(path)) {
            Found::Executable
        } else {
            Found::Nothing
        }
    };
    resolve(&search, &look).map(|path| normal(&path))
}

/// Field report S-08.
#[test]
fn a_bare_name_is_completed_by_pathext_on_windows() {
    let files = [
        r"C:\Program Files\nodejs\npx",
        r"C:\Program Files\nodejs\npx.cmd",
        r"C:\tools\npx.exe",
        r"C:\tools\py3.11.exe",
        r"C:\tools\run.vbs",
        r"C:\work\evil.exe",
    ];
    let found = |program, extensions| windows(program, extensions, &files).unwrap();
    assert_eq!(found("npx", None), r"c:\program files\nodejs\npx.cmd");
    assert_eq!(found("npx", Some(".EXE;.CMD")), r"c:\program files\nodejs\npx.cmd");
    assert_eq!(found("npx", Some(".EXE")), r"c:\tools\npx.exe");
    assert_eq!(found("NPX.CMD", None), r"c:\program files\nodejs\npx.cmd");
    assert_eq!(found("py3.11", None), r"c:\tools\py3.11.exe");
    for not_startable in ["run", "run.vbs", "evil"] {
        let error = windows(not_startable, Some(".VBS;.EXE"), &files).unwrap_err();
        let ResolveError::NotFound(searched) = error else { panic!() };
        assert_eq!(searched.len(), 2, "{searched:?}");
    }
}

/// Field report S-08.
#[test]
fn the_first_extension_of_pathext_wins_within_a_directory() {
    let files = [r"C:\tools\a.cmd", r"C:\tools\a.exe"];
    assert_eq!(windows("a", Some(".CMD; .EXE"), &files).unwrap(), r"c:\tools\a.cmd");
    assert_eq!(windows("a", Some(".EXE;.CMD"), &files).unwrap(), r"c:\tools\a.exe");
}

/// Field report S-08.
#[test]
fn a_path_is_taken_from_the_working_directory_on_windows() {
    let files = [r"C:\work\bin\server.cmd", r"C:\work\bin\raw"];
    assert_eq!(windows(r"bin\server", None, &files).unwrap(), r"c:\work\bin\server.cmd");
    assert_eq!(windows("bin/server.cmd", None, &files).unwrap(), r"c:\work\bin\server.cmd");
    assert_eq!(windows(r"bin\raw", None, &files).unwrap(), r"c:\work\bin\raw");
    let ResolveError::NotFound(tried) = windows(r"bin\none", None, &files).unwrap_err() else { panic!() };
    assert!(tried.iter().any(|path| normal(path) == r"c:\work\bin\none.exe"), "{tried:?}");
}

/// Field report S-08, CVE-2024-24576 and CVE-2024-43402.
#[test]
fn arguments_that_cannot_be_quoted_are_refused_for_batch_files() {
    let arguments: Vec<OsString> =
        ["a b", "x&y", "%PATH%", r#"{"a":"b"}"#, "two\r\nlines"].map(Into::into).into();
    for program in ["npx.cmd", "NPX.CMD", "a.bat", "a.bat. ."] {
        let refused =
            |arguments: &[OsString]| unsafe_batch_argument(Os::Windows, Path::new(program), arguments);
        assert_eq!(refused(&arguments), Some(4), "{program}");
        assert_eq!(refused(&arguments[..4]), None, "{program}");
    }
    for (os, program) in [(Os::Windows, "node.exe"), (Os::Windows, "cmd"), (Os::Unix, "npx.cmd")] {
        assert_eq!(unsafe_batch_argument(os, Path::new(program), &arguments), None);
    }
}

fn unix(program: &str, directories: &[&str], files: &[(&str, Found)]) -> Result<PathBuf, ResolveError> {
    let directories: Vec<_> = directories.iter().map(PathBuf::from).collect();
    let search = Search {
        os: Os::Unix,
        program: OsStr::new(program),
        directories: &directories,
        extensions: None,
        base: Path::new("/work"),
    };
    resolve(&search, &|path| {
        files.iter().find(|(file, _)| Path::new(file) == path).map_or(Found::Nothing, |(_, found)| *found)
    })
}

#[test]
fn the_first_executable_on_the_path_is_taken() {
    let files = [
        ("/a/server", Found::NotExecutable),
        ("/b/server", Found::Executable),
        ("/c/server", Found::Executable),
        ("/work/rel/tool", Found::Executable),
        ("/work/here", Found::Executable),
    ];
    let found = |program| unix(program, &["/a", "", "/b", "/c", "rel"], &files);
    assert_eq!(found("server").unwrap(), Path::new("/b/server"));
    assert_eq!(found("tool").unwrap(), Path::new("/work/rel/tool"));
    assert_eq!(found("./here").unwrap(), Path::new("/work/./here"));
    assert_eq!(found("/c/server").unwrap(), Path::new("/c/server"));
    assert!(matches!(found("here"), Err(ResolveError::NotFound(_))), "not in the working directory");
}

/// Field report S-09.
#[test]
fn an_error_names_what_was_searched() {
    let error = unix("server", &["/a", "", "/b"], &[]).unwrap_err();
    assert_eq!(error.to_string(), "it was not found; searched: /a, /b");
    let error = unix("bin/server", &["/a"], &[]).unwrap_err();
    assert_eq!(error.to_string(), "it was not found; searched: /work/bin/server");
    let error = unix("server", &["/a"], &[("/a/server", Found::NotExecutable)]).unwrap_err();
    assert_eq!(error.to_string(), "/a/server is not an executable file");
    assert_eq!(unix("", &["/a"], &[]).unwrap_err(), ResolveError::Empty);
    assert_eq!(
        unix("x", &[], &[]).unwrap_err().to_string(),
        "it was not found: the PATH it was given is empty"
    );
}
