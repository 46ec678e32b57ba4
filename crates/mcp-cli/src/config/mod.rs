//! Servers from the configuration files of hosts: `mcpServers` as Claude Desktop and Cursor write it, `servers` as VS Code
//! does. Knows nothing of the command line or of transports.
//!
//! A file may have comments and trailing commas. In strings, `${VAR}`, `${env:VAR}` and `${VAR:-default}` stand for a
//! variable of the environment, `${userHome}` for the user's folder, `${workspaceFolder}` for the folder that the file
//! belongs to. Errors name the file and the line.

mod expand;
mod jsonc;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt, fs, io, path::Path, path::PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use expand::expand;
pub(crate) use jsonc::plain;

/// How one server is started, or reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerConfig {
    /// A command.
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<PathBuf> },
    /// A URL.
    Http { url: String, headers: Vec<(String, String)> },
}

/// A file that was read. Entries are looked into when they are asked for: a bad one does not spoil the others.
#[derive(Debug)]
pub(crate) struct Config {
    path: PathBuf,
    /// Without comments; every line where it was.
    text: String,
    /// Names, and where their entries begin.
    entries: Vec<(String, std::ops::Range<usize>)>,
}

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct ConfigError {
    path: PathBuf,
    line: Option<usize>,
    problem: String,
}

impl Config {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        /// No configuration is longer.
        const LONGEST: u64 = 16 << 20;
        let failed = |error: io::Error| ConfigError::new(path, None, error.to_string());
        let length = fs::metadata(path).map_err(failed)?.len();
        if length > LONGEST {
            return Err(ConfigError::new(path, None, format!("too long: {length} bytes")));
        }
        Self::parse(path, &fs::read_to_string(path).map_err(failed)?)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let text = plain(text.strip_prefix('\u{feff}').unwrap_or(text));
        let top: BTreeMap<String, &RawValue> = serde_json::from_str(&text)
            .map_err(|error| ConfigError::new(path, Some(error.line()), without_place(&error)))?;
        let nested: BTreeMap<String, &RawValue> =
            top.get("mcp").and_then(|settings| serde_json::from_str(settings.get()).ok()).unwrap_or_default();
        let Some(servers) =
            top.get("mcpServers").or_else(|| top.get("servers")).or_else(|| nested.get("servers"))
        else {
            return Err(ConfigError::new(path, None, "neither `mcpServers` nor `servers` in it"));
        };
        let at = offset(&text, servers);
        let entries: Entries<'_> = serde_json::from_str(servers.get())
            .map_err(|error| ConfigError::new(path, Some(line(&text, at)), without_place(&error)))?;
        let entries = entries.0.into_iter().map(|(name, raw)| {
            let at = offset(&text, raw);
            (name, at..at + raw.get().len())
        });
        let entries = entries.collect();
        Ok(Self { path: path.to_owned(), entries, text })
    }

    /// The names of the servers, in the order of the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// The server `name`, with variables replaced; `None` when the file has none of that name.
    ///
    /// # Errors
    /// When the entry has neither a command nor a URL, or something in it is of the wrong kind, or a variable is not set.
    pub(crate) fn server(
        &self,
        name: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<Result<ServerConfig, ConfigError>> {
        let (_, range) = self.entries.iter().rev().find(|(found, _)| found == name)?;
        Some(Entry { config: self, name, range: range.clone(), variable: &variable }.read())
    }
}

