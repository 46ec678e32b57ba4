//! What a subcommand is, and how it fails.

use std::fmt;

/// A subcommand of `cargo xtask`.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// One line for the list of subcommands.
    pub(crate) summary: &'static str,
    /// The whole of `--help` below the summary, from `Usage:` on.
    pub(crate) usage: &'static str,
    /// Gets the arguments after the subcommand's name; `--help` never reaches it.
    pub(crate) run: fn(&[String]) -> Result<(), Failure>,
}

impl Command {
    /// The text of `cargo xtask NAME --help`.
    pub(crate) fn help(&self) -> String {
        format!("{}.\n\n{}\n", self.summary, self.usage.trim_end())
    }
}

/// Why a subcommand ended without success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It was called in a wrong way.
    Usage(String),
    /// It did its work, and the answer is no; or it could not do its work.
    Failed(String),
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// 2 for a wrong call, 1 for everything else.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Failed(message) => f.write_str(message),
        }
    }
}
