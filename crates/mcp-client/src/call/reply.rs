use std::{fmt, ops::Deref};

use bytes::Bytes;
use mcp_types::{CallToolRequest, CallToolResult, Request, read};
use serde_core::de::{DeserializeOwned, Error as _};

use crate::{
    Error, Result,
    error::{Cause, Raw},
};

/// The result of a call: decoded, and beside it the JSON that it came as, with whatever the type does not know.
///
/// Reads like the decoded result; [`into_inner`](Self::into_inner) gives it away.
#[derive(Clone)]
pub struct Reply<T> {
    value: T,
    raw: Bytes,
}

impl<T: DeserializeOwned> Reply<T> {
    pub(super) fn decode(raw: Bytes) -> Result<Self> {
        // A derived decoder would take an array for a struct.
        let decoded = if raw.starts_with(b"{") {
            mcp_types::decode(&raw)
        } else {
            Err(read::Error::custom("a result must be an object"))
        };
        match decoded {
            Ok(value) => Ok(Self { value, raw }),
            Err(error) => Err(Error::new(Cause::Decode(error, Raw(raw)))),
        }
    }
}

impl<T> Reply<T> {
    pub(crate) fn raw_bytes(&self) -> &Bytes {
        &self.raw
    }

    pub(crate) fn value_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The result as it came: a JSON object, in UTF-8.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The decoded result alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl Reply<CallToolResult> {
    /// The structured result, decoded: `structuredContent`.
    ///
    /// # Errors
    /// [`ErrorKind::Tool`](crate::ErrorKind::Tool) when the tool failed;
    /// [`ErrorKind::InvalidResult`](crate::ErrorKind::InvalidResult) when there is no structured result, or it is no `S`.
    pub fn structured<S: DeserializeOwned>(&self) -> Result<S> {
        let invalid = |error| {
            Error::new(Cause::Decode(error, Raw(self.raw.clone()))).of_method(&CallToolRequest::METHOD.into())
        };
        self.tool_error()?;
        match &self.value.structured_content {
            Some(json) => json.decode().map_err(invalid),
            None => Err(invalid(read::Error::custom("there is no structured content"))),
        }
    }

    /// The same result, unless the tool failed: then its text, as an error.
    ///
    /// # Errors
    /// [`ErrorKind::Tool`](crate::ErrorKind::Tool) when the tool failed (`isError`).
    pub fn into_success(self) -> Result<Self> {
        self.tool_error()?;
        Ok(self)
    }

    fn tool_error(&self) -> Result<()> {
        if self.value.is_error() {
            let cause = Cause::Tool(self.value.text(), Raw(self.raw.clone()));
            return Err(Error::new(cause).of_method(&CallToolRequest::METHOD.into()));
        }
        Ok(())
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
