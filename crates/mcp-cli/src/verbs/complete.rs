use mcp_types::{CompletionReference, PromptReference, ResourceTemplateReference};

use super::no_answers;
use crate::{
    args::Complete,
    arguments::texts,
    console,
    failure::{Failure, Status},
    session::with_client,
};

pub(super) async fn run(verb: Complete) -> Result<Status, Failure> {
    let known = texts(&verb.known)?;
    let reference = match (&verb.prompt, &verb.template) {
        (Some(prompt), _) => CompletionReference::Prompt(PromptReference::new(prompt.as_str())),
        (None, Some(uri)) => CompletionReference::Resource(ResourceTemplateReference::new(uri.as_str())),
        (None, None) => return Err(Failure::usage("--prompt NAME or --template URI")),
    };
    let (result, raw) = with_client(&verb.target, &verb.common, &no_answers(), async |client| {
        let mut call = client.complete(reference, &verb.argument, &verb.value);
        for (name, value) in known {
            call = call.known(name, value);
        }
        let reply = call.await?;
        let raw = String::from_utf8_lossy(reply.raw()).into_owned();
        Ok((reply.into_inner(), raw))
    })
    .await?;
    if verb.common.json {
        console::print_json(&raw);
        return Ok(Status::Success);
    }
    let completion = &result.completion;
    for value in &completion.values {
        console::print_text(value);
    }
    if completion.has_more == Some(true) {
        let total = completion.total.map(|total| format!(" of {total}")).unwrap_or_default();
        console::note(&format!("{}{total}; there are more", completion.values.len()));
    }
    Ok(Status::Success)
}
