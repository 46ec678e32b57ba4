//! The folder with the official schemas: `REVISION/schema.json`, and `REVISION/examples/DEFINITION/*.json` for the latest.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{document::Document, json::Json, revision::Revision};
use crate::command::Failure;

/// Names the folder when no argument does.
const VARIABLE: &str = "MCP_SPEC_SCHEMA";
/// Where it is looked for when nothing names it, from the root of the workspace.
const DEFAULT: &str = "../shared/spec/schema";
/// How to get it.
const HELP: &str = "\
it is the folder `schema` of https://github.com/modelcontextprotocol/modelcontextprotocol, for example after
    git clone https://github.com/modelcontextprotocol/modelcontextprotocol ../specification
    cargo xtask schema --spec ../specification/schema
(or MCP_SPEC_SCHEMA=../specification/schema); .github/workflows/ci.yml has the commit that this tree is checked against";

/// An official example of a definition of the latest revision.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) definition: String,
    /// Without its folder and extension.
    pub(super) file: String,
    pub(super) json: Json,
}

/// The folder that an argument, the environment, or nothing names.
pub(super) fn folder(argument: Option<&str>, root: &Path) -> PathBuf {
    let named = argument.map(PathBuf::from).or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
    named.unwrap_or_else(|| root.join(DEFAULT))
}

/// Reads the schema of every revision.
///
/// # Errors
/// One is missing or cannot be read as a whole.
pub(super) fn documents(folder: &Path) -> Result<Vec<Document>, Failure> {
    Revision::ALL
        .into_iter()
        .map(|revision| {
            let path = folder.join(revision.name()).join("schema.json");
            let text = fs::read_to_string(&path).map_err(|error| missing(&path, &error))?;
            Document::parse(revision, &text)
                .map_err(|why| Failure::failed(format!("{}: {why}", path.display())))
        })
        .collect()
}

/// Reads every official example.
///
/// # Errors
/// There are none, or one is no JSON.
pub(super) fn examples(folder: &Path) -> Result<Vec<Example>, Failure> {
    let folder = folder.join(Revision::LATEST.name()).join("examples");
    let mut examples = Vec::new();
    for definition in entries(&folder)? {
        for path in entries(&definition)? {
            let text = fs::read_to_string(&path).map_err(|error| missing(&path, &error))?;
            let json =
                Json::parse(&text).map_err(|why| Failure::failed(format!("{}: {why}", path.display())))?;
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            examples.push(Example { definition: name(&definition), file: name(&path), json });
        }
    }
    if examples.is_empty() {
        return Err(Failure::failed(format!("{} has no examples; {HELP}", folder.display())));
    }
    Ok(examples)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| missing(folder, &error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn missing(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}; {HELP}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = env::temp_dir().join(format!("xtask-schema-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_argument_comes_before_the_default() {
        assert_eq!(folder(Some("/a"), Path::new("/root")), Path::new("/a"));
    }

    #[test]
    fn a_missing_folder_fails_and_says_how_to_get_it() {
        let failure = documents(Path::new("/no/such/folder")).err().unwrap();
        assert!(failure.to_string().contains("git clone"), "{failure}");
        assert!(examples(Path::new("/no/such/folder")).is_err());
    }

    #[test]
    fn an_incomplete_folder_fails() {
        let folder = Folder::new("incomplete");
        for revision in &Revision::ALL[..4] {
            folder.write(&format!("{revision}/schema.json"), r#"{"definitions":{}}"#);
        }
        assert!(documents(&folder.0).err().unwrap().to_string().contains("2026-07-28"));
        folder.write("2026-07-28/schema.json", r#"{"$defs":{}}"#);
        assert_eq!(documents(&folder.0).unwrap().len(), 5);
        folder.write("2026-07-28/schema.json", r#"{"$defs":{"A":{"not":{}}}}"#);
        assert!(documents(&folder.0).err().unwrap().to_string().contains("`not`"));
        fs::create_dir_all(folder.0.join("2026-07-28/examples")).unwrap();
        assert!(examples(&folder.0).unwrap_err().to_string().contains("no examples"));
    }

    #[test]
    fn examples_are_named_by_their_folder() {
        let folder = Folder::new("examples");
        folder.write("2026-07-28/examples/Tool/plain.json", r#"{"name":"t"}"#);
        let examples = examples(&folder.0).unwrap();
        assert_eq!((examples[0].definition.as_str(), examples[0].file.as_str()), ("Tool", "plain"));
        folder.write("2026-07-28/examples/Tool/bad.json", "{");
        assert!(super::examples(&folder.0).is_err());
    }
}
