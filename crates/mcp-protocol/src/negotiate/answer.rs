use mcp_types::{ErrorCode, JsonRpcError, ProtocolVersion, jsonrpc::scan, read};

/// What came back on `server/discover`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// A result; its `supportedVersions`.
    Discovered(Vec<ProtocolVersion>),
    /// A modern server that does not speak the revision that was asked for; what it does speak.
    Unsupported(Vec<ProtocolVersion>),
    /// A modern server that refuses the request for another reason.
    ModernError(JsonRpcError),
    /// Any other error: not a modern server.
    OtherError(JsonRpcError),
    /// Nothing, within the limit.
    Silent,
    /// The link ended.
    Died,
}

impl ProbeAnswer {
    /// Classifies an error answer. The codes -32022, -32020 and -32021 are modern; no other is, whatever it says.
    pub fn from_error(error: JsonRpcError) -> Self {
        match error.code {
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => match supported_versions(&error) {
                Some(supported) => Self::Unsupported(supported),
                None => Self::Unsupported(Vec::new()),
            },
            ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
                Self::ModernError(error)
            }
            _ => Self::OtherError(error),
        }
    }
}

/// What came back on `initialize`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandshakeAnswer {
    /// A result; its `protocolVersion`.
    Initialized(ProtocolVersion),
    /// The error of a server that has no handshake: it is modern. What it speaks, if it said so.
    Unsupported {
        /// Its `data.supported`.
        supported: Vec<ProtocolVersion>,
        /// The error.
        error: JsonRpcError,
    },
    /// Any other error.
    OtherError(JsonRpcError),
}

impl HandshakeAnswer {
    /// Classifies an error answer.
    pub fn from_error(error: JsonRpcError) -> Self {
        if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION {
            Self::Unsupported { supported: supported_versions(&error).unwrap_or_default(), error }
        } else {
            Self::OtherError(error)
        }
    }
}

fn supported_versions(error: &JsonRpcError) -> Option<Vec<ProtocolVersion>> {
    let data = error.data.as_ref()?.as_str();
    let supported = scan::member(data.as_bytes(), "supported")?;
    read::text(&data[supported]).ok()
}
