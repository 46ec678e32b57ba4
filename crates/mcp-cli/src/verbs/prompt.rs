use mcp_client::Client;
use mcp_types::ListPromptsRequest;

use crate::{
    args::Prompt,
    arguments::texts,
    console::{self, safe_line},
    content::Printer,
    failure::{Failure, Status},
    listing::list,
    nearest::did_you_mean,
    session::with_client,
};

pub(super) async fn run(verb: Prompt) -> Result<Status, Failure> {
    let arguments = texts(&verb.arguments)?;
    let (result, raw) = with_client(&verb.target, &verb.common, &verb.answers, async |client| {
        let call = client.get_prompt(&verb.name).args(arguments);
        let reply = match call.await {
            Ok(reply) => reply,
            Err(error) => return Err(explain(client, &verb.name, error.into()).await),
        };
        let raw = String::from_utf8_lossy(reply.raw()).into_owned();
        Ok((reply.into_inner(), raw))
    })
    .await?;
    let printer = Printer::new(verb.save.as_deref(), &verb.name, !verb.common.json);
    if verb.common.json {
        console::print_json(&raw);
    }
    for message in &result.messages {
        if !verb.common.json {
            console::print_line(&console::out().bold(&format!("{}:", safe_line(message.role.as_str()))));
        }
        printer.block(&message.content)?;
    }
    Ok(Status::Success)
}

/// After a refusal: the names that are near, when there is no such prompt.
async fn explain(client: &Client, name: &str, failure: Failure) -> Failure {
    if failure.status != Status::Protocol {
        return failure;
    }
    let Ok(listed) = list::<ListPromptsRequest>(client).await else { return failure };
    if listed.items.iter().any(|prompt| prompt.name == name) {
        return failure;
    }
    match did_you_mean(name, listed.items.iter().map(|prompt| prompt.name.as_str())) {
        Some(near) => failure.hint(near),
        None => failure.hint("`mcp prompts` lists them"),
    }
}
