//! mcp-testkit
