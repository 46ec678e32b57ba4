use mcp_client::{Client, Error};
use mcp_types::{CallToolResult, ErrorCode, Json, ListToolsRequest, Tool};

use crate::{
    args::Call,
    arguments::{arguments, whole},
    console::{self, Bar},
    content::Printer,
    failure::{Failure, Status},
    listing::list,
    nearest::did_you_mean,
    session::with_client,
    signature::signature,
};

pub(super) async fn run(verb: Call) -> Result<Status, Failure> {
    let given = whole(verb.args.as_deref())?;
    let (result, raw) = with_client(&verb.target, &verb.common, &verb.answers, async |client| {
        let tool = find(client, &verb).await?;
        let arguments = arguments(given, &verb.arguments, tool.as_ref().map(|tool| &tool.input_schema))?;
        let mut call = client.call_tool(&verb.tool).args(&arguments)?.with_progress();
        {
            let bar = Bar::new();
            while let Some(report) = call.progress().next().await {
                bar.show(report.progress, report.total, report.message.as_deref());
            }
        }
        let reply = call.await.map_err(|error| explain(error, tool.as_ref()))?;
        let raw = String::from_utf8_lossy(reply.raw()).into_owned();
        Ok((reply.into_inner(), raw))
    })
    .await?;
    let printer = Printer::new(verb.save.as_deref(), &verb.tool, !verb.common.json);
    if verb.common.json {
        console::print_json(&raw);
    }
    print(&result, &printer)?;
    if result.is_error() {
        console::note(&console::err().bad("the tool reported an error"));
        return Ok(Status::Tool);
    }
    Ok(Status::Success)
}

/// The tool in the server's list. A name that is not there is refused here, with the nearest ones: servers answer it in
/// many ways, none of them helpful.
async fn find(client: &Client, verb: &Call) -> Result<Option<Tool>, Failure> {
    if verb.unlisted {
        return Ok(None);
    }
    let listed = list::<ListToolsRequest>(client).await?;
    if let Some(tool) = listed.items.iter().find(|tool| tool.name == verb.tool) {
        return Ok(Some(tool.clone()));
    }
    if let Some(bad) = listed.rejected.iter().find(|bad| is_named(&bad.json, &verb.tool)) {
        let why = format!("the server's definition of `{}` cannot be read: {}", verb.tool, bad.reason);
        return Err(Failure::new(Status::Protocol, why).hint("--unlisted calls it all the same"));
    }
    let names = || listed.items.iter().map(|tool| tool.name.as_str());
    let hint = match (did_you_mean(&verb.tool, names()), listed.items.len()) {
        (Some(near), _) => near,
        (None, 0) => "it lists no tools; --unlisted calls it all the same".into(),
        (None, _) => "`mcp tools` lists them; --unlisted calls it all the same".into(),
    };
    Err(Failure::usage(format!("the server lists no tool `{}`", verb.tool)).hint(hint))
}

fn is_named(item: &Json, name: &str) -> bool {
    let item: Option<mcp_types::JsonObject> = item.decode().ok();
    item.is_some_and(|item| item.get("name").and_then(Json::as_string).is_some_and(|found| found == name))
}

/// Adds what the tool takes, where the server did not like what it got.
fn explain(error: Error, tool: Option<&Tool>) -> Failure {
    let is_about_arguments = error.rpc().is_some_and(|rpc| rpc.code == ErrorCode::INVALID_PARAMS);
    let failure = Failure::from(error);
    match tool {
        Some(tool) if is_about_arguments && failure.hint.is_none() => {
            let takes = signature(&tool.input_schema);
            let takes = if takes.is_empty() { "nothing".to_owned() } else { takes };
            failure.hint(format!("`{}` takes: {takes}", tool.name))
        }
        _ => failure,
    }
}

fn print(result: &CallToolResult, printer: &Printer<'_>) -> Result<(), Failure> {
    for block in &result.content {
        printer.block(block)?;
    }
    if result.content.is_empty()
        && let Some(json) = &result.structured_content
    {
        printer.json(json);
    }
    for rejected in result.content.rejected() {
        console::note(&format!(
            "content {} cannot be read: {}",
            rejected.index,
            console::safe_line(&rejected.reason)
        ));
    }
    Ok(())
}
