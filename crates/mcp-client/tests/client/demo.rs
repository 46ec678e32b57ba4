//! Against the demo server, which stands on the same core: every revision, both eras, in process.

use std::future::ready;

use crate::common::{builder, ms};
use mcp_client::{Client, Versions};
use mcp_testkit::demo::{Demo, Discover};
use mcp_types::{ElicitResult, Era, ErrorCode, Json, JsonObject, PromptReference, Revision};
use serde_json::json;
use tokio::task::JoinSet;

fn with_user() -> mcp_client::ClientBuilder {
    builder().on_elicit(|_, _| {
        let content: JsonObject = [("name", Json::from("Ada"))].into_iter().collect();
        ready(Ok(ElicitResult::accept(content)))
    })
}

async fn try_everything(client: &Client) {
    let tools = client.list_tools().all().await.unwrap();
    assert!(tools.len() > 3 && tools.rejected.is_empty());
    let sum = client.call_tool("add").args(&json!({"a": 2, "b": 40})).unwrap().await.unwrap();
    assert!(format!("{:?}", sum.content).contains("42"));
    assert!(client.call_tool("fail").await.unwrap().is_error());
    assert!(client.call_tool("fail_protocol").await.unwrap_err().rpc().is_some());
    assert!(client.call_tool("contents").await.unwrap().content.len() >= 3);
    let mut slow =
        client.call_tool("slow").args(&json!({"steps": 3, "milliseconds": 1})).unwrap().with_progress();
    let mut reports = 0;
    while slow.progress().next().await.is_some() {
        reports += 1;
    }
    assert_eq!(reports, 3);
    slow.await.unwrap();
    for resource in client.list_resources().all().await.unwrap() {
        assert!(!client.read_resource(resource.uri.as_str()).await.unwrap().contents.is_empty());
    }
    client.read_resource("file:///nowhere").await.unwrap_err();
    assert!(!client.list_resource_templates().all().await.unwrap().is_empty());
    let prompts = client.list_prompts().all().await.unwrap();
    assert!(!prompts.is_empty());
    client.ping().await.unwrap();
}

#[tokio::test]
async fn every_revision_is_spoken_and_found() {
    for revision in Revision::ALL {
        for (demo, versions) in
            [(Demo::new(), Versions::exactly(revision)), (Demo::of_revisions([revision]), Versions::auto())]
        {
            let client = with_user().versions(versions).connect(demo.in_process()).await.unwrap();
            assert_eq!(client.revision(), revision);
            try_everything(&client).await;
            // An elicitation: a request in the legacy era, an input request in the modern one.
            if revision >= Revision::V2025_06_18 {
                let greeting = client.call_tool("greet").await.unwrap();
                assert!(format!("{:?}", greeting.content).contains("Ada"), "{revision}: {greeting:?}");
            }
            client.close().await;
        }
    }
}

/// Quirks 2 and 3: refused with any code, or not answered at all.
#[tokio::test]
async fn a_refused_or_ignored_probe_leads_to_the_handshake() {
    for discover in [Discover::Refused(ErrorCode(0)), Discover::Refused(ErrorCode(-32602)), Discover::Ignored]
    {
        let demo = Demo::legacy().discover(discover);
        let client = builder().probe_timeout(ms(200)).connect(demo.in_process()).await.unwrap();
        assert_eq!(client.negotiated().era(), Era::Legacy);
        client.close().await;
    }
}

#[tokio::test]
async fn completions_and_thousands_of_calls() {
    let client = builder().connect(Demo::new().in_process()).await.unwrap();
    let prompt = client.list_prompts().all().await.unwrap().into_iter().next().unwrap();
    let argument = prompt.arguments.as_deref().and_then(|arguments| arguments.first().cloned());
    if let Some(argument) = argument {
        client.complete(PromptReference::new(prompt.name), argument.name, "").await.unwrap();
    }
    let mut calls = JoinSet::new();
    for n in 0..5000 {
        let client = client.clone();
        calls.spawn(async move {
            let args = json!({"message": format!("number {n}")});
            let result = client.call_tool("echo").args(&args).unwrap().await.unwrap();
            assert!(format!("{:?}", result.content).contains(&format!("number {n}")));
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    client.close().await;
}
