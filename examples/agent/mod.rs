//! The loop of a small agent: hands the tools to a model, runs the calls that it picks, gives the text back, until the
//! model is content.

use std::error::Error;

use mcp_client::Client;
use mcp_types::{Json, Tool};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What the loop needs of a model.
pub(crate) trait Model {
    async fn next(&mut self, tools: &[Tool], conversation: &[Turn]) -> Result<Reply>;
}

/// What was said so far.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    User(String),
    /// The calls that the model asked for.
    Calls(Vec<ToolUse>),
    /// What came of one of them.
    Result {
        id: String,
        text: String,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct ToolUse {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Json,
}

/// What a model says next.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Calls to make, side by side.
    Calls(Vec<ToolUse>),
    Answer(String),
}

const MAX_TURNS: usize = 8;

pub(crate) async fn run(client: &Client, model: &mut impl Model, question: &str) -> Result<String> {
    let tools = client.list_tools().all().await?;
    let mut conversation = vec![Turn::User(question.to_owned())];
    for _ in 0..MAX_TURNS {
        let uses = match model.next(&tools, &conversation).await? {
            Reply::Answer(text) => return Ok(text),
            Reply::Calls(uses) => uses,
        };
        conversation.push(Turn::Calls(uses.clone()));
        let running: Vec<_> = uses
            .into_iter()
            .map(|tool_use| {
                let client = client.clone();
                tokio::spawn(async move {
                    let text = call(&client, &tool_use).await;
                    Turn::Result { id: tool_use.id, text }
                })
            })
            .collect();
        for turn in running {
            conversation.push(turn.await?);
        }
    }
    Err(format!("no answer after {MAX_TURNS} turns").into())
}

/// A tool's failure goes to the model, and so does a refusal of the server: it may try other arguments.
async fn call(client: &Client, tool_use: &ToolUse) -> String {
    let call = match client.call_tool(&tool_use.name).args(&tool_use.arguments) {
        Ok(call) => call,
        Err(error) => return format!("error: {error}"),
    };
    match call.await {
        Ok(result) if result.is_error() => format!("error: {}", result.text()),
        Ok(result) => result.text(),
        Err(error) => format!("error: {error}"),
    }
}
