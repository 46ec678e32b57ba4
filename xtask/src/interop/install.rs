//! Fetches what the servers need into `target/interop`, once for each state of the pins.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{catalogue::Server, programs};
use crate::{command::Failure, process::Invocation};

/// For one call of npm, pip or cargo.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Beside what was installed: the pins that it was installed from.
const STAMP: &str = "installed-from";

/// Puts everything in its place, and remembers what is there and what cannot be.
pub(super) struct Installer<'a> {
    /// `interop/` of the repository.
    source: PathBuf,
    /// Where everything is put.
    pub(super) home: PathBuf,
    /// The environment of cargo, beside our own.
    settings: &'a [(&'static str, &'static str)],
    done: BTreeMap<String, Result<(), String>>,
}

impl<'a> Installer<'a> {
    pub(super) fn new(root: &Path, settings: &'a [(&'static str, &'static str)]) -> Result<Self, Failure> {
        if !cfg!(unix) {
            return Err(Failure::failed("the servers are only known to run on Unix systems"));
        }
        let home = root.join("target/interop");
        let installer = Self { source: root.join("interop"), home, settings, done: BTreeMap::new() };
        installer.begin().map_err(|error| Failure::failed(format!("target/interop: {error}")))?;
        Ok(installer)
    }

    /// The folder, and in it the servers of our own: what they compile themselves to stays out of the repository.
    fn begin(&self) -> io::Result<()> {
        fs::create_dir_all(&self.home)?;
        // Tools that search or back up the tree, `xtask tidy` too, leave such a folder out.
        fs::write(self.home.join("CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n")?;
        copy(&self.source.join("servers/python"), &self.home.join("servers/python"))
    }

    /// Builds the driver; its path.
    pub(super) fn driver(&mut self) -> Result<PathBuf, Failure> {
        self.need("cargo/interop-driver").map_err(Failure::failed)?;
        Ok(self.home.join("build/debug/interop-driver"))
    }

    /// # Errors
    /// Something that it needs cannot be had; why.
    pub(super) fn install(&mut self, server: &Server) -> Result<(), String> {
        server.install.iter().try_for_each(|need| self.need(need))
    }

    fn need(&mut self, need: &str) -> Result<(), String> {
        if let Some(known) = self.done.get(need) {
            return known.clone();
        }
        let result = match need.split_once('/') {
            Some(("npm", name)) => self.npm(name),
            Some(("python", name)) => self.python(name),
            Some(("cargo", package)) => self.cargo(package),
            _ => Err("neither npm, python nor cargo".to_string()),
        };
        let result = result.map_err(|why| format!("{need}: {why}"));
        self.done.insert(need.to_string(), result.clone());
        result
    }

    fn npm(&self, name: &str) -> Result<(), String> {
        programs::node()?;
        let (pins, folder) = (self.source.join("npm").join(name), self.home.join("npm").join(name));
        let lock = read(&pins.join("package-lock.json"))?;
        if !is_installed(&folder, &lock) {
            renew(&folder)?;
            copy(&pins, &folder).map_err(|error| error.to_string())?;
            let line = "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error";
            call(Invocation::new(line), &folder, &[])?;
            stamp(&folder, &lock)?;
        }
        // Imports are looked for from the folder of the file that has them.
        copy(&self.source.join("servers/typescript"), &folder).map_err(|error| error.to_string())
    }

    fn python(&self, name: &str) -> Result<(), String> {
        let python = programs::python()?;
        let (pins, folder) =
            (self.source.join(format!("python/{name}.txt")), self.home.join("python").join(name));
        let lock = read(&pins)?;
        if is_installed(&folder, &lock) {
            return Ok(());
        }
        renew(&folder)?;
        call(Invocation::new(&format!("{python} -m venv .")), &folder, &[])?;
        fs::copy(&pins, folder.join("requirements.txt")).map_err(|error| error.to_string())?;
        // Every package is in the list, so none may bring another.
        let line =
            "bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt";
        call(Invocation::new(line), &folder, &[])?;
        stamp(&folder, &lock)
    }

    /// In a target folder of its own, as the lock file is another one.
    fn cargo(&self, package: &str) -> Result<(), String> {
        let line = format!("cargo build --quiet --locked -p {package} --target-dir ../target/interop/build");
        call(Invocation::new(&line), &self.source, self.settings)
    }
}

fn call(
    invocation: Invocation,
    folder: &Path,
    settings: &[(&'static str, &'static str)],
) -> Result<(), String> {
    let invocation = invocation.limit(LIMIT);
    println!("$ {}", invocation.line());
    invocation.run(folder, settings).map_err(|why| format!("`{}`: {why}", invocation.line()))
}

fn is_installed(folder: &Path, pins: &str) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|installed| installed == pins)
}

fn stamp(folder: &Path, pins: &str) -> Result<(), String> {
    fs::write(folder.join(STAMP), pins).map_err(|error| format!("{}: {error}", folder.display()))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// An empty folder, whatever was there.
fn renew(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
    .map_err(|error| format!("{}: {error}", folder.display()))
}

/// The files of a folder; it has no folders in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
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

    fn installer() -> Installer<'static> {
        Installer { source: PathBuf::new(), home: PathBuf::new(), settings: &[], done: BTreeMap::new() }
    }

    #[test]
    fn what_cannot_be_had_is_tried_once() {
        let mut installer = installer();
        let why = installer.need("npm").unwrap_err();
        assert_eq!(why, "npm: neither npm, python nor cargo");
        installer.done.insert("npm/x".to_string(), Err("npm/x: no".to_string()));
        assert_eq!(installer.need("npm/x"), Err("npm/x: no".to_string()));
    }

    #[test]
    fn what_was_installed_from_other_pins_is_not_installed() {
        let folder = std::env::temp_dir().join(format!("xtask-interop-{}", std::process::id()));
        renew(&folder).unwrap();
        assert!(!is_installed(&folder, "a==1"));
        stamp(&folder, "a==1").unwrap();
        assert!(is_installed(&folder, "a==1") && !is_installed(&folder, "a==2"));
        renew(&folder).unwrap();
        assert!(!is_installed(&folder, "a==1"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
