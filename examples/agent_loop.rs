//! The smallest agent. The loop is in `agent/mod.rs`, the model is a trait; here it is scripted. `agent_openai.rs` asks a
//! real one.
//!
//! ```sh
//! cargo run --example agent_loop
//! ```

mod agent;

use agent::{Model, Reply, Result, ToolUse, Turn};
use mcp_client::Client;
use mcp_testkit::demo;
use mcp_types::{Json, Tool};
use serde_json::{Value, json};

/// Picks two calls at once, then answers with what came of them.
struct Scripted;

impl Model for Scripted {
    async fn next(&mut self, tools: &[Tool], conversation: &[Turn]) -> Result<Reply> {
        let mut answers = Vec::new();
        for turn in conversation {
            match turn {
                Turn::User(question) => println!("user: {question}"),
                Turn::Calls(uses) => {
                    println!("model: calls {:?}", uses.iter().map(|one| &one.name).collect::<Vec<_>>());
                }
                Turn::Result { id, text } => answers.push(format!("{id}: {text}")),
            }
        }
        if !answers.is_empty() {
            return Ok(Reply::Answer(answers.join("; ")));
        }
        println!("model: sees {} tools", tools.len());
        Ok(Reply::Calls(vec![
            pick("the sum", "add", &json!({"a": 2, "b": 40}))?,
            pick("the echo", "echo", &json!({"message": "hello"}))?,
            pick("a failure", "fail", &json!({}))?,
        ]))
    }
}

fn pick(id: &str, name: &str, arguments: &Value) -> Result<ToolUse> {
    Ok(ToolUse { id: id.into(), name: name.into(), arguments: Json::encode(arguments)? })
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::builder("agent-loop", "1.0.0").connect(demo::in_process()).await?;
    let answer = agent::run(&client, &mut Scripted, "What is 2 + 40? Is there an echo?").await?;
    println!("model: {answer}");
    client.close().await;
    Ok(())
}
