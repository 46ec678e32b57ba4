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

    /// What kind of error: the form of the text, its end, or what it holds.
    pub fn classify(&self) -> serde_json::error::Category {
        self.0.classify()
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

/// The same error, so that a `?` goes on to `serde_json`'s; of one that was cloned, one with the same words and place.
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

#[cfg(test)]
mod tests {
    use serde_json::error::Category;

    use super::*;
    use crate::{Implementation, read};

    #[test]
    fn an_error_says_where_and_goes_on_to_that_of_serde_json() {
        let text = "{\"name\":\"n\",\n\"version\":7}";
        let error = read::text::<Implementation>(text).unwrap_err();
        let expected = serde_json::from_str::<Implementation>(text).unwrap_err();
        assert_eq!(error.to_string(), expected.to_string());
        assert_eq!((error.line(), error.column()), (expected.line(), expected.column()));
        assert_eq!((error.line(), error.classify()), (2, Category::Data));
        let shared = error.clone();
        for error in [error, shared] {
            let on: serde_json::Error = error.into();
            assert_eq!((on.to_string(), on.line()), (expected.to_string(), 2));
        }
    }

    #[test]
    fn what_serde_json_found_keeps_its_words() {
        let expected = serde_json::from_str::<Implementation>("{\"name\"").unwrap_err();
        let error = read::text::<Implementation>("{\"name\"").unwrap_err();
        assert_eq!((error.to_string(), error.line(), error.column()), (expected.to_string(), 1, 7));
        assert_eq!(error.classify(), Category::Eof);
        let custom: Error = serde::de::Error::custom("no");
        assert_eq!((custom.to_string().as_str(), custom.line(), custom.column()), ("no", 0, 0));
    }
}
