//! mcp-transport-stdio
