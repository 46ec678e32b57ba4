//! A call that needs input, by hand: what the server wants is stored, and the call goes on later, over another connection.
//!
//! ```sh
//! cargo run --example multi_round_trip
//! ```

use std::error::Error;

use mcp_client::{Client, InputRequired, Round};
use mcp_testkit::demo;
use mcp_types::{ElicitResult, ElicitationCapability, InputRequest, Json, JsonObject};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The first process asks.
    let client = connect().await?;
    let stored = match client.call_tool("greet").once().await? {
        Round::Complete(greeting) => {
            println!("no input wanted: {}", greeting.text());
            return Ok(());
        }
        Round::InputRequired(required) => serde_json::to_string(&required)?,
    };
    client.close().await;
    println!("stored: {stored}");

    // Another one, later, has the answers.
    let required: InputRequired = serde_json::from_str(&stored)?;
    let mut responses = JsonObject::new();
    for (name, request) in required.requests.iter().flat_map(mcp_types::Map::iter) {
        if let InputRequest::Elicit(question) = request {
            println!("asked: {}", question.message().unwrap_or_default());
            let answer: JsonObject = [("name", Json::from("Ada"))].into_iter().collect();
            responses.insert(name, Json::encode(&ElicitResult::accept(answer))?);
        }
    }
    let client = connect().await?;
    match client.call_tool("greet").resume(Some(responses), required.state).once().await? {
        Round::Complete(greeting) => println!("{}", greeting.text()),
        Round::InputRequired(_) => println!("the server wants even more"),
    }
    client.close().await;
    Ok(())
}

async fn connect() -> mcp_client::Result<Client> {
    let mut capabilities = mcp_types::ClientCapabilities::new();
    // Declared without a handler: the input is given by hand.
    capabilities.elicitation = Some(ElicitationCapability::new().with_form(JsonObject::new()));
    let server = demo::in_process();
    Client::builder("multi-round-trip", "1.0.0").capabilities(capabilities).connect(server).await
}
