//! Starts a server, lists its tools, and calls one. To be read beside its counterpart on our client.

use std::env;

use rmcp::{
    model::{CallToolRequestParams, JsonObject},
    service::serve_client,
    transport::TokioChildProcess,
};
use tokio::process::Command;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = env::args().nth(1).ok_or("the program of a server is missing")?;
    let client = serve_client((), TokioChildProcess::new(Command::new(server))?).await?;
    for tool in client.list_all_tools().await? {
        println!("{}", tool.name);
    }
    let mut arguments = JsonObject::new();
    arguments.insert("message".into(), "hello".into());
    let result = client.call_tool(CallToolRequestParams::new("echo").with_arguments(arguments)).await?;
    println!("{}", serde_json::to_string(&result)?);
    client.cancel().await?;
    Ok(())
}
