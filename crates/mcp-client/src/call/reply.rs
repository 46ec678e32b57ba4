use std::{fmt, ops::Deref};

use bytes::Bytes;
use serde::de::{DeserializeOwned, Error as _};

use crate::{
    Error, Result,
    error::{Cause, Raw},
};

/// The result of a call: decoded, and beside it the JSON that it came as, with whatever the type does not know.
///
/// Reads like the decoded result.
#[derive(Clone)]
pub struct Reply<T> {
    value: T,
    raw: Bytes,
}

impl<T: DeserializeOwned> Reply<T> {
    pub(super) fn decode(raw: Bytes) -> Result<Self> {
        // A derived decoder would take an array for a struct.
        let decoded = if raw.starts_with(b"{") {
            serde_json::from_slice(&raw)
        } else {
            Err(serde_json::Error::custom("a result must be an object"))
        };
        match decoded {
            Ok(value) => Ok(Self { value, raw }),
            Err(error) => Err(Error::new(Cause::Decode(error, Raw(raw)))),
        }
    }
}

impl<T> Reply<T> {
    /// The result as it came: a JSON object, in UTF-8.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The decoded result alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Reply<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
