//! What the server does by its own choice: its lists, its tools' schemas, its answers to wrong calls.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use mcp_client::{Client, Paged};
use mcp_types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, Tool,
};

use super::{
    check::{Check, Layer::Server},
    schema::{Root, problems},
};
use crate::listing::{Listed, list};

/// A list that takes longer is told.
const SLOW: Duration = Duration::from_secs(5);

/// Nobody has a tool of this name.
const NO_SUCH_TOOL: &str = "mcp-doctor-no-such-tool";

/// Lists everything that the server declares, and calls a tool that does not exist. Nothing of the server's is called.
pub(super) async fn examine(client: &Client) -> Vec<Check> {
    let capabilities = client.capabilities();
    let mut checks = Vec::new();
    if capabilities.tools.is_some() {
        let tools = one::<ListToolsRequest>(client, "tools", |tool| &tool.name, &mut checks).await;
        if let Some(tools) = tools.filter(|tools| !tools.items.is_empty()) {
            checks.extend(definitions(&tools.items));
        }
        checks.push(unknown_tool(client).await);
    }
    if capabilities.resources.is_some() {
        one::<ListResourcesRequest>(client, "resources", |resource| &resource.uri, &mut checks).await;
        one::<ListResourceTemplatesRequest>(
            client,
            "templates",
            |template| &template.uri_template,
            &mut checks,
        )
        .await;
    }
    if capabilities.prompts.is_some() {
        one::<ListPromptsRequest>(client, "prompts", |prompt| &prompt.name, &mut checks).await;
    }
    if capabilities.tools.is_none() && capabilities.resources.is_none() && capabilities.prompts.is_none() {
        let todo = "declare the capabilities `tools`, `resources` or `prompts`: what is not declared is not asked for";
        checks.push(Check::odd(Server, "capabilities", "neither tools, nor resources, nor prompts", todo));
    }
    checks
}

async fn one<R: Paged>(
    client: &Client,
    name: &'static str,
    key: impl Fn(&R::Item) -> &String,
    checks: &mut Vec<Check>,
) -> Option<Listed<R::Item>> {
    let begun = Instant::now();
    let listed = match list::<R>(client).await {
        Ok(listed) => listed,
        Err(failure) => {
            let todo = format!("the server declares the capability, so `{}` must be answered", R::METHOD);
            let check = Check::bad(Server, name, failure.message, todo);
            // The templates have no capability of their own.
            let is_optional = name == "templates" && failure.status == crate::failure::Status::Protocol;
            checks.push(if is_optional { Check::good(Server, name, "none offered") } else { check });
            return None;
        }
    };
    let took = begun.elapsed();
    let count = listed.raw.len();
    if let Some(first) = listed.rejected.first() {
        let item: String = first.json.to_string().chars().take(200).collect();
        let seen = format!(
            "{} of {count} cannot be used; item {}: {}: {item}",
            listed.rejected.len(),
            first.index,
            first.reason
        );
        checks.push(Check::bad(Server, name, seen, "correct the definition: clients leave it out, or fail"));
    } else {
        checks.push(Check::good(Server, name, format!("{count}, after {} ms", took.as_millis())));
    }
    let mut known = BTreeSet::new();
    if let Some(twice) = listed.items.iter().map(&key).find(|name| !known.insert((*name).clone())) {
        let todo = "names must be unique: clients call the one or the other";
        checks.push(Check::bad(Server, name, format!("`{twice}` is listed more than once"), todo));
    }
    if took > SLOW {
        let todo = "answer lists from what is known: many clients give up after some seconds";
        checks.push(Check::odd(Server, name, format!("the list took {} s", took.as_secs()), todo));
    }
    Some(listed)
}

fn definitions(tools: &[Tool]) -> Vec<Check> {
    let mut schemas = Vec::new();
    for tool in tools {
        let input = problems(tool.input_schema.as_json().as_str(), Root::Object);
        // A result may be any JSON since 2026-07-28.
        let output = tool.output_schema.as_ref().map(|schema| problems(schema.as_json().as_str(), Root::Any));
        for (member, found) in [("inputSchema", input), ("outputSchema", output.unwrap_or_default())] {
            if !found.is_empty() {
                schemas.push(format!("`{}`: {member}: {}", tool.name, found.join("; ")));
            }
        }
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_named = |tool: &&Tool| (1..=128).contains(&tool.name.len()) && tool.name.chars().all(is_plain);
    let names = tools.iter().filter(|tool| !is_named(tool)).map(|tool| format!("{:?}", tool.name));
    let is_bare = |tool: &&Tool| tool.description.as_deref().is_none_or(|text| text.trim().is_empty());
    let bare = tools.iter().filter(is_bare).map(|tool| format!("`{}`", tool.name));
    let mut checks = vec![if schemas.is_empty() {
        Check::good(Server, "schemas", "those of all tools have the form of one")
    } else {
        let todo = "correct the schema: models are given it as it stands, and many services refuse all tools for one";
        Check::bad(Server, "schemas", some(schemas), todo)
    }];
    let names: Vec<_> = names.collect();
    if !names.is_empty() {
        let todo = "use 1 to 128 letters, digits, `_`, `-` or `.`: many services take nothing else";
        checks.push(Check::odd(Server, "names", some(names), todo));
    }
    let bare: Vec<_> = bare.collect();
    if !bare.is_empty() {
        let todo = "say what the tool does: a model sees nothing else of it";
        checks.push(Check::odd(Server, "descriptions", format!("none for {}", some(bare)), todo));
    }
    checks
}

/// The first of them, and how many more there are.
fn some(mut found: Vec<String>) -> String {
    const MOST: usize = 3;
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let text = found.join("\n");
    if more == 0 { text } else { format!("{text}\nand {more} more") }
}

async fn unknown_tool(client: &Client) -> Check {
    const NAME: &str = "unknown tool";
    let todo = "a call of a tool that does not exist must fail, with an error that names it";
    match client.call_tool(NO_SUCH_TOOL).await {
        Ok(result) if result.is_error() => Check::good(Server, NAME, "refused, in a result"),
        Ok(_) => Check::odd(Server, NAME, "answered as if there were one", todo),
        Err(error) if error.rpc().is_some() => Check::good(Server, NAME, "refused, with an error"),
        Err(error) => Check::bad(Server, NAME, error.to_string(), todo),
    }
}
