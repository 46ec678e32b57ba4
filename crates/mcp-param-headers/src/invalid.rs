use std::fmt;

use mcp_types::jsonrpc::Shown;

/// Why the `x-mcp-header` annotations of a tool are invalid: the first fault that was found.
///
/// Section: [Schema Extension](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidHeader {
    /// The names of the properties that lead to the fault; empty at the root. Text of the server: untrusted.
    pub path: Vec<String>,
    /// The fault.
    pub reason: InvalidHeaderReason,
}

/// What is wrong with an `x-mcp-header` annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidHeaderReason {
    /// It is no string.
    NotText,
    /// It is empty.
    Empty,
    /// It is no name of a header field: it contains this character, a space, a colon or a control character, say.
    Character(char),
    /// The parameter is of another type than string, integer and boolean, or of none that its schema names.
    Type,
    /// Another parameter has the same one, if upper and lower case are not told apart.
    Duplicate,
    /// It stands where a chain of `properties` alone does not lead: behind this keyword, or at the root.
    Unreachable(Option<&'static str>),
    /// The schema is nested too deep to be looked into (127 levels).
    TooDeep,
}

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use InvalidHeaderReason as Reason;
        f.write_str("`x-mcp-header`")?;
        if !self.path.is_empty() {
            write!(f, " of `{}`", Shown(&self.path.join(".")))?;
        }
        match &self.reason {
            Reason::NotText => f.write_str(" is no string"),
            Reason::Empty => f.write_str(" is empty"),
            Reason::Character(c) => write!(f, " contains {c:?}, which no name of a header field does"),
            Reason::Type => f.write_str(" is on a parameter that is no string, integer or boolean"),
            Reason::Duplicate => f.write_str(" is on another parameter too"),
            Reason::Unreachable(Some(keyword)) => write!(f, " stands behind `{keyword}`"),
            Reason::Unreachable(None) => f.write_str(" stands at the root of the schema"),
            Reason::TooDeep => f.write_str(" cannot be looked for: the schema is nested too deep"),
        }
    }
}

impl std::error::Error for InvalidHeader {}
