use std::{error, fmt, sync::Arc};

/// Why a text is not what was to be read, and where: `serde_json`'s words, with line and column. Cheap to clone.
///
/// One pointer: an error of `serde_json` may hold one of I/O, and what drops those would be compiled wherever something is read.
#[derive(Clone)]
pub struct Error(Arc<serde_json::Error>);

impl Error {
    /// The line, counted from 1; 0 when it is not known.
    pub fn line(&self) -> usize {
        self.0.line()
    }

    /// The column, counted from 1; 0 when it is not known, and before the first character of a line.
    pub fn column(&self) -> usize {
        self.0.column()
    }
}

impl From<serde_json::Error> for Error {
    #[cold]
    #[inline(never)]
    fn from(error: serde_json::Error) -> Self {
        Self(Arc::new(error))
    }
}

/// The same error, so that a `?` goes on to `serde_json`'s.
impl From<Error> for serde_json::Error {
    #[cold]
    #[inline(never)]
    fn from(error: Error) -> Self {
        Arc::try_unwrap(error.0).unwrap_or_else(serde_core::de::Error::custom)
    }
}

impl serde_core::de::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        custom(format_args!("{message}"))
    }
}

#[cold]
#[inline(never)]
fn custom(message: fmt::Arguments<'_>) -> Error {
    <serde_json::Error as serde_core::de::Error>::custom(message).into()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl error::Error for Error {}
