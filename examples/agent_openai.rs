//! An agent whose model speaks the OpenAI-compatible chat API, at a local address (Ollama, llama.cpp, vLLM, …).
//!
//! ```sh
//! MODEL_URL=http://localhost:11434/v1 MODEL=qwen3 cargo run --example agent_openai -- "What is 2 + 40?"
//! ```

mod agent;

use agent::{Model, Reply, Result, ToolUse, Turn};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, Uri, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use mcp_client::Client;
use mcp_testkit::demo;
use mcp_types::{Json, Tool};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpStream;

struct ChatApi {
    /// Up to and without `/chat/completions`.
    url: Uri,
    model: String,
    key: Option<String>,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCall>>,
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// JSON, in a text.
    arguments: String,
}

impl Model for ChatApi {
    async fn next(&mut self, tools: &[Tool], conversation: &[Turn]) -> Result<Reply> {
        let request = json!({
            "model": self.model,
            "messages": conversation.iter().map(message).collect::<Vec<_>>(),
            "tools": tools.iter().map(function).collect::<Result<Vec<_>>>()?,
        });
        let completion: Completion =
            serde_json::from_slice(&self.post(serde_json::to_vec(&request)?).await?)?;
        let message = completion.choices.into_iter().next().ok_or("the model said nothing")?.message;
        let calls = message.tool_calls.unwrap_or_default();
        if calls.is_empty() {
            return Ok(Reply::Answer(message.content.unwrap_or_default()));
        }
        let picked = calls.into_iter().map(|call| {
            let arguments = Json::from_text(call.function.arguments)?;
            Ok(ToolUse { id: call.id, name: call.function.name, arguments })
        });
        Ok(Reply::Calls(picked.collect::<Result<_>>()?))
    }
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Calls(uses) => {
            let call = |one: &ToolUse| {
                let function = json!({"name": one.name, "arguments": one.arguments.as_str()});
                json!({"id": one.id, "type": "function", "function": function})
            };
            json!({"role": "assistant", "content": null, "tool_calls": uses.iter().map(call).collect::<Vec<_>>()})
        }
        Turn::Result { id, text } => json!({"role": "tool", "tool_call_id": id, "content": text}),
    }
}

/// What a model is told of a tool: name, description, and the schema of its arguments.
fn function(tool: &Tool) -> Result<Value> {
    let parameters: Value = serde_json::from_str(&serde_json::to_string(&tool.input_schema)?)?;
    let function = json!({"name": tool.name, "description": tool.description, "parameters": parameters});
    Ok(json!({"type": "function", "function": function}))
}

impl ChatApi {
    async fn post(&self, body: Vec<u8>) -> Result<Bytes> {
        const ANSWER_LIMIT: usize = 16 << 20;
        let authority = self.url.authority().ok_or("MODEL_URL has no host")?;
        let stream = TcpStream::connect((authority.host(), authority.port_u16().unwrap_or(80))).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/chat/completions", self.url.path().trim_end_matches('/')))
            .header(header::HOST, authority.as_str())
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let response = sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_LIMIT)
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        if !status.is_success() {
            let text: String = String::from_utf8_lossy(&body).chars().take(200).collect();
            return Err(format!("the model's server answered {status}: {text}").into());
        }
        Ok(body)
    }
}

async fn answer(mut model: ChatApi, question: &str) -> Result<String> {
    let client = Client::builder("agent-openai", "1.0.0").connect(demo::in_process()).await?;
    let answer = agent::run(&client, &mut model, question).await;
    client.close().await;
    answer
}

#[tokio::main]
async fn main() -> Result<()> {
    let model = ChatApi {
        url: std::env::var("MODEL_URL")
            .map_err(|_| "set MODEL_URL to an OpenAI-compatible address")?
            .parse()?,
        model: std::env::var("MODEL").unwrap_or_else(|_| "default".into()),
        key: std::env::var("MODEL_KEY").ok(),
    };
    let question = std::env::args().nth(1).unwrap_or_else(|| "What is 2 + 40?".into());
    println!("{}", answer(model, &question).await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
        net::TcpListener,
    };

    use super::*;

    /// A stub of the chat API: picks `add`, then repeats what came of it.
    async fn stub(listener: TcpListener) -> Vec<Value> {
        let mut requests: Vec<Value> = Vec::new();
        for round in 0..2 {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while stream.read_line(&mut line).await.unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            requests.push(serde_json::from_slice(&body).unwrap());
            let message = if round == 0 {
                let function = json!({"name": "add", "arguments": "{\"a\":2,\"b\":40}"});
                json!({"content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]})
            } else {
                let result = requests[1]["messages"][2]["content"].clone();
                json!({"content": format!("It is {}", result.as_str().unwrap())})
            };
            let body = json!({"choices": [{"message": message}]}).to_string();
            let reply = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
        requests
    }

    #[tokio::test]
    async fn the_model_picks_a_tool_and_gets_its_text() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap()).parse().unwrap();
        let stub = tokio::spawn(stub(listener));
        let model = ChatApi { url, model: "stub".into(), key: None };
        assert_eq!(answer(model, "What is 2 + 40?").await.unwrap(), r#"It is {"sum":42}"#);
        let requests = stub.await.unwrap();
        assert_eq!(requests[0]["messages"], json!([{"role": "user", "content": "What is 2 + 40?"}]));
        let tools = requests[0]["tools"].as_array().unwrap();
        let add = tools.iter().find(|tool| tool["function"]["name"] == "add").unwrap();
        assert_eq!(add["function"]["parameters"]["type"], "object");
    }
}
