//! Starts a server, lists its tools, and calls one. To be read beside its counterpart on rmcp.

use std::{collections::HashMap, env};

use mcp_client::Client;
use mcp_transport_stdio::Stdio;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = env::args().nth(1).ok_or("the program of a server is missing")?;
    let client = Client::builder("small", "1").connect(Stdio::command(server)).await?;
    for tool in &client.list_tools().all().await? {
        println!("{}", tool.name);
    }
    let arguments = HashMap::from([("message", "hello")]);
    let result = client.call_tool("echo").args(&arguments)?.await?;
    println!("{}", serde_json::to_string(&result.into_inner())?);
    client.close().await;
    Ok(())
}
