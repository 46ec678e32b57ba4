use std::sync::Arc;

use mcp_transport::{HeaderPlan, ParamHeaders};

/// The fields `Mcp-Param-*`, as the specification has them.
///
/// Section: [Custom Headers from Tool Parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).
#[derive(Debug, Clone, Copy)]
pub struct McpParam;

impl ParamHeaders for McpParam {
    fn plan(&self, input_schema: &str) -> Result<Option<Arc<dyn HeaderPlan>>, String> {
        match mcp_param_headers::HeaderPlan::of(input_schema) {
            Ok(plan) if plan.is_empty() => Ok(None),
            Ok(plan) => Ok(Some(Arc::new(Plan(plan)))),
            Err(invalid) => Err(invalid.to_string()),
        }
    }

    fn is_param_field(&self, name: &str) -> bool {
        mcp_param_headers::is_param_field(name)
    }
}

#[derive(Debug)]
struct Plan(mcp_param_headers::HeaderPlan);

impl HeaderPlan for Plan {
    fn fields(&self, arguments: &[u8]) -> Vec<(String, String)> {
        let fields = self.0.fields(arguments).into_iter();
        fields.map(|(name, value)| (name.to_owned(), value.into_owned())).collect()
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}
