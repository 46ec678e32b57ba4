use std::cell::Cell;

use mcp_client::{Change, Subscription};
use mcp_types::{Json, JsonObject, SubscriptionFilter};

use super::no_answers;
use crate::{
    args::Watch,
    console::{self, safe_json, safe_line},
    failure::{Failure, Status},
    session::with_client,
};

/// Prints changes until the server ends it, or something from outside does.
pub(super) async fn run(verb: Watch) -> Result<Status, Failure> {
    let filter = filter(&verb);
    let json = verb.common.json;
    // How many changes are written of a JSON document that is open. `None`: none is.
    let written = Cell::new(None);
    let outcome = with_client(&verb.target, &verb.common, &no_answers(), async |client| {
        let mut changes = client.listen(filter.clone()).await?;
        begin(&changes, &filter, json)?;
        written.set(Some(0_u64));
        while let Some(change) = changes.next().await? {
            let count = written.get().unwrap_or_default();
            if json {
                let comma = if count == 0 { "" } else { "," };
                console::print_line(&format!("{comma}{}", safe_json(document(&change).as_str())));
            } else {
                console::print_line(&line(&change));
            }
            written.set(Some(count + 1));
            if console::reader_is_gone() {
                break;
            }
        }
        Ok(changes.lost())
    })
    .await;
    if written.get().is_none() {
        return outcome.map(|_| Status::Success);
    }
    let (status, end) = match outcome {
        Ok(lost) => {
            if lost > 0 {
                console::note(&format!("{lost} changes were lost: they came faster than they were written"));
            }
            (
                Status::Success,
                JsonObject::from([("end", Json::from("ended by the server")), ("lost", lost.into())]),
            )
        }
        Err(failure) => {
            failure.tell();
            (failure.status, failure.document().decode().unwrap_or_default())
        }
    };
    if json {
        // The document was begun as an object, and is ended as one.
        let end = Json::from(end);
        console::print_line(&format!("],{}", end.as_str().strip_prefix('{').unwrap_or("}")));
    }
    Ok(status)
}

fn filter(verb: &Watch) -> SubscriptionFilter {
    let named = verb.tools || verb.prompts || verb.resources || !verb.uris.is_empty();
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = (verb.tools || !named).then_some(true);
    filter.prompts_list_changed = (verb.prompts || !named).then_some(true);
    filter.resources_list_changed = (verb.resources || !named).then_some(true);
    filter.resource_subscriptions = (!verb.uris.is_empty()).then(|| verb.uris.clone());
    filter
}

/// Says what is watched.
///
/// # Errors
/// When the server agreed to nothing: then nothing would ever come.
fn begin(changes: &Subscription, asked: &SubscriptionFilter, json: bool) -> Result<(), Failure> {
    let agreed = changes.acknowledged();
    let names = names(agreed);
    if names.is_empty() {
        let asked = self::names(asked).join(", ");
        return Err(Failure::new(Status::Protocol, format!("the server tells no changes of: {asked}")));
    }
    if !changes.is_complete() {
        console::note(&console::err().warn("the server does not tell all that was asked for"));
    }
    console::note(&format!("watching: {}", safe_line(&names.join(", "))));
    if json {
        let agreed = Json::encode(agreed)
            .map_err(|error| Failure::new(Status::Protocol, format!("the acknowledgement: {error}")))?;
        console::print_line(&format!("{{\"acknowledged\":{},\"changes\":[", safe_json(agreed.as_str())));
    }
    Ok(())
}

fn names(filter: &SubscriptionFilter) -> Vec<String> {
    let lists = [
        ("list of tools", filter.tools_list_changed),
        ("list of prompts", filter.prompts_list_changed),
        ("list of resources", filter.resources_list_changed),
    ];
    let lists = lists.into_iter().filter(|(_, on)| *on == Some(true)).map(|(name, _)| name.to_owned());
    lists.chain(filter.resource_subscriptions.iter().flatten().cloned()).collect()
}

fn line(change: &Change) -> String {
    match change {
        Change::ToolsListChanged => "tools changed".into(),
        Change::PromptsListChanged => "prompts changed".into(),
        Change::ResourcesListChanged => "resources changed".into(),
        Change::ResourceUpdated(params) => format!("resource updated {}", safe_line(&params.uri)),
        Change::Other { method, params } => {
            let params = params.as_ref().map(|params| safe_json(params.as_str())).unwrap_or_default();
            format!("{} {params}", safe_line(method))
        }
        other => safe_line(&format!("{other:?}")),
    }
}

fn document(change: &Change) -> Json {
    let (kind, more) = match change {
        Change::ToolsListChanged => ("toolsListChanged", None),
        Change::PromptsListChanged => ("promptsListChanged", None),
        Change::ResourcesListChanged => ("resourcesListChanged", None),
        Change::ResourceUpdated(params) => ("resourceUpdated", Some(("uri", params.uri.as_str().into()))),
        Change::Other { method, params } => {
            let mut document = JsonObject::from([("change", Json::from(method.as_ref()))]);
            if let Some(params) = params {
                document.insert("params", params.clone());
            }
            return document.into();
        }
        _ => ("unknown", None),
    };
    let mut document = JsonObject::from([("change", Json::from(kind))]);
    if let Some((name, value)) = more {
        document.insert(name, value);
    }
    document.into()
}
