use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};

use mcp_types::{
    InputRequests, InputRequiredResult, Request,
    read::{self, Read, Reader},
};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

use super::{Call, CallFuture, Mode, Reply};
use crate::{
    Error, ErrorKind, Result,
    error::{Cause, Raw},
    session::Slot,
};

/// A call of one request. See [`Call::once`].
#[must_use = "a call is made when it is awaited"]
pub struct Once<R: Request>(Call<R>);

/// What one request came to.
#[derive(Debug)]
pub enum Round<T> {
    /// The result.
    Complete(Reply<T>),
    /// The server wants input first.
    InputRequired(InputRequired),
}

/// What a server wants before it goes on. It can be stored, and resumed elsewhere: with [`Call::resume`].
///
/// Section: [InputRequiredResult](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequiredresult).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputRequired {
    /// The requests, by the names under which the responses are to come. Absent when the server wants a retry only.
    pub requests: Option<InputRequests>,
    /// The server's state, to be sent back as it is. Nobody's business but the server's.
    pub state: Option<String>,
}

impl Serialize for InputRequired {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("requests", &self.requests)?;
        map.serialize_entry("state", &self.state)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for InputRequired {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        read::deserialize(deserializer)
    }
}

impl Read for InputRequired {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let mut required = Self { requests: None, state: None };
        reader.entries("what a server wants", &mut |name, reader| {
            match &*name {
                "requests" => required.requests = Read::read(reader)?,
                "state" => required.state = Read::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(required)
    }
}

impl<R: Request> Once<R> {
    pub(super) fn new(call: Call<R>) -> Self {
        Self(call)
    }
}

impl<R: Request> IntoFuture for Once<R> {
    type Output = Result<Round<R::Result>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let call = CallFuture::<R>::new(self.0.into_raw(), Arc::new(Slot::default()), Mode::Once);
        Box::pin(async move {
            match call.await {
                Ok(reply) => Ok(Round::Complete(reply)),
                Err(error) if error.kind() == ErrorKind::InputRequired => {
                    error.into_input_required().map(Round::InputRequired)
                }
                Err(error) => Err(error),
            }
        })
    }
}

impl Error {
    fn into_input_required(self) -> Result<InputRequired> {
        let Some(raw) = self.raw_bytes() else { return Err(self) };
        let decoded: InputRequiredResult =
            read::bytes(&raw).map_err(|error| Error::new(Cause::Decode(error, Raw(raw.clone()))))?;
        Ok(InputRequired { requests: decoded.input_requests, state: decoded.request_state })
    }
}

impl<R: Request> fmt::Debug for Once<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Once({})", R::METHOD)
    }
}
