//! Structured results of tools, judged while a client takes them. Field report C-03.

use std::{
    future::IntoFuture,
    sync::{Arc, Mutex},
};

use mcp_client::{Client, ClientBuilder, Diagnostic, ErrorKind, OnInvalidOutput, transport::Single};
use mcp_json_schema::Validator;
use mcp_testkit::script::{Peer, peer};
use mcp_types::{CallToolResult, Revision, Tool};

fn builder(on_invalid: OnInvalidOutput) -> ClientBuilder {
    let validator = Validator::default();
    Client::builder("test", "1")
        .validate_output(on_invalid, move |schema, value| validator.check(schema, value))
}

async fn connected(builder: ClientBuilder, revision: Revision) -> (Client, Peer) {
    let (link, mut peer) = peer();
    let accept = async {
        match revision {
            Revision::V2026_07_28 => peer.accept_modern(r#"{"tools":{}}"#).await,
            legacy => peer.accept_legacy(legacy, r#"{"tools":{}}"#).await,
        }
    };
    let (client, _) = tokio::join!(builder.connect(Single::new(link)), accept);
    (client.unwrap(), peer)
}

/// A client that has listed the tool `t` with `schema`.
async fn listed(on_invalid: OnInvalidOutput, revision: Revision, schema: &str) -> (Client, Peer) {
    let (client, mut peer) = connected(builder(on_invalid), revision).await;
    let list = tokio::spawn(client.list_tools().all());
    peer.expect("tools/list").await.reply(format!(
        r#"{{"resultType":"complete","tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}"#
    ));
    list.await.unwrap().unwrap();
    (client, peer)
}

/// What a call of `name` gives when the server answers with these members of a result.
async fn call(
    client: &Client,
    peer: &mut Peer,
    name: &str,
    members: &str,
) -> mcp_client::Result<CallToolResult> {
    let call = tokio::spawn(client.call_tool(name).into_future());
    let result =
        format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"said"}}]{members}}}"#);
    peer.expect("tools/call").await.reply(result);
    call.await.unwrap().map(mcp_client::Reply::into_inner)
}

const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
const DRAFT_07: &str = r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"x":{"type":"integer"}},"properties":{"n":{"$ref":"#/definitions/x"}}}"##;

#[tokio::test]
async fn results_are_held_to_the_schema_of_their_tool() {
    let modern = Revision::V2026_07_28;
    let legacy = Revision::V2025_11_25;
    for (revision, schema, members, fits) in [
        // a: the tool's own failure comes as it is.
        (modern, SCHEMA, r#","isError":true"#, true),
        (modern, SCHEMA, r#","isError":true,"structuredContent":{"n":"x"}"#, true),
        // b, c, d: valid, invalid, missing.
        (modern, SCHEMA, r#","structuredContent":{"n":1}"#, true),
        (modern, SCHEMA, r#","structuredContent":{"n":"x"}"#, false),
        (modern, SCHEMA, "", false),
        (legacy, SCHEMA, r#","structuredContent":{"n":1}"#, true),
        (legacy, SCHEMA, r#","structuredContent":{}"#, false),
        // `null` is a value in the modern era only.
        (modern, r#"{"type":"null"}"#, r#","structuredContent":null"#, true),
        (legacy, r#"{"type":"null"}"#, r#","structuredContent":null"#, false),
        // e: by its dialect, or an error that names it.
        (modern, DRAFT_07, r#","structuredContent":{"n":1}"#, true),
        (modern, DRAFT_07, r#","structuredContent":{"n":"x"}"#, false),
        (modern, r#"{"$schema":"urn:mine"}"#, r#","structuredContent":{}"#, false),
        // f: never fetched.
        (modern, r#"{"$ref":"http://127.0.0.1:9/s"}"#, r#","structuredContent":{}"#, false),
        // g: arrays and scalars.
        (modern, r#"{"type":"array","items":{"type":"number"}}"#, r#","structuredContent":[1,2]"#, true),
        (modern, r#"{"type":"string"}"#, r#","structuredContent":"x""#, true),
    ] {
        let case = format!("{revision} {schema} {members}");
        let (client, mut peer) = listed(OnInvalidOutput::Fail, revision, schema).await;
        match call(&client, &mut peer, "t", members).await {
            Ok(result) => {
                assert!(fits, "{case}");
                assert_eq!(result.text(), "said", "{case}");
            }
            Err(error) => {
                assert!(!fits, "{case}: {error}");
                assert_eq!(error.kind(), ErrorKind::InvalidOutput, "{case}");
                assert!(error.may_have_executed() && !error.is_retryable(), "{case}");
                let result: CallToolResult = error.raw_result().unwrap().decode().unwrap();
                assert_eq!(result.text(), "said", "{case}");
            }
        }
    }
}

#[tokio::test]
async fn what_does_not_fit_can_be_reported_instead() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let builder = builder(OnInvalidOutput::Report).on_diagnostic(move |diagnostic| {
        if let Diagnostic::InvalidOutput { tool, why } = diagnostic {
            sink.lock().unwrap().push(format!("{tool}: {why}"));
        }
    });
    let schema = mcp_types::JsonSchema::from_text(SCHEMA).unwrap();
    let tool = Tool::new("t", mcp_types::JsonSchema::any_object()).with_output_schema(schema);
    // Definitions that were given count as those that were listed.
    let (client, mut peer) = connected(builder.known_tools([tool]), Revision::V2026_07_28).await;
    let result = call(&client, &mut peer, "t", r#","structuredContent":{"n":"secret"}"#).await.unwrap();
    assert_eq!(result.text(), "said");
    client.close().await;
    let seen = seen.lock().unwrap();
    assert!(seen.len() == 1 && seen[0].starts_with("t: ") && seen[0].contains("/n"), "{seen:?}");
    assert!(!seen[0].contains("secret"), "{seen:?}");
}

#[tokio::test]
async fn a_tool_that_was_never_listed_is_not_judged() {
    let (client, mut peer) = listed(OnInvalidOutput::Fail, Revision::V2026_07_28, SCHEMA).await;
    call(&client, &mut peer, "other", r#","structuredContent":7"#).await.unwrap();
}

/// A schema that the server says is outdated is not held against it; the one that is listed then is.
#[tokio::test]
async fn a_schema_counts_until_the_tools_change() {
    let (client, mut peer) = listed(OnInvalidOutput::Fail, Revision::V2025_11_25, SCHEMA).await;
    let odd = r#","structuredContent":{"n":"x"}"#;
    let error = call(&client, &mut peer, "t", odd).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidOutput);
    peer.notify("notifications/tools/list_changed", "{}");
    call(&client, &mut peer, "t", odd).await.unwrap();
    let list = tokio::spawn(client.list_tools().all());
    let page = format!(r#"{{"tools":[{{"name":"t","inputSchema":{{}},"outputSchema":{SCHEMA}}}]}}"#);
    peer.expect("tools/list").await.reply(page);
    list.await.unwrap().unwrap();
    let error = call(&client, &mut peer, "t", odd).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidOutput);
}
