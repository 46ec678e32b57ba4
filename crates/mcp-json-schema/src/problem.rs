use std::fmt;

/// Why a value was not accepted. Texts of it are excerpts, without the value itself: values may be secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The value does not fit the schema.
    Unfit {
        /// Where in the value: a JSON pointer, empty for the whole.
        at: String,
        /// Why.
        why: String,
    },
    /// The schema is of a dialect that is not known: its `$schema`.
    UnsupportedDialect(String),
    /// The schema cannot be used: it is no schema, refers to what is elsewhere, or is too large.
    UnusableSchema(String),
    /// The schema is made so that the check would take too long on this value.
    TooMuchWork,
}

/// The longest text of a server in a problem, in bytes.
const EXCERPT: usize = 512;

impl Problem {
    pub(crate) fn unfit(at: &str, why: impl fmt::Display) -> Self {
        Self::Unfit { at: excerpt(at), why: excerpt(&why.to_string()) }
    }

    pub(crate) fn unusable(why: impl fmt::Display) -> Self {
        Self::UnusableSchema(excerpt(&why.to_string()))
    }
}

pub(crate) fn excerpt(text: &str) -> String {
    if text.len() <= EXCERPT {
        return text.to_owned();
    }
    let end = (0..=EXCERPT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfit { at, why } if at.is_empty() => write!(f, "does not fit the schema: {why}"),
            Self::Unfit { at, why } => write!(f, "does not fit the schema at {at}: {why}"),
            Self::UnsupportedDialect(dialect) => {
                write!(f, "the schema is of a dialect that is not supported: {dialect}")
            }
            Self::UnusableSchema(why) => write!(f, "the schema cannot be used: {why}"),
            Self::TooMuchWork => f.write_str("the schema would take too long on this value"),
        }
    }
}

impl std::error::Error for Problem {}
