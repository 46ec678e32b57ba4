use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A request or a notification, as far as it is read.
#[derive(Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) params: Params<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Params<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) cursor: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) arguments: Arguments<'a>,
    #[serde(borrow, default, rename = "_meta")]
    pub(crate) meta: Meta<'a>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Arguments<'a> {
    /// As it stands on the wire.
    #[serde(borrow)]
    pub(crate) message: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) size: usize,
    #[serde(default)]
    pub(crate) count: u64,
}

#[derive(Default, Deserialize)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    pub(crate) token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
}

impl Meta<'_> {
    /// Whether it has what every modern request must have.
    pub(crate) fn is_stamped(&self) -> bool {
        self.version.is_some() && self.capabilities.is_some()
    }
}
