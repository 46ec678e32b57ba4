//! What a server may ask of its client: input of the user, the answer of a model, the roots. One set of handlers serves
//! servers of every revision.
//!
//! ```sh
//! cargo run --example server_to_client
//! ```

use std::error::Error;

use mcp_client::{Client, Versions};
use mcp_testkit::demo;
use mcp_types::{
    CreateMessageResult, ElicitRequestParams, ElicitResult, Json, JsonObject, LoggingMessageNotification,
    Revision, Role, SamplingContent, SamplingMessageContentBlock, TextContent,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = Client::builder("server-to-client", "1.0.0")
            .versions(Versions::exactly(revision))
            .on_elicit(|request, context| async move {
                // A real client shows a dialog. The deadline of the call stands still meanwhile.
                println!("{} asks: {}", context.method, request.message().unwrap_or_default());
                Ok(match request {
                    ElicitRequestParams::Form(_) => {
                        let answer: JsonObject = [("name", Json::from("Ada"))].into_iter().collect();
                        ElicitResult::accept(answer)
                    }
                    _ => ElicitResult::decline(),
                })
            })
            .on_sample(|request, _| async move {
                // A real client shows the request to the user, and asks a model.
                let text = format!("an answer to {} messages", request.messages.len());
                let block = SamplingMessageContentBlock::Text(TextContent::new(text));
                Ok(CreateMessageResult::new(Role::Assistant, SamplingContent::One(block), "no-model"))
            })
            .roots(["file:///home/ada/project"])
            .on_notification::<LoggingMessageNotification, _>(|log, _| async move {
                println!("log: {:?}", log.data);
            })
            .connect(demo::in_process())
            .await?;
        let greeting = client.call_tool("greet").await?.into_success()?;
        println!("{revision}: {}", greeting.text());
        client.set_roots(["file:///home/ada/other"])?;
        client.close().await;
    }
    Ok(())
}
