//! The verbs that list something: tables for people, items as they came for scripts.

use mcp_client::Paged;
use mcp_types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, Prompt,
    Resource, ResourceTemplate, Tool,
};

use super::no_answers;
use crate::{
    args::{Common, Prompts, Resources, TargetArgs, Templates, Tools},
    console::{self, Table, safe_line},
    failure::{Failure, Status},
    listing::{self, list},
    session::with_client,
    signature::signature,
};

pub(super) async fn tools(verb: Tools) -> Result<Status, Failure> {
    let head = ["NAME", "ARGUMENTS", "DESCRIPTION"];
    show::<ListToolsRequest>(&verb.target, &verb.common, head, |tool: &Tool| {
        [
            tool.name.clone(),
            signature(&tool.input_schema),
            description(tool.description.as_deref(), tool.title.as_deref()),
        ]
    })
    .await
}

pub(super) async fn resources(verb: Resources) -> Result<Status, Failure> {
    let head = ["URI", "TYPE", "DESCRIPTION"];
    show::<ListResourcesRequest>(&verb.target, &verb.common, head, |resource: &Resource| {
        let title = resource.title.as_deref().or(Some(&resource.name));
        let kind = resource.mime_type.clone().unwrap_or_default();
        [resource.uri.clone(), kind, description(resource.description.as_deref(), title)]
    })
    .await
}

pub(super) async fn templates(verb: Templates) -> Result<Status, Failure> {
    let head = ["TEMPLATE", "TYPE", "DESCRIPTION"];
    show::<ListResourceTemplatesRequest>(&verb.target, &verb.common, head, |template: &ResourceTemplate| {
        let title = template.title.as_deref().or(Some(&template.name));
        let kind = template.mime_type.clone().unwrap_or_default();
        [template.uri_template.clone(), kind, description(template.description.as_deref(), title)]
    })
    .await
}

pub(super) async fn prompts(verb: Prompts) -> Result<Status, Failure> {
    let head = ["NAME", "ARGUMENTS", "DESCRIPTION"];
    show::<ListPromptsRequest>(&verb.target, &verb.common, head, |prompt: &Prompt| {
        let arguments: Vec<_> = prompt
            .arguments
            .iter()
            .flat_map(|arguments| arguments.iter())
            .map(|argument| match argument.required {
                Some(true) => argument.name.clone(),
                _ => format!("[{}]", argument.name),
            })
            .collect();
        let about = description(prompt.description.as_deref(), prompt.title.as_deref());
        [prompt.name.clone(), arguments.join(" "), about]
    })
    .await
}

fn description(description: Option<&str>, title: Option<&str>) -> String {
    let first = |text: &str| text.trim().lines().next().unwrap_or_default().to_owned();
    description.map(first).filter(|line| !line.is_empty()).or_else(|| title.map(first)).unwrap_or_default()
}

async fn show<R: Paged>(
    target: &TargetArgs,
    common: &Common,
    head: [&'static str; 3],
    row: impl Fn(&R::Item) -> [String; 3],
) -> Result<Status, Failure> {
    let listed = with_client(target, common, &no_answers(), async |client| list::<R>(client).await).await?;
    let name = listing::member(R::METHOD);
    if common.json {
        console::print_json(listed.document(name).as_str());
        return Ok(Status::Success);
    }
    if listed.items.is_empty() && listed.rejected.is_empty() {
        console::note(&format!("the server lists no {}", name.replace("resourceTemplates", "templates")));
        return Ok(Status::Success);
    }
    let mut table = Table::new(head);
    for item in &listed.items {
        table.row(row(item));
    }
    table.print();
    for rejected in &listed.rejected {
        let style = console::err();
        let reason = safe_line(&rejected.reason);
        console::note(&format!(
            "{} item {} cannot be read: {reason}",
            style.bad("rejected:"),
            rejected.index
        ));
    }
    Ok(Status::Success)
}
