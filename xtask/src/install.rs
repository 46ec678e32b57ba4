//! Fetching what others wrote into a folder of `target`, once for each state of its pins.

use std::{fs, io, path::Path, time::Duration};

use crate::{process::Invocation, programs};

/// For one call of npm, pip or cargo.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Beside what was installed: the pins that it was installed from.
const STAMP: &str = "installed-from";

/// Installs into `folder` what the `package-lock.json` in `pins` says, unless it is there. Nothing of it is run.
///
/// # Errors
/// npm is missing, or fails.
pub(crate) fn npm(pins: &Path, folder: &Path) -> Result<(), String> {
    programs::npm()?;
    let lock = read(&pins.join("package-lock.json"))?;
    if is_installed(folder, &lock) {
        return Ok(());
    }
    renew(folder)?;
    copy(pins, folder).map_err(|error| error.to_string())?;
    let line = "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error";
    call(Invocation::new(line), folder, &[])?;
    stamp(folder, &lock)
}

/// Makes the folder that everything is put into.
pub(crate) fn begin(home: &Path) -> io::Result<()> {
    fs::create_dir_all(home)?;
    // Tools that search or back up the tree, `xtask tidy` too, leave such a folder out.
    fs::write(home.join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n")
}

pub(crate) fn call(
    invocation: Invocation,
    folder: &Path,
    settings: &[(&'static str, &'static str)],
) -> Result<(), String> {
    let invocation = invocation.limit(LIMIT);
    println!("$ {}", invocation.line());
    invocation.run(folder, settings).map_err(|why| format!("`{}`: {why}", invocation.line()))
}

pub(crate) fn is_installed(folder: &Path, pins: &str) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|installed| installed == pins)
}

pub(crate) fn stamp(folder: &Path, pins: &str) -> Result<(), String> {
    fs::write(folder.join(STAMP), pins).map_err(|error| format!("{}: {error}", folder.display()))
}

pub(crate) fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// An empty folder, whatever was there.
pub(crate) fn renew(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
    .map_err(|error| format!("{}: {error}", folder.display()))
}

/// The files of a folder; it has no folders in it.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_installed_from_other_pins_is_not_installed() {
        let folder = std::env::temp_dir().join(format!("xtask-install-{}", std::process::id()));
        renew(&folder).unwrap();
        assert!(!is_installed(&folder, "a==1"));
        stamp(&folder, "a==1").unwrap();
        assert!(is_installed(&folder, "a==1") && !is_installed(&folder, "a==2"));
        renew(&folder).unwrap();
        assert!(!is_installed(&folder, "a==1"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
