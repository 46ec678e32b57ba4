//! The calls that each scenario is about, as an application would make them.

use mcp_client::{Client, ClientBuilder, Versions};
use mcp_transport_http::Http;
use mcp_types::{
    CreateMessageResult, ElicitResult, ErrorCode, Json, JsonObject, JsonRpcError,
    extensions::skills::SkillResources,
};
use serde_json::json;

use crate::{Result, task::Task};

/// # Errors
/// When the scenario is not known, or its calls fail.
pub(crate) async fn run(task: &Task) -> Result<()> {
    match task.scenario.as_str() {
        "initialize" => connect(task, builder()).await?.close().await,
        "tools_call" => tools_call(task).await?,
        "elicitation-sep1034-client-defaults" => elicitation_defaults(task).await?,
        "sse-retry" => one_call(task, "test_reconnection").await?,
        "json-schema-2020-12-preservation" => schema_preservation(task).await?,
        "json-schema-ref-no-deref" => list_tools(task).await?,
        "request-metadata" => request_metadata(task).await?,
        "sep-2322-client-request-state" => request_state(task).await?,
        "http-standard-headers" => standard_headers(task).await?,
        "http-custom-headers" => custom_headers(task).await?,
        "http-invalid-tool-headers" => every_tool(task).await?,
        "sep-2640-client-no-prefetch" => list_skills(task).await?,
        "sep-2640-client-verify-digest"
        | "sep-2640-client-verify-size"
        | "sep-2640-client-verify-frontmatter" => use_skill(task).await?,
        name if name.starts_with("auth/") => protected(task).await?,
        name => return Err(format!("no scenario `{name}`").into()),
    }
    Ok(())
}

fn builder() -> ClientBuilder {
    Client::builder("conformance-client", env!("CARGO_PKG_VERSION"))
}

/// Where the suite serves one era only, the client finds out by itself which: it must come to the revision of the task.
/// Extensions are served in both, and protected servers do not say before they are authorized.
async fn connect(task: &Task, builder: ClientBuilder) -> Result<Client> {
    let told = ["auth/", "sep-2640-"].iter().any(|prefix| task.scenario.starts_with(prefix));
    let versions = if told { Versions::exactly(task.revision) } else { Versions::auto() };
    let client = builder.versions(versions).connect(Http::new(&task.url)?).await?;
    if client.revision() != task.revision {
        return Err(format!("negotiated {}, not {}", client.revision(), task.revision).into());
    }
    Ok(client)
}

async fn list_tools(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    client.list_tools().all().await?;
    client.close().await;
    Ok(())
}

async fn tools_call(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    client.list_tools().all().await?;
    client.call_tool("add_numbers").args(&json!({"a": 5, "b": 3}))?.await?.into_success()?;
    client.close().await;
    Ok(())
}

async fn one_call(task: &Task, tool: &str) -> Result<()> {
    let client = connect(task, builder()).await?;
    client.list_tools().all().await?;
    client.call_tool(tool).args(&json!({}))?.await?.into_success()?;
    client.close().await;
    Ok(())
}

/// The user accepts what the form proposes.
async fn elicitation_defaults(task: &Task) -> Result<()> {
    let user = builder().on_elicit(|_, _| async { Ok(ElicitResult::accept(JsonObject::new())) });
    let client = connect(task, user).await?;
    client.list_tools().all().await?;
    client.call_tool("test_client_elicitation_defaults").args(&json!({}))?.await?.into_success()?;
    client.close().await;
    Ok(())
}

/// Hands a schema of the server back as it came.
async fn schema_preservation(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    let tools = client.list_tools().all().await?;
    let tool = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &tool.ok_or("the tool is not listed")?.input_schema;
    let arguments: JsonObject = [("schema", Json::encode(schema)?)].into_iter().collect();
    client.call_tool("json_schema_echo").args(&arguments)?.await?.into_success()?;
    client.close().await;
    Ok(())
}

/// Declares everything that a client can.
async fn request_metadata(task: &Task) -> Result<()> {
    let able = builder()
        .on_elicit(|_, _| async { Ok(ElicitResult::decline()) })
        .on_sample(|_, _| async { no_model() })
        .roots(["file:///home/ada/project"]);
    let client = connect(task, able).await?;
    // The server declares nothing that could be listed.
    client.ping().await?;
    client.close().await;
    Ok(())
}

fn no_model() -> std::result::Result<CreateMessageResult, JsonRpcError> {
    Err(JsonRpcError::new(ErrorCode::INTERNAL_ERROR, "there is no model"))
}

async fn request_state(task: &Task) -> Result<()> {
    let user = builder().on_elicit(|_, _| async {
        Ok(ElicitResult::accept([("confirmed", Json::encode(&true).unwrap_or_else(|_| Json::from("true")))]))
    });
    let client = connect(task, user).await?;
    client.list_tools().all().await?;
    for tool in ["test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state"] {
        client.call_tool(tool).args(&json!({}))?.await?.into_success()?;
    }
    // Its result lacks `resultType`. Whether that is a result or an error is not at issue.
    let _ = client.call_tool("test_mrtr_no_result_type").args(&json!({}))?.await;
    client.close().await;
    Ok(())
}

/// Uses one of everything that is listed.
async fn standard_headers(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    client.ping().await?;
    let tools = client.list_tools().all().await?;
    let tool = tools.first().ok_or("no tool is listed")?;
    client.call_tool(&tool.name).args(&json!({}))?.await?;
    let resources = client.list_resources().all().await?;
    let resource = resources.first().ok_or("no resource is listed")?;
    client.read_resource(&resource.uri).await?;
    let prompts = client.list_prompts().all().await?;
    let prompt = prompts.first().ok_or("no prompt is listed")?;
    client.get_prompt(&prompt.name).await?;
    client.close().await;
    Ok(())
}

async fn custom_headers(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    client.list_tools().all().await?;
    for call in &task.context.tool_calls {
        client.call_tool(&call.name).args(&call.arguments)?.await?;
    }
    client.close().await;
    Ok(())
}

/// Calls whatever the listing still has.
async fn every_tool(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    for tool in client.list_tools().all().await? {
        client.call_tool(tool.name).args(&json!({"region": "us-west1"}))?.await?;
    }
    client.close().await;
    Ok(())
}

/// Looks at the skills, and uses none.
async fn list_skills(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    mcp_skills::list(&client)?.all().await?;
    client.close().await;
    Ok(())
}

/// Loads a skill, and reads all its files.
async fn use_skill(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    let skills = mcp_skills::list(&client)?.all().await?;
    let skill = mcp_skills::load(&client, skills.first().ok_or("no skill is listed")?.clone()).await?;
    if let SkillResources::Listed(files) = &skill.entry().resources {
        for file in files {
            skill.read(&file.uri).await?;
        }
    }
    client.close().await;
    Ok(())
}

/// A server that wants authorization before anything else.
async fn protected(task: &Task) -> Result<()> {
    let client = connect(task, builder()).await?;
    for tool in client.list_tools().all().await? {
        client.call_tool(tool.name).args(&json!({}))?.await?;
    }
    client.close().await;
    Ok(())
}
