use std::{fmt, sync::Arc};

/// Which arguments of tools travel in header fields too, and how they are written there: what a link knows whose
/// [`OutboundMessage::headers`](crate::OutboundMessage::headers) reach the peer. When it is asked is the client's business.
///
/// The link brings it, so that a program without such links does not carry it.
///
/// Section: [Custom Headers from Tool Parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).
pub trait ParamHeaders: Send + Sync {
    /// The plan of a tool with this `inputSchema`, a JSON text. `None` when no argument travels in a field, as with most tools.
    ///
    /// # Errors
    /// Why the tool cannot be called over this link: an annotation of its schema breaks the rules.
    fn plan(&self, input_schema: &str) -> Result<Option<Arc<dyn HeaderPlan>>, String>;

    /// Whether a field of this name, in upper or lower case, mirrors an argument, of whatever tool: then nobody sets it by hand.
    fn is_param_field(&self, name: &str) -> bool;
}

/// Which arguments of a tool travel in which header fields. Plans with the same debug form are the same.
pub trait HeaderPlan: fmt::Debug + Send + Sync {
    /// The fields, name and encoded value, of a call with these `arguments`: a JSON object.
    fn fields(&self, arguments: &[u8]) -> Vec<(String, String)>;

    /// The bytes of memory that the plan takes, about.
    fn size(&self) -> usize;
}
