use crate::{
    ClientCapabilities, ErrorCode, Json, JsonRpcError, List, ProtocolVersion,
    UrlElicitationRequiredErrorData, read, write::Write,
};

object! {
    /// The `data` of the error [`UNSUPPORTED_PROTOCOL_VERSION`](ErrorCode::UNSUPPORTED_PROTOCOL_VERSION).
    ///
    /// Section: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).
    pub struct UnsupportedProtocolVersionErrorData [since V2026_07_28] {
        /// The revisions that the server speaks, in any order.
        supported: List<ProtocolVersion>,
        /// The revision that the client asked for.
        requested: ProtocolVersion,
    }
}

object! {
    /// The `data` of the error
    /// [`MISSING_REQUIRED_CLIENT_CAPABILITY`](ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY).
    pub struct MissingRequiredClientCapabilityErrorData [since V2026_07_28] {
        /// What the client would have to declare.
        required_capabilities: ClientCapabilities,
    }
}

impl JsonRpcError {
    /// The data of an [`UNSUPPORTED_PROTOCOL_VERSION`](ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) error; `None` for other
    /// errors, and for data of another form.
    pub fn unsupported_protocol_version(&self) -> Option<UnsupportedProtocolVersionErrorData> {
        read::value(self.data_of(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)?).ok()
    }

    /// The data of a [`MISSING_REQUIRED_CLIENT_CAPABILITY`](ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY) error; `None`
    /// for other errors, and for data of another form.
    pub fn missing_required_client_capability(&self) -> Option<MissingRequiredClientCapabilityErrorData> {
        read::value(self.data_of(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)?).ok()
    }

    /// The data of a [`URL_ELICITATION_REQUIRED`](ErrorCode::URL_ELICITATION_REQUIRED) error; `None` for other errors,
    /// and for data of another form.
    pub fn url_elicitation_required(&self) -> Option<UrlElicitationRequiredErrorData> {
        read::value(self.data_of(ErrorCode::URL_ELICITATION_REQUIRED)?).ok()
    }

    fn data_of(&self, code: ErrorCode) -> Option<&Json> {
        (self.code == code).then_some(self.data.as_ref())?
    }
}

impl From<UnsupportedProtocolVersionErrorData> for JsonRpcError {
    #[inline]
    fn from(data: UnsupportedProtocolVersionErrorData) -> Self {
        Self::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
            .with_data(Json::of(data.node()))
    }
}

impl From<MissingRequiredClientCapabilityErrorData> for JsonRpcError {
    #[inline]
    fn from(data: MissingRequiredClientCapabilityErrorData) -> Self {
        Self::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability")
            .with_data(Json::of(data.node()))
    }
}

impl From<UrlElicitationRequiredErrorData> for JsonRpcError {
    #[inline]
    fn from(data: UrlElicitationRequiredErrorData) -> Self {
        Self::new(ErrorCode::URL_ELICITATION_REQUIRED, "URL elicitation required")
            .with_data(Json::of(data.node()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Revision;

    #[test]
    fn data_is_read_by_the_code_and_never_guessed() {
        let error = JsonRpcError::from(UnsupportedProtocolVersionErrorData::new(
            [ProtocolVersion::from(Revision::V2026_07_28)],
            "2031-01-01",
        ));
        let data = error.unsupported_protocol_version().unwrap();
        assert_eq!(data.supported[0].known(), Some(Revision::V2026_07_28));
        assert_eq!(data.requested.as_str(), "2031-01-01");
        assert_eq!(error.missing_required_client_capability(), None);
        let foreign =
            JsonRpcError::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "x").with_data(Json::from("y"));
        assert_eq!(foreign.unsupported_protocol_version(), None);
    }
}
