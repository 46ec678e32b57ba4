//! The files of the repository, read once.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use crate::command::Failure;

/// Larger files are listed but not read: no rule looks into them.
const READ_LIMIT: u64 = 4 * 1024 * 1024;

/// The root of the workspace: above the manifest that cargo names, or the nearest folder upwards that has an `xtask`.
pub(crate) fn root() -> Result<PathBuf, Failure> {
    if let Some(root) = env::var_os("CARGO_MANIFEST_DIR").as_deref().and_then(|dir| Path::new(dir).parent()) {
        return Ok(root.to_path_buf());
    }
    let here = env::current_dir().map_err(|error| Failure::failed(format!("no current folder: {error}")))?;
    here.ancestors()
        .find(|folder| folder.join("xtask/Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::failed("run it inside the repository: no xtask/Cargo.toml here or above"))
}

/// Text files by their path from the root, with `/` on every system. A file that is not text has an empty text.
#[derive(Debug, Default)]
pub(crate) struct Files(BTreeMap<String, String>);

impl Files {
    /// Reads everything below `root` but build output, installed packages, and what version control keeps for itself.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let failed = |error| Failure::failed(format!("{}: {error}", folder.display()));
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
                if kind.is_dir() {
                    if !is_foreign(&path) {
                        folders.push(path);
                    }
                } else if kind.is_file() {
                    let relative = path.strip_prefix(root).unwrap_or(&path);
                    let name: Vec<_> =
                        relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
                    files.insert(name.join("/"), read_text(&path)?);
                }
            }
        }
        Ok(Self(files))
    }

    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Those with this extension, without its dot.
    pub(crate) fn of_kind(&self, extension: &str) -> impl Iterator<Item = (&str, &str)> {
        self.iter()
            .filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, other)| other == extension))
    }

    /// The folders in `crates/` that hold a manifest, in the order of their names. A package is named as its folder.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &str> {
        self.0.keys().filter_map(|path| {
            let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!name.contains('/')).then_some(name)
        })
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Files {
    fn from(files: [(&str, &str); N]) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.to_string(), text.to_string())).collect())
    }
}

/// Cargo marks its output with `CACHEDIR.TAG`, whatever the folder's name.
fn is_foreign(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    name == ".git" || name == "node_modules" || folder.join("CACHEDIR.TAG").exists()
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::failed(format!("{}: {error}", path.display()));
    if fs::metadata(path).map_err(failed)?.len() > READ_LIMIT {
        return Ok(String::new());
    }
    Ok(String::from_utf8(fs::read(path).map_err(failed)?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_below_the_root_and_skips_build_output_by_its_mark() {
        let root = env::temp_dir().join(format!("xtask-files-{}", std::process::id()));
        for folder in ["crates/a/src", "out/debug", ".git"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in
            ["crates/a/Cargo.toml", "crates/a/src/lib.rs", "out/CACHEDIR.TAG", "out/debug/b.rs", ".git/c.rs"]
        {
            fs::write(root.join(file), "x").unwrap();
        }
        fs::write(root.join("binary"), [0xff, 0xfe]).unwrap();
        let files = Files::read(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        let paths: Vec<_> = files.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["binary", "crates/a/Cargo.toml", "crates/a/src/lib.rs"]);
        assert_eq!(files.get("binary"), Some(""));
        assert_eq!(files.crates().collect::<Vec<_>>(), ["a"]);
        assert_eq!(files.of_kind("rs").count(), 1);
    }
}
