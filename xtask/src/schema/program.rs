//! The programs of mcp-types that this one asks: it depends on no crate of the product.

use std::path::Path;

use crate::{command::Failure, process::Invocation};

/// The types of mcp-types, behind processes.
pub(super) struct Types<'a> {
    pub(super) root: &'a Path,
    /// The environment of the processes, beside our own.
    pub(super) settings: &'a [(&'static str, &'static str)],
}

impl Types<'_> {
    /// What the types say about themselves.
    pub(super) fn inventory(&self) -> Result<String, Failure> {
        self.ask("cargo run --quiet -p mcp-types --example inventory", "")
    }

    /// Sends lines through the types: see the program for what they are.
    pub(super) fn round_trip(&self, lines: &str) -> Result<String, Failure> {
        self.ask("cargo run --quiet -p mcp-types --example round_trip", lines)
    }

    fn ask(&self, command: &str, input: &str) -> Result<String, Failure> {
        Invocation::new(command).answer(self.root, self.settings, input)
    }
}
