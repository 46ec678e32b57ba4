//! Connects to a server over HTTP, says what was negotiated, lists the tools, and calls some.
//!
//! ```sh
//! cargo run --example http_quickstart                                # the demo server, on a free port of loopback
//! cargo run --example http_quickstart -- https://host.example/mcp    # or any other server
//! ```

use std::{env, error::Error, process::ExitCode};

use mcp_client::Client;
use mcp_testkit::demo;
use mcp_transport_http::Http;
use serde_json::json;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = match env::args().nth(1) {
        Some(url) => run(&url).await,
        None => with_demo().await,
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

async fn with_demo() -> Result<(), Box<dyn Error>> {
    let server = demo::bind_http("127.0.0.1:0").await?;
    let outcome = run(&server.url()).await;
    server.shutdown().await;
    outcome
}

async fn run(url: &str) -> Result<(), Box<dyn Error>> {
    println!("connecting  {url}");
    // A server that wants a token or a key: `Http::new(url)?.header("authorization", "Bearer …")?`
    let client =
        Client::builder("http-quickstart", env!("CARGO_PKG_VERSION")).connect(Http::new(url)?).await?;
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
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);

    if has("add") {
        let result = client.call_tool("add").args(&json!({ "a": 2, "b": 40 }))?.await?;
        println!("call        add says {:?}", result.text());
    }

    // The answer becomes a stream: progress, then the result.
    if has("slow") {
        let mut call = client.call_tool("slow").args(&json!({ "steps": 4 }))?.with_progress();
        while let Some(progress) = call.progress().next().await {
            let total = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
            println!("progress    {}{total}", progress.progress);
        }
        println!("call        slow says {:?}", call.await?.text());
    }
    Ok(())
}
