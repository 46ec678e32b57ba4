//! Connects to a server over stdio, says what was negotiated, lists the tools, and calls some.
//!
//! ```sh
//! cargo run --example quickstart                                        # the demo server, as a child process
//! cargo run --example quickstart -- npx -y @modelcontextprotocol/server-everything      # or any other server
//! ```

use std::{env, error::Error, process::ExitCode};

use mcp_client::Client;
use mcp_testkit::demo;
use mcp_transport_stdio::Stdio;
use mcp_types::{CallToolResult, ContentBlock, Tool};

/// With this argument the program is the demo server.
const SERVE: &str = "--serve-demo";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some(SERVE) => demo::serve_stdio().await.map_err(Into::into),
        Some(program) => run(Stdio::command(program).args(&arguments[1..])).await,
        None => match env::current_exe() {
            Ok(program) => run(Stdio::command(program).arg(SERVE)).await,
            Err(error) => Err(error.into()),
        },
    };
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("  caused by: {cause}");
        source = cause.source();
    }
    ExitCode::FAILURE
}

async fn run(server: Stdio) -> Result<(), Box<dyn Error>> {
    let client = Client::builder("quickstart", env!("CARGO_PKG_VERSION")).connect(server).await?;
    let outcome = tour(&client).await;
    client.close().await;
    outcome
}

async fn tour(client: &Client) -> Result<(), Box<dyn Error>> {
    let negotiated = client.negotiated();
    println!("negotiated  {} ({:?} era)", negotiated.revision, negotiated.era());
    if let Some(server) = &negotiated.server_info {
        println!("server      {} {}", server.title.as_deref().unwrap_or(&server.name), server.version);
    }

    let tools = client.list_tools().all().await?;
    println!("tools       {}", tools.len());
    for tool in &tools {
        let summary = tool.description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        println!("  {:<30} {summary:.80}", tool.name);
    }

    let known = |names: &[&str]| tools.iter().find(|tool| names.contains(&tool.name.as_str()));

    if let Some(tool) = known(&["echo"]).filter(|tool| takes(tool, "message")) {
        let arguments = serde_json::json!({ "message": "Hello from Rust" });
        let result = client.call_tool(&tool.name).args(&arguments)?.await?;
        println!("call        {} says {:?}", tool.name, text(&result));
    }

    if let Some(tool) = known(&["slow", "longRunningOperation", "trigger-long-running-operation"]) {
        let steps = if takes(tool, "duration") {
            serde_json::json!({ "duration": 2, "steps": 4 })
        } else {
            serde_json::json!({ "steps": 4 })
        };
        let mut call = client.call_tool(&tool.name).args(&steps)?.with_progress();
        while let Some(progress) = call.progress().next().await {
            let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
            println!("progress    {}{total}", progress.progress);
        }
        let result = call.await?;
        println!("call        {} says {:?}", tool.name, text(&result));
    }
    Ok(())
}

/// Whether the schema of the tool's arguments names `argument`.
fn takes(tool: &Tool, argument: &str) -> bool {
    tool.input_schema
        .keyword("properties")
        .is_some_and(|properties| properties.contains(&format!("\"{argument}\"")))
}

fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}
