//! Connects to any server, lists what it offers, calls a tool, and says what went wrong, if anything did.
//!
//! ```sh
//! cargo run --example inspect -- npx -y @modelcontextprotocol/server-everything      # lists
//! TOOL=echo ARGS='{"message":"hi"}' cargo run --example inspect                      # calls, on the demo server
//! TRACE=1 cargo run --example inspect                                                # shows every message
//! ```

use std::{env, process::ExitCode, time::Duration};

use mcp_client::{
    Client, Error, ErrorKind,
    transport::{Connect, Passed, Tap, TransportError, TransportErrorKind},
};
use mcp_testkit::demo;
use mcp_transport_stdio::{Stderr, Stdio};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        // Captured, so that it does not mix with what is printed; errors show the last lines of it.
        Some((program, rest)) => inspect(Stdio::command(program).args(rest).stderr(Stderr::Capture)).await,
        None => inspect(demo::in_process()).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", explain(&error));
            ExitCode::FAILURE
        }
    }
}

async fn inspect(server: impl Connect) -> Result<(), Error> {
    let trace = env::var_os("TRACE").is_some();
    let server = Tap::new(server, move |passed: &Passed<'_>| {
        if trace {
            eprintln!("{passed}");
        }
    });
    let client = Client::builder("inspect", "1.0.0").connect(server).await?;
    let outcome = match env::var("TOOL") {
        Ok(tool) => call(&client, &tool).await,
        Err(_) => list(&client).await,
    };
    client.close().await;
    outcome
}

async fn list(client: &Client) -> Result<(), Error> {
    // What a server does not declare is refused before it is asked for.
    if client.capabilities().has("tools") {
        for tool in client.list_tools().await? {
            println!("tool      {}", tool.name);
        }
    }
    if client.capabilities().has("resources") {
        for resource in client.list_resources().await? {
            println!("resource  {}", resource.uri);
        }
    }
    if client.capabilities().has("prompts") {
        for prompt in client.list_prompts().await? {
            println!("prompt    {}", prompt.name);
        }
    }
    Ok(())
}

async fn call(client: &Client, tool: &str) -> Result<(), Error> {
    let arguments = env::var("ARGS").unwrap_or_else(|_| "{}".into());
    let arguments: serde_json::Value = serde_json::from_str(&arguments).unwrap_or_default();
    let mut call = client
        .call_tool(tool)
        .args(&arguments)?
        .timeout(Duration::from_secs(5))
        .extend_on_progress()
        .with_progress();
    while let Some(step) = call.progress().next().await {
        println!("progress  {}", step.progress);
    }
    // The tool's own failure is a result; here it is to be an error.
    println!("{}", call.await?.into_success()?.text());
    Ok(())
}

fn explain(error: &Error) -> String {
    let advice = match error.kind() {
        ErrorKind::Transport => match error.transport().map(TransportError::kind) {
            Some(TransportErrorKind::NotFound) => "is it installed, and on the PATH?",
            Some(TransportErrorKind::Exited) => "the server's own words are above",
            _ => "the connection failed",
        },
        ErrorKind::Rpc => "the server refused the request",
        ErrorKind::Tool => "the tool failed: show this to the model",
        ErrorKind::Timeout => "it took too long",
        ErrorKind::Negotiation => "client and server have no revision in common",
        ErrorKind::Unsupported => "this server does not offer that",
        ErrorKind::InvalidArguments => "the arguments cannot be sent",
        ErrorKind::InvalidResult => "the server broke the protocol",
        _ => "that did not work",
    };
    let executed = if error.may_have_executed() { "may have been" } else { "was not" };
    format!(
        "{error}\n  {advice}; the request {executed} executed; trying again is safe: {}",
        error.is_retryable()
    )
}
