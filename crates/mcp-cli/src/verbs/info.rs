use mcp_client::Client;
use mcp_types::{Era, Json, JsonObject};

use super::no_answers;
use crate::{
    args::Info,
    console::{self, safe, safe_line},
    failure::{Failure, Status},
    session::with_client,
};

pub(super) async fn run(verb: Info) -> Result<Status, Failure> {
    let document = with_client(&verb.target, &verb.common, &no_answers(), async |client| {
        if !verb.common.json {
            print(client);
        }
        Ok(document(client))
    })
    .await?;
    if verb.common.json {
        console::print_json(document.as_str());
    }
    Ok(Status::Success)
}

fn era(era: Era) -> &'static str {
    match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    }
}

/// The members of the capabilities as they came, extensions and unknown ones too.
fn capabilities(client: &Client) -> JsonObject {
    let raw: Option<JsonObject> = client.negotiated().raw.decode().ok();
    raw.and_then(|raw| raw.get("capabilities")?.decode().ok()).unwrap_or_default()
}

fn document(client: &Client) -> Json {
    let negotiated = client.negotiated();
    let mut document = JsonObject::from([
        ("era", Json::from(era(negotiated.era()))),
        ("revision", negotiated.revision.as_str().into()),
    ]);
    if let Some(info) = negotiated.server_info.as_ref().and_then(|info| Json::encode(info).ok()) {
        document.insert("serverInfo", info);
    }
    document.insert("capabilities", capabilities(client).into());
    if let Some(instructions) = &negotiated.instructions {
        document.insert("instructions", instructions.as_str().into());
    }
    document.insert("answer", negotiated.raw.clone());
    document.into()
}

fn print(client: &Client) {
    let style = console::out();
    let negotiated = client.negotiated();
    let line = |name: &str, text: &str| {
        console::print_line(&format!("{}{text}", style.bold(&format!("{name:<14}"))));
    };
    if let Some(server) = &negotiated.server_info {
        line("server", &format!("{} {}", safe_line(&server.name), safe_line(&server.version)));
        if let Some(title) = &server.title {
            line("title", &safe_line(title));
        }
    } else {
        line("server", "says no name");
    }
    line("era", era(negotiated.era()));
    line("revision", negotiated.revision.as_str());
    let capabilities: Vec<_> = capabilities(client)
        .iter()
        .map(|(name, json)| match json.as_str() {
            "{}" => safe_line(name),
            json => format!("{} {}", safe_line(name), console::safe_json(json)),
        })
        .collect();
    for (number, capability) in capabilities.iter().enumerate() {
        line(if number == 0 { "capabilities" } else { "" }, capability);
    }
    if capabilities.is_empty() {
        line("capabilities", "none");
    }
    if let Some(instructions) = &negotiated.instructions {
        for (number, text) in safe(instructions).lines().enumerate() {
            line(if number == 0 { "instructions" } else { "" }, text);
        }
    }
}
