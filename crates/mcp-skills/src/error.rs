use std::{error, fmt};

/// The result of what is done with skills.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a skill, or a file of one, cannot be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server did not declare the extension.
    Undeclared,
    /// A request failed.
    Call(mcp_client::Error),
    /// What the server sent is not what the entry describes: damaged, tampered with, or of a newer state of the skill. It
    /// must not be used. [`get`](crate::get) has the entry as it is now; what a user approved was another one.
    Mismatch(Mismatch),
}

/// In what the content of a skill differs from its entry, or the entry from what the specification demands.
///
/// Texts are of the server: untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The entry breaks a rule.
    Entry(String),
    /// The entry has more files, or more bytes, than a skill may.
    TooLarge {
        /// How many files.
        files: usize,
        /// How many bytes, in total.
        bytes: u64,
    },
    /// The files are made on demand: nothing can be verified.
    Dynamic,
    /// The file is none of the skill, or the reference leaves it.
    Unlisted(String),
    /// The server did not answer with exactly this file.
    Contents {
        /// The URI of the file.
        uri: String,
        /// What came instead.
        why: String,
    },
    /// Another length.
    Size {
        /// The URI of the file.
        uri: String,
        /// In bytes.
        expected: u64,
        /// In bytes.
        actual: u64,
    },
    /// Other bytes.
    Digest {
        /// The URI of the file.
        uri: String,
    },
    /// The front matter of `SKILL.md` cannot be read, or is not that of the entry: where, and what is wrong there.
    FrontMatter(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undeclared => f.write_str("the server did not declare the skills extension"),
            Self::Call(error) => error.fmt(f),
            Self::Mismatch(mismatch) => mismatch.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::Mismatch(_) | Self::Undeclared => None,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(why) => write!(f, "the entry of the skill is not valid: {why}"),
            Self::TooLarge { files, bytes } => {
                write!(f, "the skill is too large: {files} files, {bytes} bytes")
            }
            Self::Dynamic => f.write_str("the files of the skill are made on demand and cannot be verified"),
            Self::Unlisted(what) => write!(f, "{what:?} is no file of the skill"),
            Self::Contents { uri, why } => write!(f, "{uri:?} did not come as one file: {why}"),
            Self::Size { uri, expected, actual } => {
                write!(f, "{uri:?} has {actual} bytes, not {expected} as its entry says")
            }
            Self::Digest { uri } => write!(f, "{uri:?} has another digest than its entry says"),
            Self::FrontMatter(why) => {
                write!(f, "the front matter of the skill is not that of its entry: {why}")
            }
        }
    }
}

impl error::Error for Mismatch {}

impl From<mcp_client::Error> for Error {
    fn from(error: mcp_client::Error) -> Self {
        Self::Call(error)
    }
}

impl From<Mismatch> for Error {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}
