//! Fetches what the servers need into `target/interop`, once for each state of the pins.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::catalogue::Server;
use crate::{
    command::Failure,
    install::{self, call, copy, is_installed, read, renew, stamp},
    process::Invocation,
    programs,
};

/// The major version of Node.js that the pinned packages need.
const NODE: u32 = 20;

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
        install::begin(&self.home)?;
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
        programs::node(NODE)?;
        let folder = self.home.join("npm").join(name);
        install::npm(&self.source.join("npm").join(name), &folder)?;
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
}