/// One entry, while it is read.
struct Entry<'a> {
    config: &'a Config,
    name: &'a str,
    range: std::ops::Range<usize>,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Entry<'_> {
    fn read(&self) -> Result<ServerConfig, ConfigError> {
        let text = &self.config.text[self.range.clone()];
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_str(text).map_err(|_| self.wrong(self.range.start, "is not an object"))?;
        if let Some(file) = members.get("envFile") {
            return Err(self.wrong_at(file, "`envFile` is not read here: put the variables into `env`"));
        }
        let url = ["url", "serverUrl", "httpUrl"]
            .iter()
            .find_map(|name| members.get(*name).map(|raw| (*name, *raw)));
        match (members.get("command"), url) {
            (Some(command), _) => {
                let cwd = match members.get("cwd") {
                    Some(raw) => Some(PathBuf::from(self.text("cwd", raw)?)),
                    None => None,
                };
                Ok(ServerConfig::Stdio {
                    command: self.text("command", command)?,
                    args: self.texts(&members)?,
                    env: self.pairs("env", &members)?,
                    cwd,
                })
            }
            (None, Some((name, raw))) => Ok(ServerConfig::Http {
                url: self.text(name, raw)?,
                headers: self.pairs("headers", &members)?,
            }),
            (None, None) => Err(self.wrong(self.range.start, "has neither `command` nor `url`")),
        }
    }

    fn text(&self, member: &str, raw: &RawValue) -> Result<String, ConfigError> {
        let text: String = self.decode(raw, &format!("`{member}` is not a text"))?;
        self.expand(&text, raw)
    }

    fn texts(&self, members: &BTreeMap<String, &RawValue>) -> Result<Vec<String>, ConfigError> {
        let Some(raw) = members.get("args").filter(|raw| raw.get() != "null") else { return Ok(Vec::new()) };
        let elements: Vec<&RawValue> = self.decode(raw, "`args` is not a list")?;
        elements
            .into_iter()
            .map(|element| {
                let text: String = self.decode(element, "an element of `args` is not a text")?;
                self.expand(&text, element)
            })
            .collect()
    }

    /// Variables or header fields. Numbers and booleans are taken for what they look like; `null` means: not set.
    fn pairs(
        &self,
        member: &str,
        members: &BTreeMap<String, &RawValue>,
    ) -> Result<Vec<(String, String)>, ConfigError> {
        let Some(raw) = members.get(member).filter(|raw| raw.get() != "null") else { return Ok(Vec::new()) };
        let entries: BTreeMap<String, &RawValue> =
            self.decode(raw, &format!("`{member}` is not an object"))?;
        let mut pairs = Vec::new();
        for (name, raw) in entries {
            match raw.get().as_bytes().first() {
                Some(b'n') => {}
                Some(b'{' | b'[') => {
                    return Err(self.wrong_at(raw, &format!("`{name}` in `{member}` is not a text")));
                }
                Some(b'"') => {
                    let text: String = self.decode(raw, &format!("`{name}` in `{member}` is not a text"))?;
                    pairs.push((name, self.expand(&text, raw)?));
                }
                _ => pairs.push((name, raw.get().to_owned())),
            }
        }
        Ok(pairs)
    }

    fn expand(&self, text: &str, at: &RawValue) -> Result<String, ConfigError> {
        expand(text, |name| self.lookup(name)).map_err(|problem| self.wrong_at(at, &problem))
    }

    fn lookup(&self, name: &str) -> Option<String> {
        match name {
            "userHome" => (self.variable)("HOME").or_else(|| (self.variable)("USERPROFILE")),
            "workspaceFolder" => Some(workspace(&self.config.path).to_string_lossy().into_owned()),
            name => (self.variable)(name.strip_prefix("env:").unwrap_or(name)),
        }
    }

    fn decode<'t, T: Deserialize<'t>>(&self, raw: &'t RawValue, problem: &str) -> Result<T, ConfigError> {
        serde_json::from_str(raw.get()).map_err(|_| self.wrong_at(raw, problem))
    }

    fn wrong_at(&self, raw: &RawValue, problem: &str) -> ConfigError {
        self.wrong(offset(&self.config.text, raw), problem)
    }

    fn wrong(&self, at: usize, problem: &str) -> ConfigError {
        let line = line(&self.config.text, at);
        ConfigError::new(&self.config.path, Some(line), format!("server `{}`: {problem}", self.name))
    }
}

/// The members of an object in their order.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<'a>(std::marker::PhantomData<&'a ()>);
        impl<'de: 'a, 'a> serde::de::Visitor<'de> for Visitor<'a> {
            type Value = Entries<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of servers")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Visitor(std::marker::PhantomData))
    }
}

/// The folder that a file belongs to: the parent of `.vscode` or `.cursor`, else that of the file.
fn workspace(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("/"));
    let is_hidden = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    folder.parent().filter(|_| is_hidden).unwrap_or(folder).to_owned()
}

/// Where `raw` stands in `text`, out of which it was borrowed.
fn offset(text: &str, raw: &RawValue) -> usize {
    raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

fn line(text: &str, at: usize) -> usize {
    text[..at].split('\n').count()
}

/// What serde says, less the place, which is told apart.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

impl ConfigError {
    fn new(path: &Path, line: Option<usize>, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, problem: problem.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.problem)
    }
}

impl std::error::Error for ConfigError {}
